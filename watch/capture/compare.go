package capture

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"isadiff/engine/dump"
	"isadiff/engine/problem"
	"isadiff/engine/producer"
	"isadiff/engine/project"
	"isadiff/engine/regular"
)

// CompareOptions say what to compare.
type CompareOptions struct {
	Revision      string          // the base: a commit, branch or tag
	Command       project.Command // compiles the kernels on both sides
	Dir           string          // where it runs, in the git work tree; the current folder
	Archs         []string
	AllowFailures bool               // see Options
	Quiet         bool               // see Options
	Out           string             // keeps both sides there, as before and after; "" keeps none
	Producer      *producer.Producer // see Options
	Cache         string             // where base sides are kept; the user's cache folder
	NoCache       bool               // capture the base side in any case
	Env           []string           // os.Environ() if nil
	Stdout        io.Writer
	Stderr        io.Writer
	Progress      func(side string, p Progress)
	Base          func(Revision) // called when the base is known, before anything runs
}

// A Comparison is what Compare captured. Close removes what is temporary.
type Comparison struct {
	Base          Revision
	Cached        bool   // the before side was captured by an earlier run
	Before, After string // dump directories; Before is "" if After is not whole
	Problems      []problem.Problem
	Warnings      []string

	temporary *scratch
}

// Close removes the sides, unless CompareOptions.Out names their place.
func (c *Comparison) Close() {
	if c.temporary != nil {
		c.temporary.remove()
	}
}

// Compare captures the working tree and a revision with the same command. The
// revision's sources are checked out into a temporary worktree, which is gone
// when Compare returns.
//
// The after side is captured first: it tells which compiler the command uses, and
// with that the before side may be one that an earlier run captured.
func Compare(ctx context.Context, o CompareOptions) (*Comparison, error) {
	repository, err := openRepository(ctx, cmp.Or(o.Dir, "."))
	if err != nil {
		return nil, err
	}
	base, err := repository.revision(ctx, o.Revision)
	if err != nil {
		return nil, err
	}
	if o.Base != nil {
		o.Base(base)
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	o.Env = withoutGit(o.Env)
	c := &Comparison{Base: base}
	place := o.Out
	if place == "" {
		if c.temporary, err = newScratch("isadiff-sides-"); err != nil {
			return nil, problem.New(problem.OutputUnwritable, "the folder for temporary files: %v", err)
		}
		place = c.temporary.dir
	}
	if err := c.capture(ctx, o, repository, place); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// capture captures both sides.
func (c *Comparison) capture(ctx context.Context, o CompareOptions, r *repository, place string) error {
	after, err := Run(ctx, o.side("after", filepath.Join(r.top, r.prefix), r.top, filepath.Join(place, "after"), ""))
	if err != nil {
		return err
	}
	c.After = after.Dir
	if c.take("after", after); !after.Whole() {
		return nil
	}
	key := o.key(r, c.Base, after)
	cache, err := o.cache(key, after)
	if err != nil {
		return err
	}
	if !o.NoCache && isWhole(cache) {
		c.Before, c.Cached = cache, true
		touch(cache)
		if allowed := dump.ReadManifest(cache).Allowed; allowed != "" {
			c.Warnings = append(c.Warnings, "before: "+allowed)
		}
		return c.keep(o)
	}
	c.Before = filepath.Join(place, "before")
	before, err := c.base(ctx, o, r)
	if err != nil || before == nil {
		return err
	}
	if slices.Equal(before.Compilers, after.Compilers) && cache != "" {
		store(c.Before, cache)
	} else if !slices.Equal(before.Compilers, after.Compilers) {
		c.Warnings = append(c.Warnings, fmt.Sprintf("the sides were made by different compilers: %s before, %s after", names(before.Compilers), names(after.Compilers)))
	}
	return nil
}

// base captures the revision in a worktree. It returns nil if that is not whole.
func (c *Comparison) base(ctx context.Context, o CompareOptions, r *repository) (*Result, error) {
	before, warnings, err := o.revision(ctx, r, c.Base, "before", c.Before)
	c.Warnings = append(c.Warnings, warnings...)
	if err != nil {
		return nil, err
	}
	if c.take("before", before); !before.Whole() {
		return nil, nil
	}
	return before, nil
}

// revision captures a revision in a worktree, as the side of a name, into a directory.
// The result may not be whole. The warnings are of the worktree.
func (o CompareOptions) revision(ctx context.Context, r *repository, rev Revision, name, out string) (before *Result, warnings []string, err error) {
	w, err := r.checkOut(ctx, rev)
	if err != nil {
		return nil, nil, err
	}
	defer w.remove()
	if regular.Exists(filepath.Join(w.path, ".gitmodules")) {
		warnings = append(warnings, "submodules are not checked out on the "+name+" side")
	}
	if files, err := w.unfiltered(ctx); err != nil {
		return nil, warnings, problem.New(problem.CompareRevision, "%s: git cannot tell which files need a filter: %v", rev.Name, err)
	} else if len(files) > 0 {
		warnings = append(warnings, fmt.Sprintf("on the %s side no filter of git was applied to %s (Git LFS, or one of the repository's own configuration, which is not run): %s",
			name, problem.Count(len(files), "file"), shortList(files)))
	}
	dir := filepath.Join(w.path, r.prefix)
	if !regular.Exists(dir) {
		return nil, warnings, problem.New(problem.CompareRevision, "%s has no folder %s", rev.Name, r.prefix).Mended("give a revision that has it")
	}
	side := o.side(name, dir, w.path, out, r.top)
	side.Env = moved(side.Env, r.top, w.path)
	side.Command = anchored(side.Command, filepath.Join(r.top, r.prefix), dir)
	side.Revision = rev.Commit
	before, err = Run(ctx, side)
	if err != nil {
		return nil, warnings, err
	}
	// Before anything else: a failure may come of the wrong code.
	own, err := r.ours(ctx, append(before.Foreign, locations(out, r.top)...))
	switch {
	case ctx.Err() != nil:
		return nil, warnings, ctx.Err()
	case err != nil:
		return nil, warnings, problem.New(problem.CompareRevision, "git cannot tell whose the files are: %v", err)
	case len(own) > 0:
		p := problem.New(problem.CompareOwnCode, "the run of %s used code of the working tree: %s", rev.Name, shortList(own))
		if path := searchPath(before.roots, filepath.Join(r.top, r.prefix), r.top, o.Env); path != "" {
			p = p.Mended("if an editable install leads there, set PYTHONPATH=%s and compare again: such an entry leads to the base's own code; else make the command import from the current folder", path)
		}
		return nil, warnings, p
	}
	return before, warnings, nil
}

// side returns how one side is captured.
func (o CompareOptions) side(name, dir, root, out, foreign string) Options {
	return Options{
		Command: o.Command, Dir: dir, Root: root, Out: out, Archs: o.Archs, Env: o.Env, Foreign: foreign, Producer: o.Producer,
		Stdout: o.Stdout, Stderr: o.Stderr, AllowFailures: o.AllowFailures, Quiet: o.Quiet,
		Progress: func(p Progress) {
			if o.Progress != nil {
				o.Progress(name, p)
			}
		},
	}
}

// take notes what was wrong with a side.
func (c *Comparison) take(side string, r *Result) {
	for _, p := range r.Problems {
		c.Problems = append(c.Problems, p.On(side))
	}
	for _, w := range r.Warnings {
		c.Warnings = append(c.Warnings, side+": "+w)
	}
}

// keep copies a cached side to where it was asked for.
func (c *Comparison) keep(o CompareOptions) error {
	if o.Out == "" {
		return nil
	}
	kept := filepath.Join(o.Out, "before")
	if regular.Exists(kept) && !owned(kept) {
		return problem.New(problem.CaptureNotFresh, "%s is not empty, and isadiff did not write what is in it", kept).In(kept)
	}
	err := os.RemoveAll(kept)
	if err == nil {
		err = os.CopyFS(kept, os.DirFS(c.Before))
	}
	if err != nil {
		return unwritable(kept, err)
	}
	return nil
}

// moved makes PYTHONPATH lead to the worktree where it led to the working tree.
func moved(env []string, top, worktree string) []string {
	path := lookup(env, "PYTHONPATH")
	if path == "" {
		return env
	}
	var entries []string
	for _, entry := range filepath.SplitList(path) {
		real, err := filepath.EvalSymlinks(entry)
		if err == nil && filepath.IsAbs(entry) && inside(real, top) {
			if rel, err := filepath.Rel(top, real); err == nil && regular.Exists(filepath.Join(worktree, rel)) {
				entry = filepath.Join(worktree, rel)
			}
		}
		entries = append(entries, entry)
	}
	return append(slices.Clone(env), "PYTHONPATH="+strings.Join(entries, string(os.PathListSeparator)))
}

// searchPath returns the value of PYTHONPATH that makes a command in dir import from
// folders of the working tree, as a shell reads it; "" if there is none.
func searchPath(folders []string, dir, top string, env []string) string {
	var entries []string
	for _, folder := range folders {
		rel, err := filepath.Rel(dir, folder)
		if err != nil || !inside(folder, top) {
			continue
		}
		entry := "$PWD"
		if rel != "." {
			entry += "/" + filepath.ToSlash(rel)
		}
		entries = append(entries, entry)
	}
	if len(entries) == 0 {
		return ""
	}
	if lookup(env, "PYTHONPATH") != "" {
		entries = append(entries, "$PYTHONPATH")
	}
	return `"` + strings.Join(entries, string(os.PathListSeparator)) + `"`
}

// anchored makes a program that is not in the worktree, such as that of a virtual
// environment, the one of the working tree.
func anchored(c project.Command, from, to string) project.Command {
	program := c.Args[0]
	if c.Shell || !strings.ContainsRune(filepath.ToSlash(program), '/') || filepath.IsAbs(program) || regular.Exists(filepath.Join(to, program)) {
		return c
	}
	c.Args = append([]string{filepath.Join(from, program)}, c.Args[1:]...)
	return c
}

// locationPath is a file in a location of a 00_origin.mlir.
var locationPath = regexp.MustCompile(`loc\("([^"\n]+)":\d`)

// locations returns the files below top that a captured tree says it was made
// from: kernels, and what they call.
func locations(dir, top string) (files []string) {
	seen := map[string]bool{}
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !isOrigin(e.Name()) {
			return nil
		}
		text, err := regular.Read(path)
		if err != nil {
			return nil
		}
		for _, m := range locationPath.FindAllSubmatch(text, -1) {
			if f := string(m[1]); !seen[f] {
				seen[f] = true
				if inside(f, top) {
					files = append(files, f)
				}
			}
		}
		return nil
	})
	return files
}

// key names a base side by all that it depends on.
func (o CompareOptions) key(r *repository, base Revision, after *Result) string {
	h := newDigest()
	h.part(base.Tree)
	for _, c := range after.Compilers {
		h.part(c.Name, c.Version, c.Stamp, c.Python)
	}
	h.part(after.External...)
	o.settings(h, r, o.variables())
	return h.String()
}

// A digest hashes lists of texts, each apart from the next.
type digest struct{ hash.Hash }

func newDigest() digest { return digest{sha256.New()} }

func (h digest) part(values ...string) {
	for _, v := range values {
		fmt.Fprintf(h, "%d:%s", len(v), v)
	}
	fmt.Fprint(h, "\n")
}

func (h digest) String() string { return hex.EncodeToString(h.Sum(nil)[:20]) }

// settings adds what a capture depends on besides its sources and its compiler.
func (o CompareOptions) settings(h digest, r *repository, env []string) {
	h.part(r.prefix)
	h.part(o.Command.Args...)
	h.part(fmt.Sprint(o.Command.Shell))
	h.part(o.Archs...)
	h.part(env...)
	if o.AllowFailures {
		h.part("failures allowed")
	}
	_ = fs.WalkDir(hookFiles, ".", func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			text, _ := hookFiles.ReadFile(path)
			h.part(path, string(text))
		}
		return nil
	})
}

// variables returns the entries of the environment that a compile may depend on, sorted.
func (o CompareOptions) variables() (env []string) {
	for _, entry := range o.Env {
		name, _, _ := strings.Cut(entry, "=")
		for _, prefix := range []string{"FLYDSL_", "TRITON_", "HIP", "ROCM", "ARCH", "COMPILE_ONLY", "PYTHON", "AMD", "HSA_"} {
			if strings.HasPrefix(name, prefix) && name != "FLYDSL_DUMP_DIR" {
				env = append(env, entry)
				break
			}
		}
	}
	slices.Sort(env)
	return env
}

func names(compilers []dump.Compiler) string {
	var all []string
	for _, c := range compilers {
		all = append(all, c.String())
	}
	return strings.Join(all, "; ")
}

// shortList names the first of several files.
func shortList(files []string) string {
	const most = 3
	if len(files) <= most {
		return strings.Join(files, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(files[:most], ", "), len(files)-most)
}
