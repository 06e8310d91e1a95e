// Package atomicfile writes files whole or not at all: into a temporary file
// beside the target, synced, then renamed over it. A crash, an interrupt or a
// full disk leaves the old file as it was.
package atomicfile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write replaces the file at path with data. The directory must exist. An
// existing file keeps its permissions; a new one gets 0666 less the umask. A
// symbolic link is followed, so that it stays one.
//
// What is no regular file (a pipe, a terminal, /dev/null) cannot be replaced and
// is written to instead. So is an open file: /dev/stdout, /dev/fd/3, or the file
// that stdout is directed to.
func Write(path string, data []byte) error {
	return WriteFunc(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteFunc is [Write] with what content writes: for what is too large to hold in
// memory as well. An error of content leaves the old file as it was.
func WriteFunc(path string, content func(io.Writer) error) error {
	to, err := resolve(path)
	switch {
	case err != nil:
		return err
	case to.stream != nil:
		return buffered(to.stream, content)
	case to.open:
		return appendTo(to.path, content)
	default:
		return replace(to.path, content)
	}
}

// Replaces reports whether Write would replace a file at path rather than write
// to what is open or no file: what it wrote there can be written again.
func Replaces(path string) bool {
	to, err := resolve(path)
	return err == nil && to.stream == nil && !to.open
}

// A target is where the content goes.
type target struct {
	path   string   // without links
	stream *os.File // stdout or stderr, if it is the same file
	open   bool     // to be written to, not replaced
}

func resolve(path string) (target, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if link, err := os.Readlink(path); err == nil { // dangling: create what it points to
			if !filepath.IsAbs(link) {
				link = filepath.Join(filepath.Dir(path), link)
			}
			if _, err := os.Lstat(link); errors.Is(err, fs.ErrNotExist) {
				return target{path: link}, nil
			}
		}
		return target{path: path}, nil
	case err != nil:
		return target{}, err
	case info.IsDir():
		return target{}, errDirectory
	case !info.Mode().IsRegular():
		return target{path: path, open: true}, nil
	}
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if at, err := f.Stat(); err == nil && os.SameFile(at, info) {
			return target{path: path, stream: f}, nil
		}
	}
	if descriptor(path) {
		return target{path: path, open: true}, nil
	}
	path, err = filepath.EvalSymlinks(path)
	return target{path: path}, err
}

// descriptor reports whether path leads through the directory of a process's
// open files: /dev/fd/3 and whatever links to it.
func descriptor(path string) bool {
	for range 40 { // as many links as Linux follows
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return false
		}
		for _, pattern := range []string{"/dev/fd", "/proc/*/fd", "/proc/*/task/*/fd"} {
			if is, _ := filepath.Match(pattern, dir); is {
				return true
			}
		}
		link, err := os.Readlink(path)
		if err != nil {
			return false
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(dir, link)
		}
		path = link
	}
	return false
}

var errDirectory = errors.New("it is a directory")

// appendTo writes to what is open. Opened anew, a file has a place of its own to
// write at, so the content goes to the end.
func appendTo(path string, content func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	err = buffered(f, content)
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

func buffered(w io.Writer, content func(io.Writer) error) error {
	b := bufio.NewWriterSize(w, 64<<10)
	if err := content(b); err != nil {
		return err
	}
	return b.Flush()
}
