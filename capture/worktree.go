package capture

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"isadiff/engine/problem"
)

// A worktree is a revision's sources in a temporary folder.
type worktree struct {
	repository *repository
	parent     string // the temporary folder
	path       string
}

// worktreePrefix begins the names of those folders; the process follows, so that
// what a killed one left can be told from what is in use.
const worktreePrefix = "isadiff-compare-"

// checkOut makes a worktree of a revision. Its last folder has the name of the
// repository's, as names of folders show in what a project prints.
func (r *repository) checkOut(ctx context.Context, rev Revision) (*worktree, error) {
	r.removeAbandoned(ctx)
	parent, err := os.MkdirTemp("", fmt.Sprintf("%s%d-", worktreePrefix, os.Getpid()))
	if err == nil {
		parent, err = filepath.EvalSymlinks(parent)
	}
	if err != nil {
		return nil, problem.New(problem.OutputUnwritable, "the folder for temporary files: %v", err)
	}
	w := &worktree{repository: r, parent: parent, path: filepath.Join(parent, filepath.Base(r.top))}
	if _, err := git(ctx, r.top, "worktree", "add", "--detach", "--quiet", w.path, rev.Commit); err != nil {
		w.remove()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, problem.New(problem.CompareRevision, "%s cannot be checked out: %v", rev.Name, err)
	}
	return w, nil
}

// removeTime is how long git may take to forget a worktree.
const removeTime = 10 * time.Second

// remove removes the worktree and what git knows of it, also when the run was
// interrupted.
func (w *worktree) remove() {
	ctx, cancel := context.WithTimeout(context.Background(), removeTime)
	defer cancel()
	_, _ = git(ctx, w.repository.top, "worktree", "remove", "--force", "--force", w.path)
	_ = os.RemoveAll(w.parent)
	_, _ = git(ctx, w.repository.top, "worktree", "prune")
}

// removeAbandoned removes the worktrees of processes that are gone.
func (r *repository) removeAbandoned(ctx context.Context) {
	left, err := filepath.Glob(filepath.Join(os.TempDir(), worktreePrefix+"*"))
	if err != nil {
		return
	}
	for _, parent := range left {
		name := strings.TrimPrefix(filepath.Base(parent), worktreePrefix)
		number, _, _ := strings.Cut(name, "-")
		if pid, err := strconv.Atoi(number); err == nil && pid > 0 && !alive(pid) {
			_ = os.RemoveAll(parent)
		}
	}
	_, _ = git(ctx, r.top, "worktree", "prune")
}
