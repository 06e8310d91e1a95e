package live

import (
	"context"
	"os"
	"strings"
	"testing"

	"isadiff/engine/pysource"
)

// A source that is too large is not read, which is said for as long as it is so.
func TestLargeSource(t *testing.T) {
	r := prepare(t, base)
	const name = "kernels/transpose.py"
	text := r.read(name)
	if err := os.Truncate(r.path(name), pysource.MaxSize+1); err != nil {
		t.Fatal(err)
	}
	r.open()
	said := func(s *State) bool {
		return strings.Contains(strings.Join(s.Warnings, "\n"), name+" is larger than 16 MiB and was not read")
	}
	state := r.sync()
	if !said(state) || state.Sources[r.path(name)] != nil {
		t.Errorf("warnings %q", state.Warnings)
	}
	r.SetOverlay(r.path(name), strings.Repeat("#", pysource.MaxSize+1))
	if state = r.sync(); state.Sources[r.path(name)] != nil {
		t.Error("a text of an editor that is too large was read")
	}
	r.SetOverlay(r.path(name), text)
	if state = r.sync(); state.Sources[r.path(name)] == nil {
		t.Error("the text of an editor was not read")
	}
	r.ClearOverlay(r.path(name))
	r.write(name, text)
	r.SourcesChanged(Change{Settled: []File{file(t, r.path(name))}})
	if state = r.sync(); said(state) || state.Sources[r.path(name)] == nil {
		t.Errorf("of one that is small again: %q", state.Warnings)
	}
	if err := os.Truncate(r.path(name), pysource.MaxSize+1); err != nil {
		t.Fatal(err)
	}
	r.SourcesChanged(Change{Settled: []File{file(t, r.path(name))}})
	if state = r.sync(); !said(state) || state.Sources[r.path(name)] != nil {
		t.Errorf("of one that became large: %q", state.Warnings)
	}
	if err := os.RemoveAll(r.path("kernels")); err != nil {
		t.Fatal(err)
	}
	r.SourcesChanged(Change{Removed: []string{r.path("kernels")}})
	if said(r.sync()) {
		t.Error("it is gone, and still said")
	}
}

// The end of a session waits for nothing that is still to be read.
func TestCloseReadsNothingMore(t *testing.T) {
	r := prepare(t, base)
	cfg := Config{Project: r.project(), Clock: r.clock}
	s := Open(cfg)
	begun, goOn := make(chan struct{}), make(chan struct{})
	var ctx context.Context
	var dumps *tree
	s.post(func(o *owner) {
		ctx, dumps = o.cfg.ctx, o.dumps
		close(begun)
		<-goOn
		o.dumps.reload() // as if it were in the middle of it
	})
	s.DumpsChanged(everything(t, r.dumps))
	<-begun
	closed := make(chan struct{})
	go func() {
		s.Close()
		close(closed)
	}()
	<-ctx.Done()
	close(goOn)
	<-closed
	if dumps.heard || len(dumps.dirs) > 1 || s.Current().Ready {
		t.Errorf("heard %v, %d folders were read, ready %v", dumps.heard, len(dumps.dirs), s.Current().Ready)
	}
}
