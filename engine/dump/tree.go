package dump

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// Read reads a dump tree. It always returns a side, whose problems say what could
// not be read. If ctx ends early, the side says so.
func Read(ctx context.Context, root string, opt Options) *resource.Side {
	folders, p := ReadFolders(ctx, root, opt)
	if p != nil {
		return Refuse(root, *p)
	}
	side := Assemble(root, folders)
	if p, ok := MarkAbove(root); ok {
		side.Problems = append(side.Problems, p)
		slices.SortFunc(side.Problems, problem.Compare)
	}
	return side
}

// ReadFolders reads every directory of a dump tree, in no particular order. The
// problem says why the tree could not be read.
func ReadFolders(ctx context.Context, root string, opt Options) ([]*Folder, *problem.Problem) {
	info, err := os.Stat(root)
	var p problem.Problem
	switch {
	case errors.Is(err, fs.ErrNotExist):
		p = problem.New(problem.InputNotFound, "%s does not exist", resource.ValidText(root))
	case err != nil:
		p = unreadable(root, err)
	case !info.IsDir():
		p = problem.New(problem.InputKind, "%s is neither a directory nor a .json snapshot", resource.ValidText(root))
	default:
		return readFolders(ctx, root, opt), nil
	}
	return nil, &p
}

func readFolders(ctx context.Context, root string, opt Options) []*Folder {
	w := walk{ctx: ctx, root: root, opt: opt}
	w.ready.L = &w.mu
	w.queue = []branch{{made: manifestAbove(filepath.Join(root, ".."))}}
	w.pending = 1
	var workers sync.WaitGroup
	for range cmp.Or(opt.Workers, runtime.GOMAXPROCS(0)) {
		workers.Go(w.work)
	}
	workers.Wait()
	if err := ctx.Err(); err != nil {
		w.folders = append(w.folders, &Folder{Problems: []problem.Problem{problem.New(problem.InputUnstable, "%s was not read to its end: interrupted", resource.ValidText(root))}})
	}
	return w.folders
}

// Refuse makes the side of a tree that could not be read at all.
func Refuse(root string, p problem.Problem) *resource.Side {
	return &resource.Side{Origin: root, Problems: []problem.Problem{p.In(resource.ValidText(root))}}
}

// A walk goes over a tree with several workers. The queue holds directories that
// are still to be read; pending counts those that are queued or being read.
type walk struct {
	ctx  context.Context
	root string
	opt  Options

	large sync.Mutex // see reader

	mu      sync.Mutex
	ready   sync.Cond
	queue   []branch
	pending int
	folders []*Folder
}

// A branch is a directory of the tree, with the manifest of the capture that it is
// a part of; nil if it is of none.
type branch struct {
	dir  string
	made *Manifest
}

func (w *walk) work() {
	r := reader{large: &w.large}
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.queue) == 0 && w.pending > 0 {
			w.ready.Wait()
		}
		if len(w.queue) == 0 {
			return
		}
		at := w.queue[len(w.queue)-1]
		w.queue = w.queue[:len(w.queue)-1]
		w.mu.Unlock()
		runtime.Gosched() // a server has requests to answer meanwhile
		folder, below := w.visit(&r, at)
		w.mu.Lock()
		if folder != nil {
			w.folders = append(w.folders, folder)
		}
		w.queue = append(w.queue, below...)
		w.pending += len(below) - 1
		if w.pending == 0 || len(below) > 0 {
			w.ready.Broadcast()
		}
	}
}

// visit reads one directory and returns the directories in it.
func (w *walk) visit(r *reader, at branch) (f *Folder, below []branch) {
	dir := at.dir
	defer func() {
		if crash := recover(); crash != nil { // in a worker, where nobody else would
			r.release()
			name := resource.ValidText(cmp.Or(dir, w.root))
			f, below = &Folder{Dir: dir, Problems: []problem.Problem{problem.Crashed(name, crash).In(name)}}, nil
		}
	}()
	if w.ctx.Err() != nil {
		return nil, nil
	}
	full := filepath.Join(w.root, filepath.FromSlash(dir))
	entries, err := os.ReadDir(full)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && dir != "" {
			return &Folder{Dir: dir, Problems: []problem.Problem{problem.New(problem.InputUnstable, "%s vanished while the tree was read", resource.ValidText(dir)).In(resource.ValidText(dir))}}, nil
		}
		return unreadableFolder(w.root, dir, err), nil
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ManifestName }) {
		at.made = cmp.Or(ReadManifest(full), at.made)
	}
	for _, e := range entries {
		if e.IsDir() {
			below = append(below, branch{path.Join(dir, e.Name()), at.made})
		}
	}
	return r.folder(w.ctx, w.root, dir, entries, at.made, w.opt), below
}

// Assemble makes a side of the folders of a tree.
func Assemble(root string, folders []*Folder) *resource.Side {
	slices.SortFunc(folders, func(a, b *Folder) int { return cmp.Compare(a.Dir, b.Dir) })
	s := &resource.Side{Origin: root}
	files, kernels, objects := 0, 0, 0
	for _, f := range folders {
		objects += f.objects
		files += min(len(f.Stages)+len(f.Files)+f.objects, 1)
		kernels += len(f.Records) + len(f.Objects)
	}
	s.Records = make([]*resource.Record, 0, kernels)
	for _, f := range folders {
		s.Records = append(s.Records, f.Records...)
		s.Problems = append(s.Problems, f.Problems...)
		s.Warnings = append(s.Warnings, f.Warnings...)
	}
	s.Records = hold(folders, s.Records)
	byKey := func(a, b *resource.Record) int { return strings.Compare(a.Key, b.Key) }
	if !slices.IsSortedFunc(s.Records, byKey) { // as they mostly are, and this is for each State of a session
		slices.SortStableFunc(s.Records, byKey)
	}
	s.Records = distinct(s, &contest{folders: folders})
	name := resource.ValidText(root)
	switch {
	case files == 0 && len(s.Problems) == 0:
		sayUnnamed(s, folders, name, true)
	case files > 0 && kernels == 0 && len(s.Problems) == 0:
		p := problem.New(problem.NoKernels, "no kernel was found in %s", name).In(name)
		if objects > 0 {
			p = p.Mended("give the file that was linked for the GPU: an object that holds bitcode, or code for the host alone, has no kernels yet")
		}
		s.Problems = append(s.Problems, p)
	}
	if files > 0 {
		sayUnnamed(s, folders, name, false)
	}
	slices.SortFunc(s.Problems, problem.Compare)
	return s
}

// distinct drops records with a key that another one has, and says so.
func distinct(s *resource.Side, c *contest) []*resource.Record {
	kept := s.Records[:0]
	for _, r := range s.Records {
		if n := len(kept); n > 0 && kept[n-1].Key == r.Key {
			first := kept[n-1]
			if second, decided := c.newer(first, r); second {
				kept[n-1] = r
			} else if !decided {
				s.Problems = append(s.Problems, problem.New(problem.KeyDuplicate, "%s and %s both make the key %s; the first is shown", first.Source, r.Source, r.Key).In(r.Source).Of(r.Key))
			}
			continue
		}
		kept = append(kept, r)
	}
	if len(c.losers) > 0 {
		c.say(s, kept)
	}
	return kept
}
