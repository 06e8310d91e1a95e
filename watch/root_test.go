package watch

import (
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRoot follows one root through states, telling each before the next begins.
func TestRoot(t *testing.T) {
	type files = map[string]string
	one := func(t *testing.T, dir, content string) {
		write(t, filepath.Join(mkdir(t, filepath.Join(dir, "k")), isaName), isa(content))
	}
	k := func(content string) files { return files{"k/" + isaName: isa(content)} }

	t.Run("does not exist yet", func(t *testing.T) {
		t.Parallel()
		root := filepath.Join(t.TempDir(), "a", "b", "dumps")
		r := begun(t, root)
		if r.state != RootMissing {
			t.Fatalf("state %v", r.state)
		}
		one(t, root, "first")
		r.until(k("first"))
		one(t, root, "second")
		r.until(k("second"))
	})
	t.Run("removed and made again", func(t *testing.T) {
		t.Parallel()
		root := filepath.Join(t.TempDir(), "a", "dumps")
		one(t, root, "first")
		r := begun(t, root)
		for range 3 {
			one(t, root, "x")
			r.until(k("x"))
			remove(t, root)
			r.until(files{})
			if r.state != RootMissing || !r.last.Rescan {
				t.Fatalf("after its removal: %+v", r.last)
			}
		}
		remove(t, filepath.Dir(root)) // now the guard itself goes
		one(t, root, "y")
		r.until(k("y"))
	})
	t.Run("a parent renamed and back", func(t *testing.T) {
		t.Parallel()
		top := t.TempDir()
		root := filepath.Join(top, "a", "b", "c", "dumps")
		one(t, root, "first")
		r := begun(t, root)
		rename(t, filepath.Join(top, "a"), filepath.Join(top, "z")) // sends nothing: two levels above what is watched
		r.until(files{})
		one(t, filepath.Join(top, "z", "b", "c", "dumps"), "second")
		rename(t, filepath.Join(top, "z"), filepath.Join(top, "a"))
		r.until(k("second"))
	})
	t.Run("a symbolic link retargeted", func(t *testing.T) {
		t.Parallel()
		top := t.TempDir()
		one(t, filepath.Join(top, "one"), "one")
		one(t, filepath.Join(top, "two"), "two")
		root := filepath.Join(top, "dumps")
		symlink(t, "one", root)
		r := begun(t, root)
		r.until(k("one"))
		symlink(t, "two", root+".new")
		rename(t, root+".new", root)
		r.until(k("two"))
		one(t, filepath.Join(top, "one"), "nobody looks")
		one(t, filepath.Join(top, "two"), "two again")
		r.until(k("two again"))
		remove(t, root)
		r.until(files{})
		symlink(t, "nowhere", root)
		symlink(t, filepath.Join(top, "one"), root+".new")
		rename(t, root+".new", root)
		r.until(k("nobody looks"))
		one(t, root, "through the link")
		r.until(k("through the link"))
		r.nothingElse()
	})
	t.Run("a symbolic link further up retargeted", func(t *testing.T) {
		t.Parallel()
		top := t.TempDir()
		one(t, filepath.Join(top, "one", "x", "dumps"), "one")
		one(t, filepath.Join(top, "two", "x", "dumps"), "two")
		symlink(t, "one", filepath.Join(top, "link"))
		r := begun(t, filepath.Join(top, "link", "x", "dumps"))
		r.until(k("one"))
		symlink(t, "two", filepath.Join(top, "new"))
		rename(t, filepath.Join(top, "new"), filepath.Join(top, "link"))
		r.until(k("two"))
		one(t, filepath.Join(top, "two", "x", "dumps"), "two again")
		r.until(k("two again"))
	})
	t.Run("becomes a file and a directory again", func(t *testing.T) {
		t.Parallel()
		root := filepath.Join(t.TempDir(), "baseline")
		one(t, root, "dir")
		r := begun(t, root)
		remove(t, root)
		write(t, root, "{}")
		r.until(files{".": "{}"})
		remove(t, root)
		one(t, root, "dir again")
		r.until(k("dir again"))
	})
	t.Run("is the same directory under a new number", func(t *testing.T) {
		t.Parallel()
		root := filepath.Join(t.TempDir(), "dumps")
		one(t, root, "first")
		r := begun(t, root)
		rename(t, root, root+".old")
		one(t, root, "first") // the same content
		for !r.last.Rescan || len(r.log) == 1 {
			r.next()
		}
		if len(r.last.Settled)+len(r.last.Removed) > 0 {
			t.Errorf("the same content is told as new: %+v", r.last)
		}
		one(t, root, "second")
		r.until(k("second"))
	})
}

// TestSingleFile watches a baseline, as writers replace it.
func TestSingleFile(t *testing.T) {
	tests := []struct {
		name   string
		before string // "": no file
		change func(t *testing.T, path string)
		after  string
	}{
		{"made", "", func(t *testing.T, path string) { write(t, path, "new") }, "new"},
		{"written in place", "old", func(t *testing.T, path string) { write(t, path, "new") }, "new"},
		{"replaced by rename", "old", func(t *testing.T, path string) {
			write(t, path+".tmp", "new")
			rename(t, path+".tmp", path)
		}, "new"},
		{"deleted", "old", remove1, ""},
		{"deleted and made again", "old", func(t *testing.T, path string) {
			remove1(t, path)
			write(t, path, "new")
		}, "new"},
		{"its directory deleted and made again", "old", func(t *testing.T, path string) {
			remove1(t, filepath.Dir(path))
			write(t, filepath.Join(mkdir(t, filepath.Dir(path)), filepath.Base(path)), "new")
		}, "new"},
		{"a link to another file", "old", func(t *testing.T, path string) {
			other := filepath.Join(t.TempDir(), "other")
			write(t, other, "new")
			symlink(t, other, path+".tmp")
			rename(t, path+".tmp", path)
		}, "new"},
		{"others beside it", "old", func(t *testing.T, path string) {
			write(t, path+".bak", "no")
			write(t, filepath.Join(filepath.Dir(path), "a.json"), "no")
			write(t, path, "new")
		}, "new"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), ".isadiff", "baseline.json")
			state := func(content string) map[string]string {
				if content == "" {
					return map[string]string{}
				}
				return map[string]string{".": content}
			}
			mkdir(t, filepath.Dir(path))
			if tt.before != "" {
				write(t, path, tt.before)
			}
			r := begun(t, path, func(o *Options) { o.Interest = Interest{} })
			r.until(state(tt.before))
			tt.change(t, path)
			r.until(state(tt.after))
			write(t, path, "later")
			r.until(state("later"))
			r.nothingElse()
		})
	}
}

func remove1(t *testing.T, path string) { remove(t, path) }

func TestPython(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(mkdir(t, filepath.Join(root, "kernels")), "softmax.py"), "a")
	for _, skipped := range []string{".venv/lib", "node_modules/x", "kernels/__pycache__"} {
		write(t, filepath.Join(mkdir(t, filepath.Join(root, skipped)), "no.py"), "no")
	}
	r := begun(t, root, func(o *Options) { o.Interest = Sources(nil) })
	want := map[string]string{"kernels/softmax.py": "a"}
	r.until(want)
	write(t, filepath.Join(root, "kernels", "__init__.py"), "") // empty is complete
	write(t, filepath.Join(mkdir(t, filepath.Join(root, ".git", "x")), "no.py"), "no")
	maps.Copy(want, map[string]string{"kernels/__init__.py": ""})
	r.until(want)
	write(t, filepath.Join(root, "kernels", "softmax.py~"), "b") // as editors save
	rename(t, filepath.Join(root, "kernels", "softmax.py~"), filepath.Join(root, "kernels", "softmax.py"))
	want["kernels/softmax.py"] = "b"
	r.until(want)
	if err := os.Truncate(filepath.Join(root, "kernels", "softmax.py"), 0); err != nil {
		t.Fatal(err)
	}
	want["kernels/softmax.py"] = ""
	r.until(want)
	r.nothingElse()
}

// A root that cannot be looked at is missing, and the reason is said once.
func TestRootUnusable(t *testing.T) {
	tests := []struct {
		name, want string
		make       func(t *testing.T, root string)
	}{
		{"a loop of links", "too many links", func(t *testing.T, root string) { symlink(t, root, root) }},
		{"a socket", "neither a directory nor a regular file", func(t *testing.T, root string) {
			l, err := net.Listen("unix", root)
			if err != nil {
				t.Skip("no socket can be made here: ", err)
			}
			t.Cleanup(func() { l.Close() })
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "d")
			tt.make(t, root)
			d := driven(t, root).begun()
			remove(t, root)
			tt.make(t, root)
			d.advance(time.Minute)
			d.none()
			remove(t, root)
			write(t, root, "x")
			d.advance(time.Minute)
			if s := d.settled(); d.content(s) != "x" {
				t.Errorf("got %+v", s)
			}
		})
		t.Run(tt.name+", said", func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "d")
			tt.make(t, root)
			d := driven(t, root)
			d.advance(time.Minute)
			if b := d.one(); b.Root != RootMissing || len(b.Problems) != 1 || !strings.Contains(b.Problems[0].Error(), tt.want) {
				t.Errorf("got %+v", b)
			}
		})
	}
}
