package lsp

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"isadiff/engine/project"
)

// completion offers the keys of the configuration, and their values where these are a
// closed set, in isadiff.toml and in the tables of isadiff in pyproject.toml. It is empty
// anywhere else.
func (v *view) completion(_ context.Context, p *protocol.CompletionParams) ([]protocol.CompletionItem, error) {
	path, _ := v.localPath(p.TextDocument.URI)
	root, ok := project.TableIn(filepath.Base(path))
	doc := v.docs.open[path]
	if !ok || doc == nil {
		return nil, nil
	}
	all := splitLines(doc.text)
	offset := all.offset(doc.text, v.client.encoding, p.Position)
	offers, typed := offersAt(doc.text[:offset], root)
	// What is typed of a name or a value is ASCII, so its length is that of any encoding.
	at := protocol.Range{Start: p.Position, End: p.Position}
	at.Start.Character -= uint32(len(typed))
	var items []protocol.CompletionItem
	for _, o := range offers {
		items = append(items, protocol.CompletionItem{
			Label: o.label, Kind: o.kind, Detail: protocol.NewOptional(o.detail), Documentation: protocol.String(o.description),
			TextEdit: &protocol.TextEdit{Range: at, NewText: o.text},
		})
	}
	return items, nil
}

// An offer is an item of a completion.
type offer struct {
	label, text, detail, description string
	kind                             protocol.CompletionItemKind
}

var (
	headerLine = regexp.MustCompile(`^[ \t]*\[([^][#]*)\][ \t]*(#.*)?$`)
	header     = regexp.MustCompile(`^[ \t]*\[([A-Za-z0-9_.-]*)$`)
	keyPart    = regexp.MustCompile(`^[ \t]*([A-Za-z0-9_.-]*)$`)
	valuePart  = regexp.MustCompile(`^[ \t]*([A-Za-z0-9_.-]+)[ \t]*=[ \t]*("?[a-z]*)$`)
)

// offersAt returns what fits at the end of a text, and what is typed of it already.
// root is the name of the table that holds the configuration; "" if it is the file.
func offersAt(text, root string) (offers []offer, typed string) {
	last := strings.LastIndexAny(text, "\r\n") + 1
	above, line := text[:last], text[last:]
	table := ""
	for l := range strings.Lines(above) {
		if m := headerLine.FindStringSubmatch(strings.TrimRight(l, "\r\n")); m != nil {
			table = strings.TrimSpace(m[1])
		} else if strings.HasPrefix(strings.TrimSpace(l), "[[") {
			table = "[["
		}
	}
	if m := header.FindStringSubmatch(line); m != nil {
		return tablesUnder(root), m[1]
	}
	if root != "" {
		within, ok := strings.CutPrefix(table, root)
		if !ok || within != "" && within[0] != '.' {
			return nil, ""
		}
		table = strings.TrimPrefix(within, ".")
	}
	prefix := ""
	if table != "" {
		prefix = table + "."
	}
	if m := keyPart.FindStringSubmatch(line); m != nil {
		for _, k := range project.Keys {
			if name, ok := strings.CutPrefix(k.Name, prefix); ok && k.Scope == project.Anywhere {
				text := name + " = "
				if k.Type.Table() {
					text = name + "."
				}
				offers = append(offers, offer{name, text, k.Type.String(), described(k), protocol.CompletionItemKindProperty})
			}
		}
		return offers, m[1]
	}
	if m := valuePart.FindStringSubmatch(line); m != nil {
		for _, k := range project.Keys {
			if k.Name != prefix+m[1] {
				continue
			}
			for _, value := range k.Values() {
				detail := ""
				if strings.Trim(value, `"`) == k.Default {
					detail = "default"
				}
				offers = append(offers, offer{value, value, detail, k.Description, protocol.CompletionItemKindValue})
			}
		}
		return offers, m[2]
	}
	return nil, ""
}

// tablesUnder returns the tables of the configuration below a root.
func tablesUnder(root string) (offers []offer) {
	add := func(name, detail, description string) {
		name = strings.Trim(root+"."+name, ".")
		if name == "" || slices.ContainsFunc(offers, func(o offer) bool { return o.label == name }) {
			return
		}
		offers = append(offers, offer{name, name, detail, description, protocol.CompletionItemKindModule})
	}
	add("", "the configuration of isadiff", "")
	for _, k := range project.Keys {
		if table, _, nested := strings.Cut(k.Name, "."); k.Scope != project.Anywhere {
			continue
		} else if nested {
			add(table, "keys of isadiff", "")
		} else if k.Type.Table() {
			add(k.Name, k.Type.String(), k.Description)
		}
	}
	return offers
}

func described(k project.Key) string {
	if k.Default == "" {
		return k.Description
	}
	return k.Description + " The default is " + k.Default + "."
}
