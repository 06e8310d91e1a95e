package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A root is what the path that was asked for leads to at present, and how that is
// watched.
type root struct {
	place
	next time.Time // when it is looked at again
	// doubt says that it vanished under a scan: whatever is found is another one.
	doubt bool

	guards map[string]bool // watched directories above the root
	signs  map[string]bool // paths of which a notice means: look at the root
}

// A place is what a path leads to.
type place struct {
	kind rootKind
	real string // without symbolic links; "" if missing
	id   id     // of a directory
}

type rootKind uint8

const (
	rootMissing rootKind = iota
	rootDir
	rootFile
)

// locate returns what path leads to, and an error if that is not plain.
func locate(path string) (place, error) {
	var fi os.FileInfo
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		fi, err = os.Lstat(real)
	}
	switch {
	case err != nil && vanished(err):
		return place{}, nil
	case err != nil:
		return place{}, fmt.Errorf("watch %s: %w", path, err)
	case fi.IsDir():
		return place{rootDir, real, identifyDir(real, fi)}, nil
	case fi.Mode().IsRegular():
		return place{kind: rootFile, real: real}, nil
	}
	return place{}, fmt.Errorf("watch %s: neither a directory nor a regular file", path)
}

// locate is that of the root; what is wrong with it is said once.
func (t *tracker) locate() place {
	p, err := locate(t.Root)
	if err != nil {
		t.problem(".", err)
	} else if p.kind != rootDir { // its own problems are under that name, too
		delete(t.problems, ".")
	}
	return p
}

// checkRoot compares what the root leads to with what is watched. Most of what
// can happen to it sends no event: a symbolic link that changes its target, a
// mount, a rename further up. replaced says that it is another one in any case:
// a directory that is made again may get the number of the one removed.
func (t *tracker) checkRoot(now time.Time, replaced bool) {
	t.root.next = now.Add(t.pace.root)
	p := t.locate()
	if p == t.root.place && !replaced && !t.root.doubt {
		t.guardRoot()
		t.lookAtSingle(now)
		return
	}
	if d := t.dirs["."]; d != nil {
		t.unwatch(d)
		if p.kind != t.root.kind {
			t.forgetDir(d, now)
		}
	}
	for g := range t.root.guards {
		t.unguard(g) // what is under that name may be another directory, too
	}
	t.root.place, t.root.doubt = p, false
	t.chooseBackend()
	t.guardRoot()
	t.rescan()
}

// guardRoot watches the directories in which the root, or the nearest of the
// directories on the way to it that exists, would come or go.
func (t *tracker) guardRoot() {
	for again := true; again; {
		again = false
		guards, signs := t.guardsWanted()
		for g := range t.root.guards {
			if !guards[g] {
				t.unguard(g)
			}
		}
		for g := range guards {
			if t.root.guards[g] {
				continue
			}
			switch err := t.back.Add(g); {
			case err == nil:
				// What happened before the watch was there is seen by looking again.
				again = true
			case exhausted(err):
				t.fallBack(err)
				again = true
			default: // the periodic check has to do
			}
		}
		t.root.guards, t.root.signs = guards, signs
		if again {
			t.relocate()
		}
	}
}

// unguard gives up the watch of a directory above the root.
func (t *tracker) unguard(dir string) {
	if rel, in := t.rel(dir); in && t.dirs[rel] != nil {
		return // it is watched as a part of the tree
	}
	if t.root.guards[dir] {
		delete(t.root.guards, dir)
		t.back.Remove(dir)
	}
}

// relocate notes a root that appeared, vanished or changed while its guards were
// put up. What was known of another root is compared with it by the next scan.
func (t *tracker) relocate() {
	if t.locate() != t.root.place {
		t.root.next = time.Time{} // checkRoot does the rest
	}
}

// guardsWanted returns the directories to watch, and the paths in them that count.
func (t *tracker) guardsWanted() (guards, signs map[string]bool) {
	guards, signs = map[string]bool{}, map[string]bool{}
	guard := func(dir, entry string) {
		guards[dir], signs[dir], signs[entry] = true, true, true
	}
	if t.root.kind != rootMissing {
		guard(filepath.Dir(t.root.real), t.root.real)
	}
	// Above the path as it was given, where a symbolic link stands that leads to
	// the root, or the first directory that is missing would be made.
	for path := t.Root; ; path = filepath.Dir(path) {
		parent := filepath.Dir(path)
		if real, err := filepath.EvalSymlinks(parent); err == nil {
			guard(real, filepath.Join(real, filepath.Base(path)))
			return guards, signs
		}
		if parent == path {
			return guards, signs
		}
	}
}

// lookAtSingle looks at a root that is a file.
func (t *tracker) lookAtSingle(now time.Time) {
	if d := t.dirs["."]; d != nil && d.single {
		t.lookAtFiles(d, now)
	}
}
