package capture

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"isadiff/engine/problem"
)

// A worktree is a revision's sources in a temporary folder.
type worktree struct {
	repository *repository
	parent     *scratch
	path       string
}

// worktreePrefix begins the names of those folders.
const worktreePrefix = "isadiff-compare-"

// checkOut makes a worktree of a revision. Its last folder has the name of the
// repository's, as names of folders show in what a project prints.
func (r *repository) checkOut(ctx context.Context, rev Revision) (*worktree, error) {
	parent, err := newScratch(worktreePrefix)
	if err != nil {
		return nil, problem.New(problem.OutputUnwritable, "the folder for temporary files: %v", err)
	}
	r.worktrees.Lock()
	defer r.worktrees.Unlock()
	r.prune(ctx)
	w := &worktree{repository: r, parent: parent, path: filepath.Join(parent.dir, filepath.Base(r.top))}
	if _, err := r.git(ctx, "worktree", "add", "--detach", "--quiet", w.path, rev.Commit); err != nil {
		w.forget()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		p := problem.New(problem.CompareRevision, "%s cannot be checked out: %v", rev.Name, err)
		if strings.Contains(err.Error(), "not allowed") { // a fetch, of a partial clone
			p = p.Mended("check it out once with git, which fetches what this partial clone lacks; isadiff fetches nothing")
		}
		return nil, p
	}
	return w, nil
}

// removeTime is how long git may take to forget a worktree.
const removeTime = 10 * time.Second

// remove removes the worktree and what git knows of it, also when the run was
// interrupted.
func (w *worktree) remove() {
	w.repository.worktrees.Lock()
	defer w.repository.worktrees.Unlock()
	w.forget()
}

func (w *worktree) forget() {
	ctx, cancel := context.WithTimeout(context.Background(), removeTime)
	defer cancel()
	_, _ = w.repository.git(ctx, "worktree", "remove", "--force", "--force", w.path)
	w.parent.remove()
	w.repository.prune(ctx)
}

// prune makes git forget the worktrees that killed processes left. Of a repository that
// several machines share, one that is not here may be that of another machine.
func (r *repository) prune(ctx context.Context) {
	if !r.shared {
		_, _ = r.git(ctx, "worktree", "prune")
	}
}
