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
	rest := wordLeft.FindStringSubmatch(doc.text[offset:])
	// What is typed of a name or a value is ASCII, so its length is that of any encoding.
	at := protocol.Range{Start: p.Position, End: p.Position}
	at.Start.Character -= uint32(len(typed))
	at.End.Character += uint32(len(rest[1]))
	var items []protocol.CompletionItem
	for _, o := range offers {
		if rest[2] != "" { // the value is there already
			o.text = strings.TrimSuffix(o.text, " = ")
		}
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
	wordLeft   = regexp.MustCompile(`^([A-Za-z0-9_.-]*"?)[ \t]*(=?)`)
	valuePart  = regexp.MustCompile(`^[ \t]*([A-Za-z0-9_.-]+)[ \t]*=[ \t]*("?[a-z]*)$`)
)

// offersAt returns what fits at the end of a text, and what is typed of it already.
// root is the name of the table that holds the configuration; "" if it is the file.
func offersAt(text, root string) (offers []offer, typed string) {
	last := strings.LastIndexAny(text, "\r\n") + 1
	above, line := text[:last], text[last:]
	table, within := "", openValue{}
	for l := range strings.Lines(above) {
		if within.open() {
			within.line(l)
			continue
		}
		if m := headerLine.FindStringSubmatch(strings.TrimRight(l, "\r\n")); m != nil {
			table = strings.TrimSpace(m[1])
		} else if strings.HasPrefix(strings.TrimSpace(l), "[") {
			table = "[" // one whose name has quotes, or a list of tables: nothing of ours
		}
		within.line(l)
	}
	if within.open() {
		return nil, ""
	}
	if m := header.FindStringSubmatch(line); m != nil {
		return tablesUnder(root), m[1]
	}
	if root != "" {
		below, ok := strings.CutPrefix(table, root)
		if !ok || below != "" && below[0] != '.' {
			return nil, ""
		}
		table = strings.TrimPrefix(below, ".")
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

// An openValue is what is open at the end of a line: lists, or a string over lines.
type openValue struct {
	lists int
	quote string // what ends the string; "" if none is open
}

func (v *openValue) open() bool { return v.lists > 0 || v.quote != "" }

// line reads on to the end of a line.
func (v *openValue) line(l string) {
	if !v.open() {
		if _, of, isKey := strings.Cut(l, "="); isKey && !strings.HasPrefix(strings.TrimSpace(l), "[") {
			l = of
		} else {
			return
		}
	}
	for l != "" {
		switch {
		case v.quote != "":
			if v.quote[0] == '"' && l[0] == '\\' && len(l) > 1 {
				l = l[2:]
				continue
			}
			if strings.HasPrefix(l, v.quote) {
				l, v.quote = l[len(v.quote):], ""
				continue
			}
		case l[0] == '#':
			return
		case strings.HasPrefix(l, `"""`) || strings.HasPrefix(l, "'''"):
			l, v.quote = l[3:], l[:3]
			continue
		case l[0] == '"' || l[0] == '\'':
			v.quote = l[:1]
		case l[0] == '[':
			v.lists++
		case l[0] == ']':
			v.lists = max(v.lists-1, 0)
		}
		l = l[1:]
	}
	if len(v.quote) == 1 { // such a string ends with its line
		v.quote = ""
	}
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
