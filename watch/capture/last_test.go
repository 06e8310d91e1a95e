package capture

import (
	"path/filepath"
	"testing"
	"time"

	"isadiff/engine/problem"
	"isadiff/engine/project"
	"isadiff/watch"
)

// What is overwritten just before the command ends is noticed, also where the hook sees
// no compile.
func TestOverwrittenAtTheEnd(t *testing.T) {
	dumps, err := filepath.Abs("../../testdata/dumps/tile-up-spills/gfx942")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	script := "cp -r " + dumps + "/before/. " + out + "; sleep 0.5; cp -r " + dumps + "/after/. " + out
	r, err := Run(t.Context(), Options{Command: project.Command{Args: []string{"sh", "-c", script}}, Dir: dir, Root: dir, Out: out})
	if err != nil {
		t.Fatal(err)
	}
	if codes := problem.Codes(r.Problems); len(codes) != 1 || codes[0] != problem.CaptureOverwritten {
		t.Errorf("%v", r.Problems)
	}
}

// Whoever tells of what was written waits for nobody who is told how far the run is.
func TestTakeWaitsForNobody(t *testing.T) {
	block, entered := make(chan struct{}), make(chan struct{}, 8)
	var take func(watch.Batch)
	listen := func(f func(watch.Batch)) func() { take = f; return func() {} }
	c := newCounter(t.Context(), &directory{root: t.TempDir()}, Options{Listen: listen}, func(int, string) { entered <- struct{}{}; <-block })
	take(watch.Batch{})
	<-entered
	done := make(chan struct{})
	go func() { take(watch.Batch{}); close(done) }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("it waits")
	}
	close(block)
	<-done
	c.close()
}
