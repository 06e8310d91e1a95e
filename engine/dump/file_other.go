//go:build !unix

package dump

import (
	"io"
	"os"
)

// A file is an open file.
type file struct{ *os.File }

func openFile(path string) (file, error) {
	f, err := os.Open(path)
	return file{f}, err
}

func (f file) close() { f.Close() }

func (f file) stamp() (stamp, error) {
	info, err := f.Stat()
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}

func (f file) read(p []byte) (int, error) { return f.Read(p) }

func (f file) rewind() error {
	_, err := f.Seek(0, io.SeekStart)
	return err
}

// stat returns the stamp of the file at a path.
func stat(path string) (stamp, error) {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}

// stampOf knows no identity of a file: its size and time must do.
func stampOf(info os.FileInfo) stamp {
	return stamp{regular: info.Mode().IsRegular(), size: info.Size(), modTime: info.ModTime()}
}
