package report_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	gmtext "github.com/yuin/goldmark/text"

	"isadiff/engine/diff"
	"isadiff/engine/gate"
	"isadiff/engine/gfx"
	"isadiff/engine/pressure"
	"isadiff/engine/problem"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
	"isadiff/engine/trace"
	"isadiff/engine/trend"
	"isadiff/engine/where"
	"isadiff/engine/why"
	"isadiff/testdata"
)

// all puts a text wherever text comes from files.
func all(name string) (*diff.Result, report.Options) {
	key := "k" + name + "::" + name
	record := func(vgpr int64) *resource.Record {
		r := kernel(key, figures{resource.VGPR: vgpr, resource.VGPRSpill: vgpr})
		r.Source, r.Notes = name, []string{name}
		r.Target = gfx.Target{ID: name, Processor: name, Features: []string{name}}
		r.Cells[resource.LDSRead] = resource.NA(name)
		r.Occupancy.Limiter = name
		r.Origin = resource.Origin{Path: name, Line: 1, Digest: name}
		return r
	}
	cut := kernel("a"+key, nil)
	cut.Cells[resource.SGPR] = resource.Unread(name)
	cut.Problems = []problem.Problem{problem.New(problem.BodyUnbounded, "%s: no end", name).In(name).Of(cut.Key).Mended("look at %s", name)}
	before := side(name, record(10), kernel("a"+key, nil), kernel("z"+key, nil))
	after := side(name, record(20), cut)
	before.Revision = name
	after.Warnings = []string{name}
	after.Problems = []problem.Problem{problem.New(problem.MetadataCut, "%s is cut", name).In(name)}
	r := diff.Compare(before, after, diff.Options{})
	r.Kernels = name
	r.Renamed = []diff.Rename{{Before: "z" + key, After: key}}
	for i := range r.Rows {
		row := &r.Rows[i]
		row.Notes = append(row.Notes, name)
		if row.Key == key {
			row.Accepted = []diff.Acceptance{{Metric: resource.VGPR, Value: 20, Reason: name, Where: name}}
			row.Broken = []diff.Breach{{Budget: name, Figure: 20, Where: name}}
			r.Accepted, r.Broken, r.Budgets = 1, 1, 1
		}
	}
	place := pressure.SourceLine{File: name, Line: 7}
	return r, report.Options{Occupancy: true, Context: report.Context{
		Root: "/root", Why: reportWhy(r, name),
		Base: name, Head: name, Tool: "1.2.3", Dir: name,
		Places: map[string]trace.Position{key: {File: name, Line: 3, Column: 5}},
		Causes: map[string]trace.Cause{key: {
			Before: &pressure.Analysis{VGPR: pressure.Peak{Peak: 9, Line: 2, Source: place}},
			After: &pressure.Analysis{VGPR: pressure.Peak{Peak: 19, Line: 2, Source: place}, Lines: []pressure.Line{
				{Source: place, SpillStores: 3, SpillLoads: 1},
			}},
		}},
	}}
}

// surfaces are all that is made of a comparison, and of other results.
func surfaces(t *testing.T, name string) map[string][]byte {
	t.Helper()
	name = resource.ValidText(name)
	r, opt := all(name)
	made := map[string][]byte{
		"terminal": bytes.Join([][]byte{
			report.Text(r, opt), report.Warnings(r.Warnings, opt.Style), report.Problems(r.Problems, opt.Style),
			report.Error(problem.New(problem.OutputUnwritable, "%s", name).Mended("%s", name), opt.Style),
			report.Summary(r.After, new(gate.Rules).Side(r.After), opt), report.Added(name, nil), report.Undone(name, true), report.Merged(1, 1, name),
			report.Taken(&snapshot.Taken{Path: name, Previous: name, Old: r.Before, New: r.After}, opt),
			report.Capture(report.Captured{Dir: name, Compilers: []string{name}}, opt.Style),
			report.Checks([]report.Check{{Name: "x", Finding: name, Mend: name}}, opt.Style),
			report.Said(time.Time{}, "%s", name),
			report.Where(&where.Result{Kernels: []where.Kernel{{Analysis: pressure.Analysis{Kernel: name, Refused: name}, File: name}}}, opt),
			report.Why(hostileWhy(r, name), report.Options{Assembly: true}),
			report.Trend(trend.Of([]*resource.Side{r.Before, r.After}, nil), report.TrendOptions{All: true}),
		}, []byte("--\n")),
	}
	for _, f := range report.Formats {
		data, err := f.Render(r, opt)
		if err != nil {
			t.Fatalf("%s of %q: %v", f.Name, name, err)
		}
		made[f.Name] = data
	}
	page, err := report.TrendHTML(trend.Of([]*resource.Side{r.Before, r.After}, nil), report.TrendOptions{All: true})
	if err != nil {
		t.Fatal(err)
	}
	made["trend.html"] = page
	if made["why.html"], err = report.WhyHTML(hostileWhy(r, name), "1.2.3"); err != nil {
		t.Fatal(err)
	}
	w := hostileWhy(r, name)
	w.Code = map[pressure.SourceLine]string{{File: name, Line: 7}: "x" + name} // a line of blanks alone is no code
	for _, l := range report.WhySheet(w) {
		made["why.sheet"] = append(made["why.sheet"], l.Text+"\n"...)
	}
	made["why.md"] = report.WhyMarkdown(w, func(pressure.SourceLine) string { return "file:///k.py#L7" })
	return made
}

// hostileWhy puts a text wherever it can stand in what became of instructions.
func hostileWhy(r *diff.Result, name string) *trace.Why {
	place := pressure.SourceLine{File: name, Line: 7}
	list := func(n int) *pressure.Listing {
		return &pressure.Listing{
			Analysis: pressure.Analysis{VGPR: pressure.Peak{Peak: n, Line: 2, Source: place}, SGPR: pressure.Peak{Refused: name}},
			Body:     []pressure.Instruction{{Line: n, Mnemonic: "s_nop", Operands: []byte(fmt.Sprint(n) + name), Class: pressure.Other, Source: place, Live: n}},
			Loops:    []pressure.Loop{{Label: name, Depth: 1, Body: []int{0}}}, LoopsRefused: name,
		}
	}
	w := &trace.Why{Before: name, After: name, Problems: r.Problems, Warnings: []string{name}}
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Before != nil && row.After != nil {
			w.Kernels = append(w.Kernels, trace.WhyKernel{Row: row, Comparison: why.Compare(list(1), list(2))})
			w.Kernels = append(w.Kernels, trace.WhyKernel{Row: row, Comparison: why.Compare(list(1), &pressure.Listing{Analysis: pressure.Analysis{Refused: name}})})
		}
	}
	return w
}

// reportWhy is hostileWhy as reports have it, whose lines are in the project.
func reportWhy(r *diff.Result, name string) *trace.Why {
	w := hostileWhy(r, "/root/"+name)
	w.Code = map[pressure.SourceLine]string{{File: "/root/" + name, Line: 7}: "x" + name}
	return w
}

// TestHostileText holds every surface of a comparison with hostile text against one
// with harmless text: the text is all that differs. Nothing becomes a link, an image, a
// heading, a row, a line or a command, and what cannot be seen is escaped.
func TestHostileText(t *testing.T) {
	harmless := surfaces(t, "harmless")
	for _, name := range testdata.Hostile {
		got := surfaces(t, name)
		for surface, data := range got {
			want := shape(t, surface, harmless[surface])
			if is := shape(t, surface, data); is != want {
				t.Errorf("%q makes another %s: %s", name, surface, firstDifference(want, is))
			}
			if surface == "json" || surface == "sarif" { // escaped there as JSON is
				continue
			}
			for i, c := range string(data) {
				if c != '\n' && c != '\t' && (!unicode.IsPrint(c) || c == utf8.RuneError) {
					t.Errorf("%q: %U stands in the %s: %q", name, c, surface, data[max(0, i-40):min(len(data), i+40)])
					break
				}
			}
		}
		programs(t, resource.ValidText(name), got)
	}
}

// shape returns what a surface is made of, without its text.
func shape(t *testing.T, surface string, data []byte) string {
	t.Helper()
	switch surface {
	case "markdown", "why.md":
		return markdownShape(data)
	case "html", "trend.html", "why.html":
		// Names are in the text and in attributes with quotes: neither may hold these.
		return strings.Join(regexp.MustCompile(`</?[a-zA-Z!]+`).FindAllString(string(data), -1), " ") + strings.Repeat(`"`, bytes.Count(data, []byte(`"`)))
	case "junit":
		var b strings.Builder
		for d := xml.NewDecoder(bytes.NewReader(data)); ; {
			token, err := d.Token()
			switch e := token.(type) {
			case xml.StartElement:
				fmt.Fprintf(&b, "<%s %d>", e.Name.Local, len(e.Attr))
			case xml.EndElement:
				b.WriteString("</>")
			}
			if err == io.EOF {
				return b.String()
			}
			if err != nil {
				return b.String() + err.Error()
			}
		}
	case "json", "sarif":
		return "" // see programs
	case "github":
		var b strings.Builder
		for line := range strings.Lines(string(data)) {
			if command, rest, ok := strings.Cut(line, "::"); ok && command == "" {
				b.WriteString(rest[:2])
				// Without the file, if its path cannot be printed.
				if properties, _, _ := strings.Cut(rest, "::"); strings.Count(properties, ",") != 2 && strings.Count(properties, ",") != 0 {
					b.WriteString(properties)
				}
			}
			b.WriteByte('.')
		}
		return b.String()
	default:
		return strings.Repeat(".", bytes.Count(data, []byte("\n")))
	}
}

// markdownShape returns the nodes of a document as GitHub reads it.
func markdownShape(data []byte) string {
	var b strings.Builder
	root := goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser().Parse(gmtext.NewReader(data))
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Text, *ast.String:
		case *ast.RawHTML:
			if entering {
				b.WriteString(" " + string(n.Segments.Value(data)))
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

// programs checks what programs read: names come back as they were, and messages
// hold no link and nothing to be filled in.
func programs(t *testing.T, name string, made map[string][]byte) {
	t.Helper()
	var compared struct {
		Rows []struct{ Kernel string }
	}
	if err := json.Unmarshal(made["json"], &compared); err != nil {
		t.Errorf("%q: %v", name, err)
	}
	found := false
	for _, row := range compared.Rows {
		found = found || row.Kernel == "k"+name+"::"+name
	}
	if !found {
		t.Errorf("%q: the JSON names the kernels %q", name, compared.Rows)
	}
	var log struct {
		Runs []struct {
			Results []struct {
				Message struct{ Text string }
				Related []struct{ Message struct{ Text string } } `json:"relatedLocations"`
			}
		}
	}
	if err := json.Unmarshal(made["sarif"], &log); err != nil || len(log.Runs) != 1 || len(log.Runs[0].Results) == 0 {
		t.Fatalf("%q: %v, %d runs", name, err, len(log.Runs))
	}
	var messages []string
	for _, result := range log.Runs[0].Results {
		messages = append(messages, result.Message.Text)
		for _, at := range result.Related {
			messages = append(messages, at.Message.Text)
		}
	}
	for _, m := range messages {
		if regexp.MustCompile(`(^|[^\\])\]\(|(^|[^{])\{[0-9]+\}`).MatchString(m) || strings.IndexFunc(m, func(c rune) bool { return !unicode.IsPrint(c) }) >= 0 {
			t.Errorf("%q: a message of SARIF: %q", name, m)
		}
	}
}

func firstDifference(want, got string) string {
	i := 0
	for i < len(want) && i < len(got) && want[i] == got[i] {
		i++
	}
	return fmt.Sprintf("after %q: want %q, got %q", want[max(0, i-60):i], want[i:min(len(want), i+60)], got[i:min(len(got), i+60)])
}
