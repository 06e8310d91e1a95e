package live

import (
	"context"
	"flag"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"isadiff/engine/dump"
	"isadiff/engine/regular"
)

var reloads = flag.Int("reloads", 60, "rounds of the test of reloading")

// TestReload changes files and tells the session of some of it, with times that
// say less than the whole truth. To reload must lead to where one that starts then
// is, whatever stood there before.
func TestReload(t *testing.T) {
	rounds := *reloads
	if testing.Short() {
		rounds = min(rounds, 20)
	}
	for _, tt := range []struct{ name, baseline string }{
		{"a snapshot", ".isadiff/baseline.json"},
		{"a tree or a snapshot", "before.json"},
		{"a tree", "before"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := prepare(t, base)
			// Directories and links that the test makes have the machine's time. Were that
			// after the session's clock, what a session says of them would depend on when it
			// found them.
			r.clock.set(later(r.clock.Now(), time.Now().Add(time.Hour)))
			r.write("isadiff.toml", "dumps = \"dumps\"\nsources = [\"kernels\"]\nbaseline = \""+tt.baseline+"\"\n")
			r.open()
			m := &meddler{soak: &soak{rig: r, random: rand.New(rand.NewPCG(*soakSeed, 1))}, baseline: tt.baseline}
			m.collect()
			m.others()
			watched := m.witness()
			if tt.baseline != "before" {
				if _, err := m.SnapshotBaseline(t.Context(), true); err != nil {
					t.Fatal(err)
				}
			}
			for round := range rounds {
				for range 1 + m.random.IntN(6) {
					m.meddle()
				}
				m.reload(round)
			}
			m.Close()
			<-watched
		})
	}
}

// A meddler writes into a project with all that can be done to files.
type meddler struct {
	*soak
	baseline string
	told     Batch             // of the baseline, not told yet
	foreign  map[string][]byte // files of other compilers' dumps, by relative path
}

// others finds the dumps of Triton and HIP.
func (m *meddler) others() {
	m.foreign = map[string][]byte{}
	for _, tree := range []string{"triton/before", "triton/after", "hip/before", "hip/after"} {
		root := filepath.Join("..", "..", "testdata", filepath.FromSlash(tree))
		for _, f := range everything(m.t, root).Settled {
			text, err := os.ReadFile(f.Path)
			if err != nil {
				m.t.Fatal(err)
			}
			rel, err := filepath.Rel(filepath.Dir(root), f.Path)
			if err != nil {
				m.t.Fatal(err)
			}
			m.foreign[filepath.ToSlash(rel)] = text
		}
	}
}

// reload reloads, before or after the compiles under way are over, and compares.
func (m *meddler) reload(round int) {
	m.t.Helper()
	for path := range m.sources {
		m.ClearOverlay(path)
	}
	late := m.random.IntN(2) == 0
	if late {
		m.clock.set(m.clock.Now().Add(time.Hour))
	}
	if _, err := m.Reload(m.t.Context()); err != nil {
		m.t.Fatal(err)
	}
	if !late {
		m.clock.set(m.clock.Now().Add(time.Hour))
	}
	m.forget()
	lived := m.sync()
	m.afresh(round, lived)
	if again, err := m.Reload(m.t.Context()); err != nil || again != lived {
		m.t.Errorf("round %d: reloading again made State %d of %d: %v", round, again.Seq, lived.Seq, err)
	}
}

// meddle does one thing, and tells of it or not.
func (m *meddler) meddle() {
	m.clock.set(m.clock.Now().Add(time.Duration(3+m.random.IntN(20)) * time.Second))
	tell := m.random.IntN(2) == 0
	if m.random.IntN(8) == 0 {
		m.edit()
		return
	}
	root, change := "dumps", &m.batch
	if m.random.IntN(3) == 0 {
		root, change = m.baseline, &m.told
	}
	names := m.change(root)
	if !tell {
		return
	}
	for _, name := range names {
		path := m.path(name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			change.Settled = append(change.Settled, file(m.t, path))
		} else if err != nil {
			change.Removed = append(change.Removed, path)
		}
	}
	if m.random.IntN(2) == 0 {
		return
	}
	m.tell()
	_, err := os.Stat(m.path(m.baseline))
	m.told.Missing = err != nil
	m.BaselineChanged(m.told)
	m.told = Batch{}
	m.sync()
}

// change changes something below a root and returns which files.
func (m *meddler) change(root string) (changed []string) {
	k := m.kind()
	dir := root + "/" + k.dir
	isa, origin := dir+"/22_final_isa.s", dir+"/00_origin.mlir"
	switch n := m.random.IntN(31); {
	case n < 6: // a compile
		if k.origin != nil {
			changed = append(changed, m.put(origin, k.origin))
		}
		return append(changed, m.put(isa, k.isa))
	case n < 8: // another assembly, beside what was there
		return []string{m.put(isa, m.kind().isa)}
	case n < 10: // another module
		if origin := m.kind().origin; origin != nil {
			changed = append(changed, m.put(dir+"/00_origin.mlir", origin))
		}
		return changed
	case n < 11: // the same module of another text
		return []string{m.put(origin, append(slices.Clone(k.origin), '\n'))}
	case n < 13: // cut short
		return []string{m.put(isa, k.isa[:m.random.IntN(len(k.isa))])}
	case n < 14:
		return []string{m.put(dir+"/2"+string('1'+rune(m.random.IntN(3)))+"_final_isa.s", k.isa)}
	case n < 15: // behind a link, whose name stays as it is
		if err := os.MkdirAll(m.path(dir), 0o777); err != nil {
			return nil
		}
		os.Remove(m.path(isa))
		to := "elsewhere/" + string('a'+rune(m.random.IntN(3))) + ".s"
		m.put(to, k.isa)
		if err := os.Symlink(m.path(to), m.path(isa)); err != nil {
			return nil
		}
		return []string{isa}
	case n < 16:
		m.put("elsewhere/"+string('a'+rune(m.random.IntN(3)))+".s", k.isa)
		return nil
	case n < 17:
		return []string{m.put(dir+"/.isadiff-incomplete", []byte("a test"))}
	case n < 18: // a file where a directory was
		return m.instead(dir, k.isa)
	case n < 19: // a directory where a file was
		m.takeAll(isa)
		return append(m.gone(isa), m.put(isa+"/22_final_isa.s", k.isa))
	case n < 20:
		return m.instead(isa, nil)
	case n < 22:
		gone := []string{isa, origin, dir, filepath.ToSlash(filepath.Dir(dir))}[m.random.IntN(4)]
		return m.instead(gone, nil)
	case n < 23 && root == "before.json":
		if m.random.IntN(2) == 0 {
			return m.instead(root, nil)
		}
		if text, err := os.ReadFile(m.path(root)); err == nil {
			m.put("elsewhere/snapshot", text)
		}
		text, err := os.ReadFile(m.path("elsewhere/snapshot"))
		if err != nil {
			return nil
		}
		return m.instead(root, text)
	case n < 23:
		return m.instead(root, nil)
	case n < 29: // some files of another compiler
		names := slices.Sorted(maps.Keys(m.foreign))
		at := m.random.IntN(len(names))
		for _, name := range names[at:min(len(names), at+1+m.random.IntN(4))] {
			rel := root + "/" + name
			if m.random.IntN(4) == 0 {
				changed = append(changed, m.instead(rel, nil)...)
			} else {
				changed = append(changed, m.put(rel, m.foreign[name]))
			}
		}
		return changed
	default: // another time alone
		rel := []string{isa, origin}[m.random.IntN(2)]
		if text, err := os.ReadFile(m.path(rel)); err == nil {
			return []string{m.put(rel, text)}
		}
		return nil
	}
}

// put writes a file, if nothing is in its way, with one of several times.
func (m *meddler) put(rel string, text []byte) string {
	path := m.path(rel)
	at := m.clock.Now()
	if m.random.IntN(2) == 0 {
		if info, err := os.Stat(path); err == nil {
			at = info.ModTime()
		} else {
			at = noon
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return rel
	}
	if err := os.WriteFile(path, text, 0o666); err == nil {
		m.touch(rel, at)
	}
	return rel
}

// gone returns the files at or below a path.
func (m *meddler) gone(rel string) (names []string) {
	for _, f := range everything(m.t, m.path(rel)).Settled {
		below, err := filepath.Rel(m.root, f.Path)
		if err != nil {
			m.t.Fatal(err)
		}
		names = append(names, filepath.ToSlash(below))
	}
	return names
}

func (m *meddler) takeAll(rel string) {
	if err := os.RemoveAll(m.path(rel)); err != nil && !strings.Contains(err.Error(), "not a directory") {
		m.t.Fatal(err)
	}
}

// instead removes what stands at a path and puts a file there, if text is not nil.
func (m *meddler) instead(rel string, text []byte) []string {
	changed := append(m.gone(rel), rel)
	m.takeAll(rel)
	if text != nil {
		m.put(rel, text)
	}
	return changed
}

// TestReloadWhileDirectoriesGo: nothing is left of a directory that came and went
// while everything was read again, of which no Change tells.
func TestReloadWhileDirectoriesGo(t *testing.T) {
	r := newRig(t, base, base)
	for range 60 {
		stop, done := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			for {
				for _, of := range []func(string) error{func(dir string) error { return os.Mkdir(dir, 0o777) }, os.Remove} {
					for _, name := range []string{"a", "b", "c"} {
						if err := of(r.path("dumps/" + name)); err != nil {
							t.Error(err)
							return
						}
					}
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		}()
		if _, err := r.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		close(stop)
		<-done
		if s := r.sync(); s.Verdict.String() != "OK" {
			t.Fatalf("%v: %v", s.Verdict, s.Problems)
		}
	}
}

// What did not change by its stamp is not read again, unless that is asked for.
func TestReadAgain(t *testing.T) {
	r := newRig(t, base, base)
	r.sync()
	long := time.Now().Add(-time.Hour)
	var paths []string
	err := filepath.WalkDir(r.path("dumps"), func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	load := func(reload func(context.Context) (*State, error)) map[string]*dump.Folder {
		t.Helper()
		if _, err := reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		folders, err := ask(t.Context(), r.Session, func(o *owner) (map[string]*dump.Folder, error) {
			folders := map[string]*dump.Folder{}
			for dir, d := range o.dumps.dirs {
				folders[dir] = d.read
			}
			return folders, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return folders
	}
	for stamp, err := regular.Stat(paths[0]); !stamp.Final(); stamp, err = regular.Stat(paths[0]) {
		if err != nil || stamp.Changed.IsZero() {
			t.Skip("files have no stamps here")
		}
		runtime.Gosched()
	}
	first := load(r.Reload) // the times are others
	second, third := load(r.Reload), load(r.ReadAgain)
	if len(first) == 0 {
		t.Error("no folders")
	}
	for dir, folder := range first {
		if second[dir] != folder {
			t.Errorf("%s was read again", dir)
		}
		if third[dir] == folder {
			t.Errorf("%s was not read again", dir)
		}
	}
}
