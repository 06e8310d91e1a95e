package live

import (
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"isadiff/engine/producer"
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
	r.SourcesChanged(Batch{Settled: []Settled{file(t, r.path(name))}})
	if state = r.sync(); said(state) || state.Sources[r.path(name)] == nil {
		t.Errorf("of one that is small again: %q", state.Warnings)
	}
	if err := os.Truncate(r.path(name), pysource.MaxSize+1); err != nil {
		t.Fatal(err)
	}
	r.SourcesChanged(Batch{Settled: []Settled{file(t, r.path(name))}})
	if state = r.sync(); !said(state) || state.Sources[r.path(name)] != nil {
		t.Errorf("of one that became large: %q", state.Warnings)
	}
	if err := os.RemoveAll(r.path("kernels")); err != nil {
		t.Fatal(err)
	}
	r.SourcesChanged(Batch{Removed: []string{r.path("kernels")}})
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
	var dumps *tree
	s.post(func(o *owner) {
		dumps = o.dumps
		close(begun)
		<-goOn
		o.dumps.reload(false) // as if it were in the middle of it
	})
	s.DumpsChanged(everything(t, r.dumps))
	<-begun
	closed := make(chan struct{})
	go func() {
		s.Close()
		close(closed)
	}()
	<-s.ctx.Done()
	close(goOn)
	<-closed
	if dumps.heard || len(dumps.dirs) > 1 || s.Current().Ready {
		t.Errorf("heard %v, %d folders were read, ready %v", dumps.heard, len(dumps.dirs), s.Current().Ready)
	}
}

// The end of a session comes after the read of the one file that is being read, however
// many there are in a directory and in the tree, and whoever asked for them. What it had
// yet to read is not remembered.
func TestCloseWhileReading(t *testing.T) {
	for name, begin := range map[string]func(r *rig){
		"the first time": func(r *rig) { r.DumpsChanged(everything(r.t, r.dumps)) },
		"all again":      func(r *rig) { r.post(func(o *owner) { o.reload(false) }) },
		"each directory": func(r *rig) { r.DumpsChanged(everything(r.t, r.dumps)) },
		"after a run": func(r *rig) {
			order := r.OrderRun()
			order.Began(noon)
			order.End()
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := prepare(t, "")
			p := r.project()
			mine, err := producer.Custom("mine", "*.mine", nil)
			if err != nil {
				t.Fatal(err)
			}
			reading, goOn := make(chan struct{}), make(chan struct{})
			var files atomic.Int32
			mine.Describe = func(at producer.DumpFile) producer.Description {
				if files.Add(1) == 1 {
					close(reading)
				}
				<-goOn
				return producer.Description{Dir: at.Dir}
			}
			p.Producers = p.Producers.With(mine)
			r.Session = Open(Config{Project: p, Clock: r.clock, NoSources: true})
			if err := os.Mkdir(r.dumps, 0o777); err != nil {
				t.Fatal(err)
			}
			if name != "the first time" {
				r.DumpsChanged(Batch{})
				r.sync()
			}
			for i := range 20 {
				r.write(fmt.Sprintf("dumps/%d/%d.mine", i%2, i), "")
			}
			begin(r)
			<-reading
			closed := make(chan struct{})
			go func() {
				r.Close()
				close(closed)
			}()
			<-r.ctx.Done()
			close(goOn)
			<-closed
			if n := int(files.Load()); n > workers() {
				t.Errorf("%d files were read", n)
			}
			if d := r.Memory().dumps; len(d.dirs) > 0 {
				t.Errorf("%d directories are remembered", len(d.dirs))
			}
		})
	}
}
