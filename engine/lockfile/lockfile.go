// Package lockfile is what all files have in common that are there to be locked, and
// that whoever holds one removes at the end: which file of that name is the one that
// counts, and how to remove it so that no two hold one each.
package lockfile

import (
	"errors"
	"io/fs"
	"os"
	"runtime"

	"github.com/gofrs/flock"
)

// New returns the lock of the file at path, which is opened with flags when it is
// asked for; no link and no pipe that was put in its place is.
func New(path string, flags int) *flock.Flock {
	return flock.New(path, flock.SetFlag(flags|plain), flock.SetPermissions(0o666))
}

// Unopened reports whether an error says that the file could not be opened, and not
// that it could not be locked.
func Unopened(err error) bool {
	var open *fs.PathError
	return errors.As(err, &open)
}

// Current reports whether a locked file is still the one of its name, and not one that
// its last holder has removed. It is opened anew for that: a network file system asks
// its server only then.
func Current(l *flock.Flock) bool {
	held, err := l.Stat()
	if err != nil {
		return false
	}
	f, err := os.OpenFile(l.Path(), os.O_RDONLY|plain, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	now, err := f.Stat()
	return err == nil && os.SameFile(held, now)
}

// Remove removes a locked file and gives up its lock. It does so in this order: whoever
// waits for the lock then sees by [Current] that the file is gone.
func Remove(l *flock.Flock) {
	_ = os.Remove(l.Path())
	_ = l.Close()
	if runtime.GOOS == "windows" {
		// No open file can be removed, so neither one that others have taken since.
		_ = os.Remove(l.Path())
	}
}
