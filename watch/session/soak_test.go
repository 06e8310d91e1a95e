package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"isadiff/engine/live"
	"isadiff/engine/report"
)

var (
	rounds = flag.Int("rounds", 12, "rounds of the test that lives on the disk")
	seed   = flag.Uint64("seed", 20261130, "its seed")
)

// TestLivesOnTheDisk does many things to the files of a project, fast and in
// random order, as several compilers and an editor at once would. After each round
// the session must come to say what one says that starts then. Meanwhile it is asked
// to read everything again at any moment.
func TestLivesOnTheDisk(t *testing.T) {
	d := sit(t, "base/gfx942")
	d.until("ready", func(s *live.State) bool { return s.Ready })
	w := &worker{desk: d, random: rand.New(rand.NewPCG(*seed, 0))}
	for round := range *rounds {
		for range 5 + w.random.IntN(30) {
			w.act()
		}
		w.rescans.Wait()
		// That a source is gone only watching can tell.
		w.write("kernels/transpose.py", w.edited("# back\n"))
		fresh := Open(t.Context(), Options{Project: d.project})
		want := w.settled(fresh)
		fresh.Close()
		t.Cleanup(func() {
			if t.Failed() {
				t.Log(cmp.Diff(string(want), string(said(t, d.Current()))))
			}
		})
		d.until("like a session that starts now", func(s *live.State) bool {
			if slices.ContainsFunc(s.Kernels, func(k *live.Kernel) bool { return len(k.Variants) > 0 }) {
				// What was overwritten only watching can tell.
				if err := d.NewestCounts(t.Context(), ""); err != nil && !errors.Is(err, live.ErrNotOverwritten) {
					t.Fatal(err)
				}
				return false
			}
			return bytes.Equal(said(t, s), want)
		})
		t.Logf("round %d: %v", round, d.Current().Verdict)
	}
}

// A worker does things to the files of a project.
type worker struct {
	*desk
	random  *rand.Rand
	rescans sync.WaitGroup
	edits   int
}

// settled returns what a session says when it was read whole.
func (w *worker) settled(s *Session) []byte {
	sub := s.Subscribe()
	defer sub.Close()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	state := s.Current()
	for !state.Ready {
		select {
		case state = <-sub.C:
		case <-ctx.Done():
			w.t.Fatal("a fresh session is never ready")
		}
	}
	return said(w.t, state)
}

// said is what a State says to a program, without what only the past can tell.
func said(t testing.TB, s *live.State) []byte {
	line, err := report.WatchJSON(nil, s, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(line, &members); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"seq", "session_warnings", "pending_kernels"} {
		delete(members, key)
	}
	for _, k := range members["kernels"].([]any) {
		if k := k.(map[string]any); k["status"] == "one-sided" && k["isa"] == nil {
			k["status"] = "pending"
		}
	}
	line, err = json.MarshalIndent(members, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return line
}

var trees = []string{"base/gfx942", "base/gfx950", "tile-up-spills/gfx942/after", "tile-up-spills/gfx942/before", "double-buffer/gfx942/after", "mixed/gfx1201/after"}

// act does one thing.
func (w *worker) act() {
	from := dump(trees[w.random.IntN(len(trees))])
	modules, err := os.ReadDir(from)
	if err != nil {
		w.t.Fatal(err)
	}
	module := modules[w.random.IntN(len(modules))].Name()
	switch n := w.random.IntN(100); {
	case n < 50:
		w.tree(filepath.Join(from, module), "dumps/"+module)
	case n < 60: // in two parts
		w.halves(filepath.Join(from, module), "dumps/"+module)
	case n < 70:
		w.removeAll("dumps/" + module)
	case n < 72:
		w.removeAll("dumps")
	case n < 76:
		if err := os.Rename(w.path("dumps"), w.path("aside")); err == nil {
			if err := os.Rename(w.path("aside"), w.path("dumps")); err != nil {
				w.t.Fatal(err)
			}
		}
	case n < 84:
		w.tree(filepath.Join(from, module), "before/"+module)
	case n < 86:
		w.removeAll("before/" + module)
	case n < 92:
		w.edit()
	case n < 95:
		w.rescans.Go(func() {
			if _, err := w.Rescan(w.t.Context()); err != nil {
				w.t.Error(err)
			}
		})
	default:
		w.tree(filepath.Join(from, module), "dumps/deep/down/"+module)
	}
}

func (w *worker) removeAll(rel string) {
	if err := os.RemoveAll(w.path(rel)); err != nil {
		w.t.Fatal(err)
	}
}

// halves writes each file in two parts, the second ones after all first ones.
func (w *worker) halves(from, rel string) {
	texts := map[string][]byte{}
	err := filepath.WalkDir(from, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		texts[filepath.ToSlash(filepath.Join(rel, below))] = text
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	paths := slices.Sorted(maps.Keys(texts)) // the module first, as compilers do
	for _, path := range paths {
		w.write(path, string(texts[path][:len(texts[path])/2]))
	}
	for _, path := range paths {
		w.write(path, string(texts[path]))
	}
}

// edited is a text that means what none did before: only a session that saw it knows
// of a compile of one that is back.
func (w *worker) edited(text string) string {
	w.edits++
	return fmt.Sprintf("%s\nedited = %d\n", text, w.edits)
}

// edit changes, removes or brings back a source.
func (w *worker) edit() {
	const path = "kernels/transpose.py"
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", path))
	if err != nil {
		w.t.Fatal(err)
	}
	switch w.random.IntN(4) {
	case 0:
		w.removeAll(path)
	case 1:
		w.write(path, "# above\n"+w.edited(string(text)))
	default:
		w.write(path, w.edited(string(text)))
	}
}
