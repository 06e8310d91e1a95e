package dump

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"isadiff/engine/lockfile"
	"isadiff/engine/problem"
)

// RunningName is the file that a run of isadiff locks while it compiles into a
// directory, and removes at its end. The lock ends with the process, so the file
// of a killed run means nothing.
const RunningName = ".isadiff-running"

// A Hold is a directory into which a run compiles.
type Hold struct {
	path string
	lock *flock.Flock // nil if the file system has no locks
}

// ErrHeld means that another run compiles into the directory.
var ErrHeld = errors.New("another run that compiles into it has not ended")

// Take claims a directory for a run. On a file system without locks other
// processes do not see the run, and may start their own.
func Take(dir string) (*Hold, error) {
	h := &Hold{path: filepath.Join(dir, RunningName)}
	for {
		// Made by us, so that its time tells when the run began.
		h.lock = lockfile.New(h.path, os.O_CREATE|os.O_EXCL|os.O_RDWR)
		locked, err := h.lock.TryLock()
		switch {
		case errors.Is(err, fs.ErrExist):
			if err := removeLeft(h.path); err != nil {
				return nil, err
			}
			continue
		case lockfile.BeingRemoved(err): // by a run that ends
		case lockfile.Unopened(err):
			return nil, err
		case err != nil: // made, and not to be locked
			_ = h.lock.Close()
			_ = os.Remove(h.path)
			h.lock = nil
			return h, nil
		case locked && lockfile.Current(h.lock):
			return h, nil
		}
		// Somebody looked at it, or took it for left, in the moment before.
		_ = h.lock.Close()
		time.Sleep(lookTime)
	}
}

// lookTime is how long somebody may hold the lock who only looks whether a run
// does.
const lookTime = time.Millisecond

// End ends the claim.
func (h *Hold) End() {
	if h.lock != nil {
		lockfile.Remove(h.lock)
	}
}

// removeLeft removes the file of a run that was killed.
func removeLeft(path string) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return &fs.PathError{Op: "open", Path: path, Err: problem.ErrNotRegular}
	}
	lock := lockfile.New(path, os.O_RDONLY) // another user may have left it
	locked, err := lock.TryLock()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case lockfile.Unopened(err):
		return err
	case err != nil: // no locks, so it holds nobody off
		_ = lock.Close()
		return os.Remove(path)
	case !locked:
		_ = lock.Close()
		return ErrHeld
	case !lockfile.Current(lock): // another run has removed it, and made its own
		_ = lock.Close()
		return nil
	}
	lockfile.Remove(lock)
	return nil
}

// Running reports whether a run compiles into a directory, and since when by the
// clock of its file system.
func Running(dir string) (since time.Time, ok bool) {
	since, ok, _ = look(dir)
	return since, ok
}

// look reports whether somebody holds the file of a run in a directory, or nobody of
// this machine; neither if there is none, or if that cannot be known.
func look(dir string) (since time.Time, held, left bool) {
	path := filepath.Join(dir, RunningName)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return time.Time{}, false, false
	}
	lock := lockfile.New(path, os.O_RDONLY) // shared: two who look are no run
	free, err := lock.TryRLock()
	_ = lock.Close()
	return info.ModTime(), err == nil && !free, free
}
