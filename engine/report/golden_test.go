package report_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"isadiff/engine/diff"
	"isadiff/engine/gate"
	"isadiff/engine/gfx"
	"isadiff/engine/problem"
	"isadiff/engine/report"
	"isadiff/engine/resource"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

type figures map[resource.Metric]int64

func kernel(key string, f figures) *resource.Record {
	dir, name := resource.SplitKey(key)
	r := &resource.Record{Key: key, Name: name, Source: dir + "/22_final_isa.s"}
	r.Target, _ = gfx.ParseTarget("amdgcn-amd-amdhsa--gfx942")
	for m := range r.Cells {
		r.Cells[m] = resource.Value(f[resource.Metric(m)])
	}
	return r
}

func side(origin string, records ...*resource.Record) *resource.Side {
	slices.SortFunc(records, func(a, b *resource.Record) int { return strings.Compare(a.Key, b.Key) })
	return &resource.Side{Origin: origin, Records: records}
}

// everything is a comparison with a row of each kind.
func everything() *diff.Result {
	before := side("baseline.json",
		kernel("elementwise/gelu::gelu", figures{resource.VGPR: 12, resource.ArchVGPR: 12, resource.SGPR: 16}),
		kernel("window_filter/window_filter_0::window_filter_0", figures{resource.VGPR: 88, resource.ArchVGPR: 88, resource.SGPR: 18, resource.NumberedSGPR: 12}),
		kernel("softmax/softmax_rows_0::softmax_rows_0", figures{resource.VGPR: 26, resource.ArchVGPR: 26, resource.LDSStaticBytes: 64}),
		kernel("old/scale_0::scale_0", figures{resource.VGPR: 8}),
		kernel("gone::gone", nil),
		kernel("norm::norm", nil),
		kernel("cut::cut", nil),
	)
	window := kernel("window_filter/window_filter_0::window_filter_0", figures{resource.VGPR: 127, resource.ArchVGPR: 127, resource.SGPR: 18,
		resource.NumberedSGPR: 12, resource.VGPRSpill: 136, resource.ScratchBytes: 276, resource.ScratchStore: 34, resource.ScratchLoad: 33})
	window.Notes = []string{"LDS is addressed past its static size"}
	softmax := kernel("softmax/softmax_rows_0::softmax_rows_0", figures{resource.VGPR: 24, resource.ArchVGPR: 24, resource.LDSStaticBytes: 128})
	for _, r := range []*resource.Record{softmax, before.Records[slices.IndexFunc(before.Records, func(r *resource.Record) bool { return r.Name == "softmax_rows_0" })]} {
		r.Cells[resource.ScratchStore] = resource.NA("spills go through buffer_* on this processor")
		r.Cells[resource.ScratchLoad] = resource.NA("spills go through buffer_* on this processor")
	}
	norm := kernel("norm::norm", nil)
	norm.Target, _ = gfx.ParseTarget("amdgcn-amd-amdhsa--gfx950")
	cut := kernel("cut::cut", nil)
	cut.Cells[resource.LDSRead] = resource.Unread("the body has no end")
	cut.Problems = []problem.Problem{problem.New(problem.BodyUnbounded, "cut/22_final_isa.s:7: kernel cut: the body has no end").In("cut/22_final_isa.s").At(7).Of("cut::cut")}
	after := side("dumps",
		kernel("elementwise/gelu::gelu", figures{resource.VGPR: 12, resource.ArchVGPR: 12, resource.SGPR: 16}),
		window, softmax, norm, cut,
		kernel("new/scale_0::scale_0", figures{resource.VGPR: 8}),
		kernel("fresh::fresh", nil),
	)
	after.Problems = []problem.Problem{problem.New(problem.MetadataCut, "lost/22_final_isa.s: the metadata has no end").In("lost/22_final_isa.s")}
	after.Warnings = []string{"x/21_final_isa.s is ignored beside 22_final_isa.s"}
	return diff.Compare(before, after, diff.Options{})
}

func text(r *diff.Result, opt report.Options) []byte {
	return append(report.Text(r, opt), report.Verdict(r.Verdict, opt.Style)...)
}

func TestTextGolden(t *testing.T) {
	r := everything()
	golden(t, "everything.txt", text(r, report.Options{}))
	golden(t, "everything-quiet.txt", text(r, report.Options{Quiet: true}))
	golden(t, "everything-color.txt", text(r, report.Options{Style: report.Style{Color: true}}))
	golden(t, "everything-120.txt", text(r, report.Options{Style: report.Style{Width: 120}}))
	golden(t, "everything-60.txt", text(r, report.Options{Style: report.Style{Width: 60}}))
	golden(t, "everything-stderr.txt", append(report.Warnings(r.Warnings, report.Style{}), report.Problems(r.Problems, report.Style{})...))
}

func TestJSONGolden(t *testing.T) {
	data, err := report.JSON(everything())
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "everything.json", data)
}

func TestSummaryGolden(t *testing.T) {
	s := everything().After
	st := new(gate.Rules).Side(s)
	golden(t, "summary.txt", report.Summary(s, st, report.Options{}))
	golden(t, "summary-100.txt", report.Summary(s, st, report.Options{Style: report.Style{Width: 100}}))
	golden(t, "summary-quiet.txt", report.Summary(s, st, report.Options{Quiet: true}))
}

func TestExplainGolden(t *testing.T) {
	var all bytes.Buffer
	for _, topic := range []string{"metadata-cut", "vgpr_spill", "lds_read"} {
		text, known := report.Explain(topic)
		if !known {
			t.Errorf("%s is not known", topic)
		}
		all.Write(text)
		all.WriteString("---\n")
	}
	golden(t, "explain.txt", all.Bytes())
	if _, known := report.Explain("frobnicate"); known {
		t.Error("frobnicate is explained")
	}
}

// Every code and metric can be explained, within the width of a line.
func TestExplainEverything(t *testing.T) {
	var topics []string
	for _, i := range problem.Table {
		topics = append(topics, string(i.Code))
	}
	for _, m := range resource.Metrics {
		topics = append(topics, m.Key)
	}
	list := string(report.Topics())
	for _, topic := range topics {
		text, known := report.Explain(topic)
		if !known || len(text) < 60 {
			t.Errorf("%s: %q", topic, text)
		}
		if !strings.Contains(list, topic) {
			t.Errorf("%s is not listed", topic)
		}
	}
}

// The verdict's line is what the JSON says, for each verdict.
func TestVerdict(t *testing.T) {
	for v, want := range map[diff.Verdict]string{diff.OK: "RESULT: OK\n", diff.Regression: "RESULT: REGRESSION\n", diff.NotTrustworthy: "RESULT: NOT TRUSTWORTHY\n"} {
		if got := report.Verdict(v, report.Style{}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if got := report.Verdict(v, report.Style{Color: true}); !strings.Contains(got, strings.TrimSpace(want)) || !strings.HasSuffix(got, "\x1b[0m\n") {
			t.Errorf("coloured: %q", got)
		}
	}
}
