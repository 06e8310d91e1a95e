package project

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"isadiff/engine/gitignore"
	"isadiff/engine/problem"
)

// A Command is what compiles a project's kernels.
type Command struct {
	Args  []string // the program and its arguments
	Shell bool     // Args is one line for the system's shell
}

// String returns the command as it was written.
func (c Command) String() string { return strings.Join(c.Args, " ") }

// ErrUntrusted means that a command named by the project is not run.
var ErrUntrusted = errors.New("the workspace is not trusted")

// ErrOutside means that a file would be written outside the project's root.
var ErrOutside = errors.New("it leads outside the project's root")

// Command returns the compile command, if it may be run. A command from a file or
// from an editor's settings (which may come from a file of the repository) runs
// only in a trusted workspace, or if explicit says that the user has seen and
// asked for this command. Without a command it returns an error that says how to
// set one.
func (c *Config) Command(explicit bool) (Command, error) {
	if len(c.compile.Args) == 0 {
		return Command{}, fmt.Errorf("no compile command is configured; set %s", c.Setting("compile"))
	}
	origin := c.Origins["compile"]
	if fromProject(origin.Layer) && !c.Trusted && !explicit {
		return Command{}, fmt.Errorf("the compile command %q from %s is not run: %w", c.compile, origin, ErrUntrusted)
	}
	return c.compile, nil
}

// Setting names a key with the place where to set it: in the configuration file in
// use, or in that which a project without one may have.
func (c *Config) Setting(key string) string {
	switch {
	case c.File == "":
		return key + " in " + ownFile + ", or in [tool.isadiff] of " + sharedFile
	case filepath.Base(c.File) == sharedFile:
		return key + " in [tool.isadiff] of " + c.Relative(c.File)
	}
	return key + " in " + c.Relative(c.File)
}

// CompileText returns the compile command as text to show, "" if there is none. It
// must not be run.
func (c *Config) CompileText() string { return c.compile.String() }

// fromProject reports whether a file of the repository may be behind a layer: an
// editor's settings can come from a .vscode folder.
func fromProject(l Layer) bool { return l == File || l == Client }

// commandOf reads a command: a line for the shell or a list of arguments.
func commandOf(raw any) (Command, error) {
	switch raw := raw.(type) {
	case string:
		if strings.TrimSpace(raw) == "" {
			return Command{}, errors.New("is an empty command")
		}
		return Command{Args: []string{raw}, Shell: true}, nil
	case []any:
		var c Command
		for _, item := range raw {
			arg, ok := item.(string)
			if !ok {
				return Command{}, mismatch(CommandLine, raw)
			}
			c.Args = append(c.Args, arg)
		}
		if len(c.Args) == 0 || c.Args[0] == "" {
			return Command{}, errors.New("is an empty command")
		}
		return c, nil
	default:
		return Command{}, mismatch(CommandLine, raw)
	}
}

// CheckWrite returns an error that wraps [ErrOutside] if writing to path would
// write outside the project's root, also by way of a symbolic link.
func (c *Config) CheckWrite(path string) error {
	_, err := c.within(path)
	return err
}

// WritableBaseline returns the path to write a new baseline to. Only a flag may
// name a place outside the project's root.
func (c *Config) WritableBaseline() (string, error) {
	if c.Origins["baseline"].Layer != Flag {
		if err := c.CheckWrite(c.Baseline); err != nil {
			return "", unwritable(err, "the baseline set by %s: %s", c.Origins["baseline"], message(err))
		}
	}
	return c.Baseline, nil
}

// WritableAccepted returns the path to write accepted regressions to. Only a
// flag may name a place outside the project's root.
func (c *Config) WritableAccepted() (string, error) {
	if c.Origins["accepted"].Layer != Flag {
		if err := c.CheckWrite(c.Accepted); err != nil {
			return "", unwritable(err, "the file of accepted regressions set by %s: %s", c.Origins["accepted"], message(err))
		}
	}
	return c.Accepted, nil
}

// WriteFile writes a file within the project's root, whole or not at all, and
// makes the folders that it needs. An existing file keeps its permissions. It uses
// an os.Root, so even a link that appears meanwhile cannot lead it outside.
func (c *Config) WriteFile(path string, data []byte) error {
	return c.WriteFunc(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteFunc is [Config.WriteFile] with what content writes, in pieces of any size. An
// error of content leaves the old file as it was.
func (c *Config) WriteFunc(path string, content func(io.Writer) error) error {
	rel, err := c.within(path)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(c.Root)
	if err != nil {
		return unwritable(err, "%s cannot be written: %v", path, err)
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(rel), 0o777); err != nil {
		return unwritable(err, "%s cannot be written: %v", path, err)
	}
	gitignore.Beside(filepath.Join(c.Root, rel), func(name string, flag int, mode fs.FileMode) (*os.File, error) {
		name, err := filepath.Rel(c.Root, name)
		if err != nil {
			return nil, err
		}
		return root.OpenFile(name, flag, mode)
	})
	clearTemporary(root, rel)
	mode := fs.FileMode(0)
	if info, err := root.Stat(rel); err == nil {
		mode = info.Mode().Perm()
	}
	temporary := rel + "." + rand.Text() + ".tmp" // of no other writer, in this process or another
	if err := writeNew(root, temporary, mode, content); err != nil {
		return unwritable(err, "%s cannot be written: %v", path, err)
	}
	if err := root.Rename(temporary, rel); err != nil {
		_ = root.Remove(temporary)
		return unwritable(err, "%s cannot be written: %v", path, err)
	}
	return nil
}

// MakeFolder makes a folder within the project's root, and those above it.
func (c *Config) MakeFolder(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	rel, err := c.within(dir)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(c.Root)
	if err != nil {
		return unwritable(err, "%s cannot be made: %v", dir, err)
	}
	defer root.Close()
	if err := root.MkdirAll(rel, 0o777); err != nil {
		return unwritable(err, "%s cannot be made: %v", dir, err)
	}
	return nil
}

// temporaryName is what WriteFile appends to a name while it writes.
var temporaryName = regexp.MustCompile(`^\.[A-Z2-7]{26}\.tmp$`)

// clearTemporary removes what killed writers of a file left beside it an hour ago: one
// that still writes would have given it a newer time.
func clearTemporary(root *os.Root, rel string) {
	dir, err := root.Open(filepath.Dir(rel))
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		end, ok := strings.CutPrefix(name, filepath.Base(rel))
		if !ok || !temporaryName.MatchString(end) {
			continue
		}
		left := filepath.Join(filepath.Dir(rel), name)
		if info, err := root.Lstat(left); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > time.Hour {
			_ = root.Remove(left)
		}
	}
}

// writeNew writes a file that must not have been there, with a mode unless that is 0,
// and removes it if it could not be written whole.
func writeNew(root *os.Root, name string, mode fs.FileMode, content func(io.Writer) error) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	if mode != 0 {
		_ = f.Chmod(mode) // what cannot be is as for a new file
	}
	b := bufio.NewWriterSize(f, 64<<10)
	if err = content(b); err == nil {
		err = b.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		_ = root.Remove(name)
	}
	return err
}

// within returns path relative to the root if it stays within it: neither ".."
// nor a symbolic link of the part that exists leads outside.
func (c *Config) within(path string) (string, error) {
	rel, err := filepath.Rel(c.Root, path)
	if err != nil || !filepath.IsLocal(rel) {
		// The path may spell the root another way, through a link.
		real, err := filepath.EvalSymlinks(c.Root)
		if err != nil {
			return "", unwritable(err, "%s is not written: the project's root: %v", path, err)
		}
		if rel, err = filepath.Rel(real, path); err != nil || !filepath.IsLocal(rel) {
			return "", unwritable(ErrOutside, "%s is not written: %v %s", path, ErrOutside, c.Root)
		}
	}
	if rel == "." {
		return "", unwritable(ErrOutside, "%s is not written: it is the project's root itself", path)
	}
	if c.inGit(rel) {
		return "", unwritable(ErrOutside, "%s is not written: it belongs to git", path)
	}
	root, err := os.OpenRoot(c.Root)
	if err != nil {
		return "", unwritable(err, "%s is not written: the project's root cannot be opened: %v", path, err)
	}
	defer root.Close()
	for at := rel; at != "."; at = filepath.Dir(at) {
		info, err := root.Stat(at)
		if err == nil && at == rel && !info.Mode().IsRegular() && !info.IsDir() { // a pipe would be waited for
			return "", unwritable(problem.ErrNotRegular, "%s is not written: %v", path, problem.ErrNotRegular)
		}
		if err == nil {
			return rel, nil
		}
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOTDIR) {
			return "", unwritable(err, "%s is not written: %v", path, err)
		}
		if !errors.Is(err, fs.ErrNotExist) { // a link that leads outside, or an absolute one
			return "", unwritable(ErrOutside, "%s is not written: %v %s", path, ErrOutside, c.Root)
		}
		if info, err := root.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 { // else somebody else wrote it just now
			return "", unwritable(ErrOutside, "%s is not written: %s is a symbolic link that leads nowhere", path, at)
		}
	}
	return rel, nil
}

// inGit reports whether a path below the root, or what it leads to, is in a folder
// of git's own.
func (c *Config) inGit(rel string) bool {
	named := func(rel string) bool { return slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), isGit) }
	if named(rel) {
		return true
	}
	root, err := filepath.EvalSymlinks(c.Root)
	for at := rel; err == nil && at != "."; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(filepath.Join(root, at)); err == nil {
			led, err := filepath.Rel(root, real)
			return err == nil && named(led)
		}
	}
	return false
}

// isGit reports whether a folder's name is that of git's own, which git runs
// commands from; file systems may take other spellings for the same.
func isGit(name string) bool {
	return strings.EqualFold(strings.TrimRight(name, ". "), ".git") || strings.EqualFold(name, "git~1")
}

// A writeError is a problem together with the error behind it, so that callers
// can ask for both.
type writeError struct {
	problem problem.Problem
	cause   error
}

func (e *writeError) Error() string   { return e.problem.Error() }
func (e *writeError) Unwrap() []error { return []error{e.problem, e.cause} }

// unwritable makes the problem that something cannot or may not be written.
func unwritable(cause error, format string, args ...any) error {
	return &writeError{problem.New(problem.OutputUnwritable, format, args...), cause}
}

// message returns the words of an error without its code.
func message(err error) string {
	if e, ok := errors.AsType[*writeError](err); ok {
		return e.problem.Message
	}
	return err.Error()
}
