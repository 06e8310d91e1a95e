package lsp

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"go.lsp.dev/protocol"

	"isadiff/engine/diff"
	"isadiff/engine/gfx"
	"isadiff/engine/live"
	"isadiff/engine/locate"
	"isadiff/engine/pressure"
	"isadiff/engine/problem"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/testdata"
)

// hostileState is a state with a kernel of each status, and a text wherever text
// comes from files.
func hostileState(root, name string) *live.State {
	name = resource.ValidText(name)
	file := strings.NewReplacer("\x00", "0", "/", "_").Replace(name) // what a file can be called
	state := manyKernels(root, int(live.NoBaseline)+2, 1)
	for i, k := range state.Kernels {
		k.Status = live.Status(min(i, int(live.NoBaseline)))
		k.Key = fmt.Sprintf("%02d%s::%s", i, name, name)
		change := func(r *resource.Record, vgpr int64) *resource.Record {
			c := *r
			c.Key, c.Name, c.Source, c.Notes = k.Key, name, name, []string{name}
			c.Target = gfx.Target{ID: name, Processor: name, Features: []string{name}}
			c.Occupancy.Limiter = name
			c.Cells[resource.VGPR] = resource.Value(vgpr)
			c.Cells[resource.LDSRead] = resource.NA(name)
			c.Cells[resource.LDSWrite] = resource.Unread(name)
			return &c
		}
		k.Baseline, k.Live = change(k.Baseline, 88), change(k.Live, 127)
		k.Row = &diff.Row{Key: k.Key, Before: k.Baseline, After: k.Live, Deltas: []diff.Delta{{Metric: resource.VGPR, Change: 39}}, Notes: []string{name}}
		k.Row.Accepted = []diff.Acceptance{{Metric: resource.SGPR, Value: 1, Reason: name, Where: name}}
		k.Broken = []diff.Breach{{Budget: name, Figure: 127, Where: name}}
		k.Problems = []problem.Problem{
			problem.New(problem.MetadataCut, "%s is cut", name).In(name).Mended("look at %s", name),
			problem.New(problem.TargetDiffers, "%s", name).Of(k.Key),
		}
		k.File, k.Dumped = filepath.Join(root, "dumps", file, file), time.Now()
		k.RenamedTo, k.RenamedFrom, k.Instead = "d::"+name, "d::"+name, name
		k.Place.Reason, k.Place.Outside, k.Place.Left, k.Place.Others = name, name, name, []string{name}
		k.Place.Origin = locate.Location{Path: name, Line: 3}
		if i > int(live.NoBaseline) {
			k.Place = locate.Place{Reason: name, Outside: name, Origin: k.Place.Origin}
		}
	}
	state.Baseline.Path = filepath.Join(root, file)
	state.Dumps = live.Dumps{Path: filepath.Join(root, file), Polling: true, Reason: name}
	state.Problems = []problem.Problem{problem.New(problem.MetadataCut, "%s is cut", name).In(name + "/22_final_isa.s"), problem.New(problem.InternalError, "%s", name)}
	state.Warnings = []string{name}
	state.Verdict = diff.NotTrustworthy
	state.Result.Problems, state.Result.Warnings = state.Problems, state.Warnings
	state.Result.Before, state.Result.After = &resource.Side{Origin: name, Revision: name}, &resource.Side{Origin: name}
	return state
}

// shownIn returns what the editor shows of a state, by what it is shown in.
func shownIn(t *testing.T, name string) map[string][]string {
	t.Helper()
	root := filepath.FromSlash("/project")
	var wire bytes.Buffer
	s := testServer(t, &wire)
	state := hostileState(root, name)
	v := viewOf(t, s, root, state)
	f := v.folders[0]
	shown := map[string][]string{}
	add := func(surface string, texts ...string) { shown[surface] = append(shown[surface], texts...) }
	analysis := &pressure.Analysis{VGPR: pressure.Peak{Peak: 9, Line: 2, Near: pressure.SourceLine{File: name, Line: 4}}, SpillStores: 3,
		Lines: []pressure.Line{{Source: pressure.SourceLine{File: name, Line: 4}, SpillStores: 3}}}
	c := lensContext{s, f.folder, state}
	for _, ks := range append([][]*live.Kernel{state.Kernels}, one(state.Kernels)...) {
		for _, markdown := range []bool{true, false} {
			surface := map[bool]string{true: "hover", false: "plain hover"}[markdown]
			add(surface, hoverText(f.config, state, ks, markdown, time.Now(), func(k *live.Kernel) looked {
				return looked{[]placedMark{{title: name, text: name}, {title: name, path: filepath.Join(root, "k.py"), line: 4, text: name}}, name, causeText(k, nil, analysis)}
			}))
		}
		l := c.definitionLens(ks)
		add("lens", protocol.CodeLens{Command: (action{}).command(l.Title)}.Command.Title)
		for _, a := range l.Actions {
			add("action", a.command(a.Title).Title)
		}
	}
	for _, list := range v.reports(nil) {
		for _, d := range list.diagnostics() {
			add("diagnostic", string(d.Message.(protocol.String)))
			for _, r := range d.RelatedInformation {
				add("related", r.Message)
			}
		}
	}
	st := statusOf(f)
	add("status", st.Text)
	add("tooltip", st.Tooltip)
	add("report", string(reportMarkdown(state, false)), string(reportMarkdown(state, true)))
	alone := *state
	alone.Result = nil
	add("report without baseline", string(reportMarkdown(&alone, true)))
	add("watch", string(report.Block(nil, state, time.Now(), report.Project{Root: root}, report.Style{})), report.StatusLine(state, false, report.Style{}))
	add("error", wireError(fmt.Errorf("%s: %w", name, live.ErrNoKernel)).Error())
	return shown
}

func one(ks []*live.Kernel) (lists [][]*live.Kernel) {
	for _, k := range ks {
		lists = append(lists, []*live.Kernel{k})
	}
	return lists
}

// TestHostileText holds everything that an editor is given with hostile text against
// the same with harmless text: no link, no image, no command, no icon and no line
// comes of it, and what cannot be seen is escaped.
func TestHostileText(t *testing.T) {
	harmless := shownIn(t, "harmless")
	for _, name := range testdata.Hostile {
		for surface, texts := range shownIn(t, name) {
			if len(texts) != len(harmless[surface]) {
				t.Errorf("%q: %d of %s, want %d", name, len(texts), surface, len(harmless[surface]))
				continue
			}
			for i, got := range texts {
				if want := harmless[surface][i]; surface != "error" && strings.Count(got, "\n") != strings.Count(want, "\n") {
					t.Errorf("%q: %s has other lines:\n%s", name, surface, got)
				}
				switch surface {
				case "hover", "report", "report without baseline":
					if want, is := markdownShape(harmless[surface][i]), markdownShape(got); is != want {
						t.Errorf("%q: %s is read as\n%s\nwant\n%s\n%s", name, surface, is, want, got)
					}
				case "plain hover", "watch":
				default:
					if strings.Contains(got, "](") || strings.Contains(got, "$(") {
						t.Errorf("%q: %s has a link or an icon: %s", name, surface, got)
					}
				}
				for at, c := range got {
					if c != '\n' && (!unicode.IsPrint(c) || c == utf8.RuneError) {
						t.Errorf("%q: %U in %s: %q", name, c, surface, got[max(0, at-40):min(len(got), at+20)])
						break
					}
				}
			}
		}
	}
}

// markdownShape returns the nodes of a document as an editor reads it; all links
// lead to files.
func markdownShape(source string) string {
	var b strings.Builder
	root := goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(text.NewReader([]byte(source)))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text, *ast.String, *ast.CodeBlock:
		case *ast.Link:
			if entering {
				fmt.Fprintf(&b, " Link(%.8s", n.Destination)
			}
		default:
			if entering {
				b.WriteString(" " + n.Kind().String())
			} else {
				b.WriteString(" /")
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// What is said on the server's own account is no link either.
func TestHostileMessages(t *testing.T) {
	for _, name := range testdata.Hostile {
		r, w := io.Pipe()
		s := testServer(t, w)
		go func() {
			s.message(protocol.MessageTypeInfo, name)
			s.out.Close()
			_ = w.Close()
		}()
		sent, _ := io.ReadAll(r)
		if bytes.Contains(sent, []byte("](")) || bytes.Contains(sent, []byte("$(")) || bytes.Contains(sent, []byte("\\u001b")) || bytes.Contains(sent, []byte("\u202e")) {
			t.Errorf("%q: %q", name, sent)
		}
	}
}
