package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"isadiff/engine/lockfile"
)

const (
	// patience is how long a change waits for another one of the same file. One takes
	// milliseconds, a second where the assembly of ten thousand kernels is kept: what holds
	// the lock for longer is stopped or stuck.
	patience = 10 * time.Second
	// lockPoll is how long a change waits before it asks for the lock again.
	lockPoll = 5 * time.Millisecond
)

// Lock keeps other processes, and other parts of this one, that lock the same file
// from changing it until unlock is called: from before it is read until its new
// text is written. The directory must exist. The lock is advisory and on a file
// beside the target, so the target can be replaced meanwhile; the system releases
// it when a process dies. What Write does not replace needs no lock and gets none.
//
// Where the file system has no locks (some network file systems, as they are
// mounted) changes are whole but not kept apart: see docs/reference/contract.md.
func Lock(path string) (unlock func(), err error) {
	return lock(path, patience)
}

func lock(path string, patience time.Duration) (unlock func(), err error) {
	to, err := resolve(path)
	if err != nil {
		return nil, err
	}
	if to.stream != nil || to.open {
		return func() {}, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	name := lockName(to.path)
	for {
		l := lockfile.New(name, os.O_CREATE|os.O_RDWR)
		_, err := l.TryLockContext(ctx, lockPoll)
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			return nil, fmt.Errorf("another process has been changing it for %v (it holds %s); wait for it or end it, then try again", patience, name)
		case lockless(err):
			return func() {}, nil
		case lockfile.BeingRemoved(err):
			time.Sleep(lockPoll)
			continue
		case err != nil:
			return nil, err
		}
		if lockfile.Current(l) {
			return func() { lockfile.Remove(l) }, nil
		}
		_ = l.Unlock() // its last holder removed it
	}
}

func lockName(path string) string {
	dir, base := filepath.Split(path)
	return dir + "." + base + ".lock"
}
