package session

import (
	"os"
	"testing"

	"isadiff/engine/diff"
	"isadiff/engine/live"
)

// By events and by polling alike, nothing is OK from the order of a run to its end,
// and its end is followed by the verdict on all that it wrote, without waiting for
// what the watcher has to tell.
func TestRunEndsAtOnce(t *testing.T) {
	for _, poll := range []bool{false, true} {
		d := sit(t, "tile-up-spills/gfx942/before")
		s := Open(t.Context(), Options{Project: d.project, Poll: poll})
		t.Cleanup(s.Close)
		d.Session, d.sub = s, s.Subscribe()
		d.until("OK", func(s *live.State) bool { return s.Ready && s.Verdict == diff.OK })
		for _, story := range []struct {
			side string
			want live.Status
		}{{"after", live.Worse}, {"after", live.Worse}, {"before", live.Unchanged}} {
			states := s.Subscribe()
			order := s.OrderRun()
			if now, err := s.Sync(t.Context()); err != nil || now.Run == nil || now.Verdict != diff.NotTrustworthy {
				t.Fatalf("run %+v, verdict %v, %v", now.Run, now.Verdict, err)
			}
			d.write("clock", "")
			clock, err := os.Stat(d.path("clock"))
			if err != nil {
				t.Fatal(err)
			}
			order.Began(clock.ModTime())
			d.tree(dump("tile-up-spills/gfx942/"+story.side), "dumps")
			order.End()
			now, err := s.Sync(t.Context())
			if err != nil || now.Run != nil || !status(story.want)(now) || len(now.Problems) > 0 {
				t.Errorf("poll %v, %s: run %+v, verdict %v, problems %v, %v", poll, story.side, now.Run, now.Verdict, now.Problems, err)
			}
			if _, err := s.Rescan(t.Context()); err != nil { // after it there is no news on the way
				t.Fatal(err)
			}
			if again := s.Current(); again.Verdict != now.Verdict || again.Kernels[0] != now.Kernels[0] {
				t.Errorf("poll %v, %s: the watcher tells otherwise: %v", poll, story.side, again.Verdict)
			}
			states.Close()
			for st := range states.C {
				if st.Run == nil && st.Verdict != now.Verdict {
					t.Errorf("poll %v, %s: %v without a run", poll, story.side, st.Verdict)
				}
			}
		}
	}
}
