package regular

import (
	"io/fs"
	"os"
	"time"
)

// A Stamp tells two states of a file apart without reading it; == compares two. The
// change time is in it for the sake of what sets modification times back (cp -p, rsync).
type Stamp struct {
	Size    int64
	ModTime time.Time
	Changed time.Time // when the file became what it is in its place; the zero time where the system does not tell
	ID      ID
}

// An ID tells one file or directory from another of the same name.
type ID struct{ Device, Inode uint64 }

// StampOf returns the stamp of what a system call told of.
func StampOf(info fs.FileInfo) Stamp {
	s := Stamp{Size: info.Size(), ModTime: info.ModTime()}
	s.ID, s.Changed = identify(info)
	return s
}

// Final reports whether the file will have another stamp once it is written to again,
// as surely as the system tells. Of one that was written a moment ago that is not sure:
// times are as coarse as the clock's tick, some file systems count whole seconds, and
// FAT counts two.
func (s Stamp) Final() bool {
	tick := 30 * time.Millisecond
	if s.Changed.Nanosecond() == 0 {
		tick = 2 * time.Second
	}
	return s.ID != ID{} && !s.Changed.IsZero() && time.Since(s.Changed).Abs() >= tick
}

// Exists reports whether anything stands at path, be it a link that leads nowhere.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Stat returns the stamp of the regular file at path, following a symbolic link.
// Anything else than a regular file is not there.
func Stat(path string) (Stamp, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "stat", Path: path, Err: fs.ErrNotExist}
	}
	if err != nil {
		return Stamp{}, err
	}
	return StampOf(info), nil
}
