package report_test

import (
	"encoding/json"
	"strings"
	"testing"

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
