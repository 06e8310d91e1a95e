package capture

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"isadiff/engine/problem"
)

// Revisions captures revisions of a repository, each in a worktree of its own that is
// gone afterwards. Its methods may be called at the same time.
type Revisions struct {
	options    CompareOptions
	repository *repository
}

// OpenRevisions opens the repository around o.Dir. Shared says that other machines
// capture from the same repository at the same time. Of the options, those of the
// working tree and of the cache do not count.
func OpenRevisions(ctx context.Context, o CompareOptions, shared bool) (*Revisions, error) {
	r, err := openRepository(ctx, cmp.Or(o.Dir, "."))
	if err != nil {
		return nil, err
	}
	r.shared = shared
	if o.Env == nil {
		o.Env = os.Environ()
	}
	o.Env = withoutGit(o.Env)
	return &Revisions{options: o, repository: r}, nil
}

// Revision resolves the name of a commit.
func (v *Revisions) Revision(ctx context.Context, name string) (Revision, error) {
	return v.repository.revision(ctx, name)
}

// Log returns the commits that arguments of git log choose, in its order.
func (v *Revisions) Log(ctx context.Context, args ...string) ([]Revision, error) {
	list, err := v.repository.log(ctx, args...)
	if err != nil && ctx.Err() == nil {
		err = problem.New(problem.CompareRevision, "git log %s: %v", strings.Join(args, " "), err)
	}
	return list, err
}

// MergeBases returns the best common ancestors of two commits.
func (v *Revisions) MergeBases(ctx context.Context, a, b Revision) (bases []Revision, err error) {
	text, err := v.repository.git(ctx, "merge-base", "--all", a.Commit, b.Commit)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, problem.New(problem.CompareRevision, "%s and %s have no common ancestor", a.Name, b.Name)
	}
	for _, commit := range strings.Fields(text) {
		rev, err := v.Revision(ctx, commit)
		if err != nil {
			return nil, err
		}
		rev.Name = rev.Name[:min(12, len(rev.Name))]
		bases = append(bases, rev)
	}
	return bases, nil
}

// Settings names all that a capture depends on besides its sources and its compiler.
// Which devices a process sees is left out: each task of a cluster sees others. Those of
// this place also have where the repository is and where programs are searched for, which
// other machines have elsewhere: what decides which compiler is found.
func (v *Revisions) Settings(here bool) string {
	h := newDigest()
	if here {
		h.part(v.repository.top)
		for _, name := range []string{"PATH", "VIRTUAL_ENV", "CONDA_PREFIX"} {
			h.part(lookup(v.options.Env, name))
		}
	}
	v.options.settings(h, v.repository, slices.DeleteFunc(v.options.variables(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasSuffix(name, "_VISIBLE_DEVICES")
	}))
	return h.String()
}

// Capture captures a revision and hands the dump directory to use, which is called only
// if the capture is whole. The problems say why it is not; an error means that no
// other revision can be captured either.
func (v *Revisions) Capture(ctx context.Context, rev Revision, progress func(Progress), use func(dir string, r *Result, warnings []string) error) ([]problem.Problem, error) {
	place, err := newScratch("isadiff-sides-")
	if err != nil {
		return nil, problem.New(problem.OutputUnwritable, "the folder for temporary files: %v", err)
	}
	defer place.remove()
	o := v.options
	o.Progress = func(_ string, p Progress) {
		if progress != nil {
			progress(p)
		}
	}
	dir := place.dir + string(os.PathSeparator) + "side"
	r, warnings, err := v.capture(ctx, o, rev, dir)
	if err != nil {
		return nil, err
	}
	if !r.Whole() {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return r.Problems, nil
	}
	return nil, use(dir, r, append(warnings, r.Warnings...))
}

func (v *Revisions) capture(ctx context.Context, o CompareOptions, rev Revision, dir string) (*Result, []string, error) {
	r, warnings, err := o.revision(ctx, v.repository, rev, rev.Name, dir)
	if known, ok := err.(problem.Problem); ok && (known.Code == problem.CompareRevision || known.Code == problem.CompareOwnCode) {
		return &Result{Problems: []problem.Problem{known}}, nil, nil // of this revision alone: it lacks the folder of the command, say
	}
	return r, warnings, err
}
