package session

import (
	"slices"
	"sync/atomic"
	"testing"

	"isadiff/engine/live"
	"isadiff/engine/problem"
)

// A save and a change of the configuration that come together: the session that follows
// hears how the compile ended.
func TestOrderOfSessionBefore(t *testing.T) {
	d := sit(t, "tile-up-spills/gfx942/before")
	d.until("unchanged", status(live.Unchanged))
	var current atomic.Pointer[Session]
	current.Store(d.Session)
	c := NewCompiler(current.Load, func(o *live.Order) { o.End(problem.New(problem.CaptureFailed, "it failed")) })
	c.Soon(true) // a source was saved
	current.Store(nil)
	d.Session.Close() // and the configuration changed
	next := Open(t.Context(), Options{Project: d.project, After: d.Session.Memory()})
	t.Cleanup(next.Close)
	current.Store(next)
	c.Soon(true)
	sub := next.Subscribe()
	for s := range sub.C {
		if slices.Contains(problem.Codes(s.Problems), problem.CaptureFailed) {
			return
		}
	}
	t.Error("nobody says that the compile failed")
}
