package session

import (
	"fmt"
	"os"
	"testing"
	"time"

	"isadiff/engine/live"
)

// BenchmarkLatency is the time from a compiler's last write to the new State, with
// the default settings. The goal for all of the way to the editor is 250 ms, of
// which 150 ms are the quiet time that ends a batch.
func BenchmarkLatency(b *testing.B) {
	d := sit(b, "tile-up-spills/gfx942/before")
	d.until("unchanged", status(live.Unchanged))
	const path = "window_filter/window_filter_0/22_final_isa.s"
	var texts [2]string
	for i, of := range []string{"after", "before"} {
		text, err := os.ReadFile(dump("tile-up-spills/gfx942/" + of + "/" + path))
		if err != nil {
			b.Fatal(err)
		}
		texts[i] = string(text)
	}
	source, err := os.ReadFile(d.path("kernels/window_filter.py"))
	if err != nil {
		b.Fatal(err)
	}
	var slowest time.Duration
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		// Without an edit it would be another specialization.
		d.write("kernels/window_filter.py", fmt.Sprintf("%s\nedit = %d\n", source, i))
		d.until("edited", func(s *live.State) bool { return s.Edited > 0 })
		start := time.Now()
		d.write("dumps/"+path, texts[i%2])
		d.until("compared", status([]live.Status{live.Worse, live.Unchanged}[i%2]))
		slowest = max(slowest, time.Since(start))
	}
	b.ReportMetric(float64(slowest.Milliseconds()), "ms-worst")
	b.ReportMetric(250, "ms-goal")
}
