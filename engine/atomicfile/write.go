// Package atomicfile writes files whole or not at all: into a temporary file
// beside the target, synced, then renamed over it. A crash, an interrupt or a
// full disk leaves the old file as it was.
package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces the file at path with data. The directory must exist. An
// existing file keeps its permissions; a new one gets 0666 less the umask. A
// symbolic link is followed, so that it stays one.
//
// What is no regular file (a pipe, /dev/stdout, /dev/null) cannot be replaced
// and is written to instead.
func Write(path string, data []byte) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if link, err := os.Readlink(path); err == nil { // dangling: create what it points to
			if !filepath.IsAbs(link) {
				link = filepath.Join(filepath.Dir(path), link)
			}
			if _, err := os.Lstat(link); errors.Is(err, fs.ErrNotExist) {
				return replace(link, data)
			}
		}
		return replace(path, data)
	case err != nil:
		return err
	case info.IsDir():
		return errDirectory
	case !info.Mode().IsRegular():
		return writeTo(path, data)
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	return replace(target, data)
}

var errDirectory = errors.New("it is a directory")

func writeTo(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}
