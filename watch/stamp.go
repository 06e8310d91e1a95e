package watch

import (
	"io/fs"
	"os"
	"time"
)

// A stamp tells two states of a file apart without reading it. The change time
// is in it for the sake of what sets modification times back (cp -p, rsync).
type stamp struct {
	size    int64
	mtime   int64 // ns since 1970
	changed int64 // ns since 1970; 0 where the system has none
	id      id
}

// An id tells one file or directory from another of the same name.
type id struct{ dev, ino uint64 }

func stampOf(fi fs.FileInfo) stamp {
	s := stamp{size: fi.Size(), mtime: fi.ModTime().UnixNano()}
	s.id, s.changed = identify(fi)
	return s
}

func (s stamp) modTime() time.Time { return time.Unix(0, s.mtime) }

// stat returns the stamp of a regular file, following a symbolic link. Anything
// else than a regular file is not there.
func stat(path string) (stamp, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return stamp{}, err
	}
	if !fi.Mode().IsRegular() {
		return stamp{}, &fs.PathError{Op: "stat", Path: path, Err: fs.ErrNotExist}
	}
	return stampOf(fi), nil
}
