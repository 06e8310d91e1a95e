// Package regular opens regular files and nothing else. A file of a tree that
// others write to can be replaced by a pipe between the moment that it is looked
// at and the moment that it is opened, and opening a pipe blocks until somebody
// writes to it: so files are opened without blocking, and looked at when they are
// open.
package regular

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"

	"isadiff/engine/problem"
)

// Open opens the regular file at path for reading and says what it is. Of
// anything else the error is [problem.ErrNotRegular].
func Open(path string) (*os.File, fs.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) { // a socket
		return nil, nil, problem.ErrNotRegular
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = problem.ErrNotRegular
	}
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// Most is the size in bytes above which a file is not read: assembly of one directory
// has some megabytes, a snapshot some kilobytes a kernel.
const Most = 256 << 20

// Read reads the regular file at path. Of one that is larger than Most the error is a
// [problem.TooLarge].
func Read(path string) ([]byte, error) { return ReadWithin(path, Most) }

// ReadWithin is Read for a file of at most limit bytes.
func ReadWithin(path string, limit int64) ([]byte, error) {
	f, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > limit {
		return nil, problem.TooLarge(limit)
	}
	data, err := read(io.LimitReader(f, limit+1), info.Size()) // it may grow
	if int64(len(data)) > limit {
		return nil, problem.TooLarge(limit)
	}
	return data, err
}

// ReadUpTo reads the regular file at path up to limit bytes.
func ReadUpTo(path string, limit int64) ([]byte, error) {
	f, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(io.LimitReader(f, limit), min(info.Size(), limit))
}

// read reads all, which is about size bytes.
func read(r io.Reader, size int64) ([]byte, error) {
	data := make([]byte, 0, size+512)
	for {
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return data, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}
