package capture

import (
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// A scratch is a temporary folder that is locked for as long as its process lives. A
// process is not known by its number: one of another container, which shares the folder
// for temporary files, may have any.
type scratch struct {
	dir  string       // absolute, with links resolved
	lock *flock.Flock // nil if the file system has no locks
}

// scratchLock is the file in it that is locked.
const scratchLock = ".isadiff-lock"

const (
	// lockTime is how long after a folder was made its lock may be missing or free.
	lockTime = 10 * time.Minute
	// forgotten is how long a folder without a lock stays, of which nobody knows whether
	// it is in use: the file system has no locks.
	forgotten = 7 * 24 * time.Hour
)

// newScratch makes a folder whose name begins with prefix, and removes those that killed
// processes left.
func newScratch(prefix string) (*scratch, error) {
	removeAbandoned(prefix)
	dir, err := os.MkdirTemp("", prefix)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	s := &scratch{dir: dir, lock: flock.New(filepath.Join(dir, scratchLock))}
	if locked, err := s.lock.TryLock(); err != nil || !locked {
		_ = s.lock.Close()
		_ = os.Remove(s.lock.Path())
		s.lock = nil
	}
	return s, nil
}

func (s *scratch) remove() {
	if s.lock != nil {
		_ = s.lock.Close() // an open file cannot be removed everywhere
	}
	_ = os.RemoveAll(s.dir)
}

// removeAbandoned removes the folders that nobody holds and that are no longer new.
func removeAbandoned(prefix string) {
	left, err := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range left {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() && abandoned(dir, time.Since(info.ModTime())) {
			_ = os.RemoveAll(dir)
		}
	}
}

// abandoned reports whether the process of a folder that is so old is gone.
func abandoned(dir string, age time.Duration) bool {
	if age < lockTime {
		return false
	}
	path := filepath.Join(dir, scratchLock)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return age > forgotten
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDWR))
	defer lock.Close()
	free, err := lock.TryLock()
	return free || err != nil && age > forgotten
}
