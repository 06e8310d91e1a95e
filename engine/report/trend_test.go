package report_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"isadiff/engine/diff"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/trend"
)

func TestTrendGolden(t *testing.T) {
	first := side("v1.json", kernel("d::grows", figures{resource.VGPR: 26}), kernel("d::<b>&goes", figures{resource.VGPR: 8}), kernel("d::stays", nil))
	second := side("v2.json", kernel("d::grows", figures{resource.VGPR: 26, resource.VGPRSpill: 4}), kernel("d::<b>&goes", figures{resource.VGPR: 12}), kernel("d::stays", nil))
	third := side("v3.json", kernel("d::grows", figures{resource.VGPR: 41}), kernel("d::stays", nil))
	third.Records[0].Cells[resource.LDSStaticBytes] = resource.Unread("cut short")
	third.Warnings = []string{"a <warning>"}
	tr := trend.Of([]*resource.Side{first, second, third}, nil)
	golden(t, "trend.txt", report.Trend(tr, report.TrendOptions{}))
	golden(t, "trend-all.txt", report.Trend(tr, report.TrendOptions{All: true, Metrics: []resource.Metric{resource.VGPR}}))
	page, err := report.TrendHTML(tr, report.TrendOptions{Tool: "1.2.3"})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "trend.html", page)
	for _, word := range []string{"http:", "https:", "<b>&goes", "<warning>", "<script"} {
		if strings.Contains(string(page), word) {
			t.Errorf("the page holds %q", word)
		}
	}
	data, err := report.TrendJSON(tr, report.TrendOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Kernels map[string]map[string][]*int64
		Points  []struct{ Label string }
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	for i := range tr.Kernels {
		s := &tr.Kernels[i]
		for m := range resource.Metric(resource.NumMetrics) {
			for p := range tr.Points {
				c, ok := s.Cell(p, m)
				got := doc.Kernels[s.Key][m.String()][p]
				if known := ok && c.State == resource.Known; known != (got != nil) || known && *got != c.Value {
					t.Errorf("%s %s at %d: %v, want %v", s.Key, m, p, got, c)
				}
			}
		}
	}
}

// lineUp makes a history: what grows does so after a revision without figures, by another
// compiler.
func lineUp() *trend.Trend {
	var l trend.Lineup
	for i, vgprs := range []int64{8, 8, 0, 12, 12} {
		commit := trend.Commit{Hash: strings.Repeat(string('a'+rune(i)), 40), Author: "Ann <ann@example.com>", Date: "2026-03-04", Subject: "Commit <" + string('a'+rune(i)) + ">"}
		p := trend.Point{Label: commit.Hash[:12], Commit: &commit, Side: &resource.Side{Origin: commit.Hash[:12]}}
		if vgprs == 0 {
			p.Gap = "[capture-failed] `make` ended with exit status 2: <error>"
		} else {
			p.Side = side(commit.Hash+".json", kernel("d::grows", figures{resource.VGPR: vgprs}), kernel("d::stays", nil))
			p.Side.Records[0].Compilers = []string{"clang version " + string('1'+rune(i/4))}
			p.Side.Warnings = []string{"a warning of each"}
		}
		if i == 1 {
			commit.Skipped = 3
		}
		l.Add(p)
	}
	return l.Trend(nil)
}

func TestHistoryGolden(t *testing.T) {
	tr := lineUp()
	opt := report.TrendOptions{Tool: "1.2.3", Why: map[report.Move][]string{{Kernel: "d::grows", Step: trend.Step{From: 1, To: 3}}: {"why: 12 <new> instructions"}}}
	golden(t, "history.txt", report.Trend(tr, opt))
	page, err := report.TrendHTML(tr, opt)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "history.html", page)
	data, err := report.TrendJSON(tr, opt)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "history.json", data)
	for _, word := range []string{"<error>", "<new>", "<a>", "<script"} {
		if strings.Contains(string(page), word) {
			t.Errorf("the page holds %q", word)
		}
	}
}

func TestBisectGolden(t *testing.T) {
	before, after := side("before", kernel("d::grows", figures{resource.VGPR: 8}), kernel("d::stays", nil)), side("after", kernel("d::grows", figures{resource.VGPR: 12}), kernel("d::stays", nil))
	before.Records[0].Compilers, after.Records[0].Compilers = []string{"clang version 1"}, []string{"clang version 2"}
	made := diff.Compare(before, after, diff.Options{})
	rows := []*diff.Row{&made.Rows[0]}
	commit := func(c string) trend.Commit {
		return trend.Commit{Hash: strings.Repeat(c, 40), Author: "Ann <ann@example.com>", Date: "2026-03-04", Subject: "Commit " + c}
	}
	parent := commit("b")
	b := &report.Bisect{
		Good: commit("a"), Bad: commit("f"), First: []trend.Commit{commit("c")}, FirstRows: rows, Parent: &parent, Made: made, Contradicts: true, Verdict: diff.Regression,
		Steps: []report.BisectStep{
			{Commit: commit("d"), Result: report.BisectUnknown, Why: "[capture-failed] it\x1b[2J does not compile"},
			{Commit: commit("b"), Result: report.BisectGood}, {Commit: commit("c"), Result: report.BisectWorse, Rows: rows},
		},
	}
	text := report.BisectEnds(b.Good, b.Bad, rows, report.Style{})
	for _, s := range b.Steps {
		text = append(text, report.BisectLine(s, report.Style{})...)
	}
	b.Rest = []string{"d::later", "e::later", "f::later", "g::later"}
	text = append(text, report.BisectEnd(b, report.Options{})...)
	unsure := *b
	unsure.First = []trend.Commit{commit("c"), commit("d")}
	text = append(text, report.BisectEnd(&unsure, report.Options{})...)
	golden(t, "bisect.txt", text)
	data, err := report.BisectJSON(b)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "bisect.json", data)
}

func TestRevisions(t *testing.T) {
	for want, s := range map[string]report.Stand{
		"isadiff: 0 of 1 revision, 1 running, 0s":                        {Total: 1, Running: 1},
		"isadiff: 3 of 40 revisions, 4 running, 1m30s, about 19m0s left": {Done: 3, Total: 40, Running: 4, Elapsed: 90 * time.Second, Left: 1139 * time.Second},
	} {
		if got := report.Revisions(s, report.Style{}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
