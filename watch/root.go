package watch

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"isadiff/engine/regular"
)

// A root is what the path that was asked for leads to at present, and how that is
// watched.
type root struct {
	place
	next time.Time // when it is looked at again
	// doubt says that it vanished under a scan: whatever is found is another one.
	doubt bool
	file  regular.Stamp // of a root that is a file when it was looked at last

	guards map[string]regular.ID // watched directories above the root, and what they are
	signs  map[string]bool       // paths of which a notice means: look at the root
}

// A place is what a path leads to.
type place struct {
	kind rootKind
	real string     // without symbolic links; "" if missing
	id   regular.ID // of a directory
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
		return place{rootDir, real, regular.IdentifyDir(real, fi)}, nil
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

// lookAtRoot is done every two seconds, for most of what can happen to a root sends
// no event: a symbolic link that changes its target, a mount, a rename further up.
// As a rule it shows that nothing has, by a few system calls. What it cannot show
// is which directories one would watch now to learn of the root's fate at once;
// that is found out with each sweep.
func (t *tracker) lookAtRoot(now time.Time, thorough bool) {
	thorough = thorough || t.root.doubt || t.root.next.IsZero() || !now.Before(t.nextSweep)
	if thorough || !t.rootStands() {
		t.checkRoot(now, false)
		return
	}
	t.root.next = t.tick(now)
}

// rootStands reports whether the root, what it leads to and the directories that
// are watched above it certainly are what they were.
func (t *tracker) rootStands() bool {
	if !t.rootIs(t.Root) || t.root.kind != rootMissing && t.root.real != t.Root && !t.rootIs(t.root.real) {
		return false
	}
	for dir, known := range t.root.guards {
		if st, _, err := t.look(dir, ".", true); err != nil || st.ID != known {
			return false
		}
	}
	return true
}

// rootIs reports whether a path leads to the root that is known, which was not
// written to if it is a file.
func (t *tracker) rootIs(path string) bool {
	st, kind, err := t.look(path, ".", true)
	switch t.root.kind {
	case rootDir:
		return err == nil && kind == fs.ModeDir && st.ID == t.root.id
	case rootFile:
		return err == nil && kind == 0 && st == t.root.file
	default:
		return err != nil && vanished(err)
	}
}

// checkRoot compares what the root leads to with what is watched. replaced says that it is another one in any case:
// a directory that is made again may get the number of the one removed.
func (t *tracker) checkRoot(now time.Time, replaced bool) {
	t.root.next = t.tick(now)
	t.root.file, _, _ = t.look(t.Root, ".", true)
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
		t.back.Heed(func(path string) bool { return signs[path] || t.Interest.match(filepath.Base(path)) != nil })
		for g, known := range t.root.guards {
			if is, wanted := guards[g]; !wanted || is != known {
				t.unguard(g)
			}
		}
		for g := range guards {
			if _, guarded := t.root.guards[g]; guarded {
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
	if _, guarded := t.root.guards[dir]; guarded {
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
func (t *tracker) guardsWanted() (guards map[string]regular.ID, signs map[string]bool) {
	guards, signs = map[string]regular.ID{}, map[string]bool{}
	guard := func(dir, entry string) {
		st, _, _ := t.look(dir, ".", true)
		guards[dir], signs[dir], signs[entry] = st.ID, true, true
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
