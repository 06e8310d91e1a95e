package project

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"isadiff/engine/problem"
	"isadiff/engine/regular"
)

// maxSources bounds the files and folders that are looked at, so that a root
// that is by mistake a whole disk is said and not walked for minutes.
const maxSources = 500_000

// Sources are the source files of a project.
type Sources struct {
	Files  []string // absolute, cleaned, sorted
	Dirs   []string // the folders that were searched, sorted; a new file can appear in each
	Faults []Fault  // folders that could not be read
}

// FindSources lists the project's files that can define kernels below Config.Sources,
// without what git ignores, virtual environments, node_modules and hidden
// folders. Symbolic links to folders are not followed, except where Sources
// names one, so links cannot make a loop. It stops early if ctx is done.
func (c *Config) FindSources(ctx context.Context) (*Sources, error) {
	w := walker{ctx: ctx, config: c, seen: map[string]bool{}, budget: maxSources}
	for _, start := range c.Sources {
		if err := w.start(start); err != nil {
			return nil, err
		}
	}
	slices.Sort(w.found.Files)
	slices.Sort(w.found.Dirs)
	w.found.Files = slices.Compact(w.found.Files)
	w.found.Dirs = slices.Compact(w.found.Dirs)
	return &w.found, nil
}

// IgnoreFiles returns the files outside of Sources that say what git ignores there,
// whether they exist or not.
func (c *Config) IgnoreFiles() (paths []string) {
	for _, start := range c.Sources {
		for _, f := range patternsAbove(start) {
			paths = append(paths, f.path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// IsSource reports whether a file, whether it exists or not, belongs to the
// project's sources, as FindSources would have listed it. The path is absolute.
func (c *Config) IsSource(path string) bool {
	path = filepath.Clean(path)
	if !c.Producers.IsSource(path) {
		return false
	}
	for _, start := range c.Sources {
		rel, err := filepath.Rel(start, path)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		if rel == "." {
			return true
		}
		if ig, ok := walkTo(start, filepath.Dir(rel)); ok && !ig.ignores(path, false) {
			return true
		}
	}
	return false
}

// IsSourceFolder reports whether a folder, whether it exists or not, is one that
// FindSources looks into. The path is absolute.
func (c *Config) IsSourceFolder(dir string) bool {
	dir = filepath.Clean(dir)
	return slices.ContainsFunc(c.Sources, func(start string) bool {
		rel, err := filepath.Rel(start, dir)
		if err != nil || !filepath.IsLocal(rel) {
			return false
		}
		_, ok := walkTo(start, rel)
		return ok
	})
}

// walkTo reports whether a walk from a folder of Sources comes to a folder below, and
// what git ignores there.
func walkTo(start, rel string) (ig *ignore, ok bool) {
	dir := start
	ig = ignoreAbove(start).with(dir, filepath.Join(dir, IgnoreFile))
	if rel == "." {
		return ig, true
	}
	for name := range strings.SplitSeq(rel, string(filepath.Separator)) {
		dir = filepath.Join(dir, name)
		if info, err := os.Lstat(dir); skipFolder(name) || ig.ignores(dir, true) || regular.Exists(filepath.Join(dir, environmentFile)) ||
			err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return nil, false
		}
		ig = ig.with(dir, filepath.Join(dir, IgnoreFile))
	}
	return ig, true
}

// A walker lists source files.
type walker struct {
	ctx    context.Context
	config *Config
	found  Sources
	seen   map[string]bool // folders, so that overlapping starts are walked once
	budget int
}

// start lists one file or folder that Sources names, whatever its name is.
func (w *walker) start(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		w.fault("sources: %s cannot be read: %v; correct the path or remove it", path, problem.Cause(err))
	case info.IsDir():
		return w.folder(path, ignoreAbove(path), true)
	case info.Mode().IsRegular():
		w.found.Files = append(w.found.Files, path)
	}
	return nil
}

// folder lists a folder that is not ignored itself. One that Sources does not
// name is left out if it is a virtual environment.
func (w *walker) folder(dir string, ig *ignore, named bool) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if w.seen[dir] {
		return nil
	}
	w.seen[dir] = true
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.fault("sources: %s cannot be read: %v; its files are missing from the result", dir, problem.Cause(err))
	}
	if !named && holds(entries, environmentFile) {
		return nil
	}
	w.found.Dirs = append(w.found.Dirs, dir)
	if holds(entries, IgnoreFile) {
		ig = ig.with(dir, filepath.Join(dir, IgnoreFile))
	}
	for _, e := range entries {
		if w.budget--; w.budget < 0 {
			if w.budget == -1 {
				w.fault("sources: more than %d files below %s; name the folders with kernels in sources", maxSources, w.config.Root)
			}
			return nil
		}
		name := e.Name()
		path := filepath.Join(dir, name)
		switch {
		case e.IsDir():
			if skipFolder(name) || ig.ignores(path, true) {
				continue
			}
			if err := w.folder(path, ig, false); err != nil {
				return err
			}
		case w.config.Producers.IsSource(name) && !ig.ignores(path, false) && isFile(e, path) && !w.config.leads(e, path):
			w.found.Files = append(w.found.Files, path)
		}
	}
	return nil
}

func (w *walker) fault(format string, args ...any) {
	w.found.Faults = append(w.found.Faults, Fault{
		Origin: w.config.Origins["sources"], Key: "sources", Message: fmt.Sprintf(format, args...),
	})
}

// skipFolder reports whether a folder of this name holds no sources of the
// project: hidden ones such as .venv and .git, and those of package managers.
func skipFolder(name string) bool {
	return name[0] == '.' || name == "node_modules" || name == "__pycache__"
}

// environmentFile makes a folder a virtual environment, whatever its name (PEP
// 405).
const environmentFile = "pyvenv.cfg"

// holds reports whether a folder, read in the order of names, has an entry.
func holds(entries []fs.DirEntry, name string) bool {
	_, ok := slices.BinarySearchFunc(entries, name, func(e fs.DirEntry, name string) int { return strings.Compare(e.Name(), name) })
	return ok
}

// leads reports whether an entry is a link by which a project that is not trusted would
// have files outside of it read.
func (c *Config) leads(e fs.DirEntry, path string) bool {
	return c.confines && e.Type()&fs.ModeSymlink != 0 && !leadsInto(path, c.Root)
}

// isFile reports whether an entry is a regular file or a link to one.
func isFile(e fs.DirEntry, path string) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type().IsRegular()
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
