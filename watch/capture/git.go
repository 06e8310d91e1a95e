package capture

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"isadiff/engine/problem"
)

// A Revision is a commit of a repository.
type Revision struct {
	Name    string // as the user named it
	Commit  string // the full hash
	Tree    string // the hash of its content
	Subject string
	Author  string // name and address
	Date    string // on which it was authored: 2026-03-04
	Parents []string
}

// String names the revision for a person.
func (r Revision) String() string {
	return r.Commit[:min(12, len(r.Commit))] + " " + r.Subject
}

// A repository is a git work tree.
type repository struct {
	top    string // absolute, with links resolved
	prefix string // where the command runs, relative to top
	shared bool   // other machines may have worktrees of it

	worktrees sync.Mutex // held while one is made or removed

	off       []string // the filters that git does not run, as the repository's own configuration names their programs
	overrides []string // the arguments of git for that
}

// openRepository finds the work tree that a folder is in.
func openRepository(ctx context.Context, dir string) (*repository, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, problem.New(problem.CompareRevision, "%s: %v", dir, err)
	}
	top, err := git(ctx, dir, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, problem.New(problem.CompareRevision, "%s is in no git work tree: %v", dir, err).Mended("run it in a git work tree")
	}
	r := &repository{top: filepath.FromSlash(top)}
	if r.top, err = filepath.EvalSymlinks(r.top); err == nil {
		r.prefix, err = filepath.Rel(r.top, dir)
	}
	if err == nil {
		err = r.disarm(ctx)
	}
	if err != nil {
		return nil, problem.New(problem.CompareRevision, "%s: %v", dir, err)
	}
	return r, nil
}

// revision resolves the name of a commit.
func (r *repository) revision(ctx context.Context, name string) (Revision, error) {
	rev := Revision{Name: name}
	if strings.HasPrefix(name, "-") {
		return rev, problem.New(problem.CompareRevision, "%q is no revision", name)
	}
	commit, err := r.git(ctx, "rev-parse", "--verify", "--quiet", name+"^{commit}")
	if err != nil {
		return rev, problem.New(problem.CompareRevision, "%q is no commit of %s", name, r.top)
	}
	list, err := r.log(ctx, "-1", commit)
	if err == nil && len(list) != 1 {
		err = errors.New("git does not show it")
	}
	if err != nil {
		return rev, problem.New(problem.CompareRevision, "%s: %v", name, err)
	}
	list[0].Name = name
	return list[0], nil
}

// log returns the commits that arguments of git log choose, in its order, each under
// its abbreviated hash.
func (r *repository) log(ctx context.Context, args ...string) (list []Revision, err error) {
	const fields = 6
	text, err := r.git(ctx, append([]string{"log", "-z", "--no-color", "--no-show-signature", "--no-patch", "--format=%H%n%T%n%P%n%as%n%an <%ae>%n%s"}, args...)...)
	if err != nil || text == "" {
		return nil, err
	}
	for entry := range strings.SplitSeq(strings.TrimSuffix(text, "\x00"), "\x00") {
		f := strings.SplitN(entry, "\n", fields)
		if len(f) != fields {
			return nil, errors.New("git log is not understood")
		}
		list = append(list, Revision{Name: f[0][:min(12, len(f[0]))], Commit: f[0], Tree: f[1], Parents: strings.Fields(f[2]), Date: f[3], Author: f[4], Subject: f[5]})
	}
	return list, nil
}

// IsRevision reports whether a name is that of a commit in the repository around a
// folder, if there is one.
func IsRevision(ctx context.Context, dir, name string) bool {
	r, err := openRepository(ctx, dir)
	if err != nil {
		return false
	}
	_, err = r.revision(ctx, name)
	return err == nil
}

// ours returns those of the files below top that are sources of the repository:
// not what git ignores, and no installed package.
func (r *repository) ours(ctx context.Context, files []string) (ours []string, err error) {
	args := []string{"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"}
	named := len(args)
	for _, f := range files {
		if real, err := filepath.EvalSymlinks(f); err == nil {
			f = real
		}
		slashed := filepath.ToSlash(f)
		if inside(f, r.top) && !strings.Contains(slashed, "/site-packages/") && !strings.Contains(slashed, "/dist-packages/") {
			args = append(args, ":(literal)"+f)
		}
	}
	if len(args) == named {
		return nil, nil
	}
	out, err := r.git(ctx, args...)
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(out, "\x00") {
		if name != "" {
			ours = append(ours, name)
		}
	}
	return ours, nil
}

// git runs git in the work tree and returns what it printed.
func (r *repository) git(ctx context.Context, args ...string) (string, error) {
	return runGit(ctx, r.top, r.overrides, "", args...)
}

// git runs git in a folder and returns what it printed.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	return runGit(ctx, dir, nil, "", args...)
}

func runGit(ctx context.Context, dir string, overrides []string, stdin string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "git", slices.Concat([]string{"-C", dir}, harmless, overrides, args)...)
	c.Env = slices.Concat(withoutGit(os.Environ()), []string{"LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", noProgram + "=", notRequired + "=false"})
	c.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	err := c.Run()
	if err == nil {
		return strings.TrimSuffix(stdout.String(), "\n"), nil
	}
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if text := strings.TrimSpace(stderr.String()); text != "" {
		line, _, _ := strings.Cut(text, "\n")
		return "", errors.New(strings.TrimPrefix(line, "fatal: "))
	}
	return "", plain(err)
}

// withoutGit drops the variables that lead git to another repository, as they
// are set for git's own hooks.
func withoutGit(env []string) []string {
	kept := make([]string, 0, len(env))
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY":
		default:
			kept = append(kept, entry)
		}
	}
	return kept
}
