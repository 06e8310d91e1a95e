package watch

import (
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

var (
	seed  = flag.Uint64("seed", 0, "seed of the torture test; 0: one of the clock")
	turns = flag.Int("turns", 400, "operations of the torture test")
)

// TestTorture does random things to a tree, on and off taking batches, and
// expects that what was told is in the end what is there.
func TestTorture(t *testing.T) {
	s := *seed
	if s == 0 {
		s = uint64(time.Now().UnixNano())
	}
	for name, change := range map[string]func(*Options){
		"events": func(*Options) {},
		"polling": func(o *Options) {
			o.Poll = true
			o.pace.pollMin, o.pace.pollMax = 20*time.Millisecond, 100*time.Millisecond
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			t.Logf("go test -run 'TestTorture/%s' -seed %d -turns %d", name, s, *turns)
			top := t.TempDir()
			v := vandal{t, rand.New(rand.NewPCG(s, s)), top, filepath.Join(top, "a", "dumps"), 0}
			// A short limit, so that files that are left cut are told.
			r := begun(t, v.root, change, func(o *Options) {
				o.Hold = 300 * time.Millisecond
				o.pace.root = 100 * time.Millisecond
			})
			for turn := range *turns {
				v.turn()
				select {
				case b := <-r.w.Batches():
					r.apply(b)
				default:
				}
				if (turn+1)%50 == 0 {
					v.write(filepath.Join(v.root, "k1", "k1", "00_origin.mlir"), fmt.Sprint("module ", turn)) // never an empty tree
					r.until(v.there())
					r.nothingElse()
					r.until(v.there())
				}
			}
		})
	}
}

// A vandal does random things to a tree.
type vandal struct {
	t      *testing.T
	rand   *rand.Rand
	top    string // everything is below it
	root   string // what is watched
	number int
}

func (v *vandal) turn() {
	v.number++
	text := isa(fmt.Sprint("turn ", v.number))
	switch dir := v.dir(); v.rand.IntN(24) {
	case 0, 1, 2, 3, 4, 5, 6: // a compile
		v.write(filepath.Join(dir, "00_origin.mlir"), fmt.Sprint("module ", v.number))
		v.write(filepath.Join(dir, isaName), text)
	case 7, 8: // the same text again and again
		v.write(filepath.Join(dir, isaName), isa("same"))
	case 9: // cut
		v.write(filepath.Join(dir, isaName), text[:v.rand.IntN(len(text)-len(isaEnd))])
	case 10: // in pieces
		v.write(filepath.Join(dir, isaName), text[:10])
		v.append(filepath.Join(dir, isaName), text[10:])
	case 11, 12: // renamed into place
		v.write(filepath.Join(dir, ".tmp"), text)
		v.rename(filepath.Join(dir, ".tmp"), filepath.Join(dir, isaName))
	case 13:
		v.remove(filepath.Join(dir, isaName))
	case 14, 15:
		v.remove(dir)
	case 16, 17:
		v.rename(dir, v.dir())
	case 18: // a tree moved in
		out := filepath.Join(v.top, fmt.Sprint("out", v.number))
		v.write(filepath.Join(out, "x", "y", isaName), text)
		v.rename(out, v.dir())
	case 19:
		v.rename(dir, filepath.Join(v.top, fmt.Sprint("gone", v.number)))
	case 20: // the root, by its name or further up
		switch v.rand.IntN(5) {
		case 0:
			v.remove(v.root)
		case 1:
			v.rename(v.root, filepath.Join(v.top, "kept"))
		case 2:
			v.rename(filepath.Join(v.top, "kept"), v.root)
		case 3:
			v.rename(filepath.Dir(v.root), filepath.Join(v.top, fmt.Sprint("up", v.number)))
		case 4:
			if runtime.GOOS != "windows" {
				v.remove(v.root)
				v.write(filepath.Join(v.top, "target", "k0", isaName), text)
				if os.MkdirAll(filepath.Dir(v.root), 0o755) == nil {
					_ = os.Symlink(filepath.Join(v.top, "target"), v.root) // fails if it is there
				}
			}
		}
	case 21: // a file where a directory was
		v.remove(dir)
		v.write(dir, text)
	case 22:
		v.touch(filepath.Join(dir, isaName))
	case 23: // a storm
		for i := range 30 {
			v.write(filepath.Join(dir, fmt.Sprint("s", i%7), isaName), fmt.Sprint(text, i, isaEnd))
		}
	}
}

// dir returns a directory in the tree, which need not exist.
func (v *vandal) dir() string {
	path := v.root
	for range 1 + v.rand.IntN(3) {
		path = filepath.Join(path, fmt.Sprint("k", v.rand.IntN(4)))
	}
	return path
}

// What cannot be done, because something else is in the way, is left undone.

func (v *vandal) write(path, text string) {
	if os.MkdirAll(filepath.Dir(path), 0o755) == nil {
		_ = os.WriteFile(path, []byte(text), 0o644)
	}
}

func (v *vandal) append(path, text string) {
	if f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0); err == nil {
		_, _ = f.WriteString(text)
		_ = f.Close()
	}
}

func (v *vandal) rename(from, to string) {
	if os.MkdirAll(filepath.Dir(to), 0o755) == nil {
		_ = os.Rename(from, to)
	}
}

func (v *vandal) remove(path string) { _ = os.RemoveAll(path) }

func (v *vandal) touch(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now)
}

// there returns what a fresh look finds.
func (v *vandal) there() map[string]string {
	v.t.Helper()
	found := map[string]string{}
	root, err := filepath.EvalSymlinks(v.root)
	if err != nil {
		return found
	}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || Dumps(nil).match(d.Name()) == nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		content := string(text)
		if d.Name() == isaName && !strings.Contains(content, isaEnd) {
			content = "cut: " + content
		}
		found[filepath.ToSlash(rel)] = content
		return err
	})
	if err != nil {
		v.t.Fatal(err)
	}
	return found
}
