//go:build unix

package dump

import (
	"io"
	"io/fs"
	"time"

	"golang.org/x/sys/unix"
)

// A file is an open file. It does without os.File, which offers each regular
// file to the poller in vain: a tree of many small files is read in half the
// system calls.
type file struct{ fd int }

// openFile opens a file for reading. A pipe that took the file's place since it
// was listed must not block.
func openFile(path string) (file, error) {
	for {
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != unix.EINTR {
			return file{fd}, err
		}
	}
}

func (f file) close() { unix.Close(f.fd) }

func (f file) stamp() (stamp, error) {
	var s unix.Stat_t
	if err := unix.Fstat(f.fd, &s); err != nil {
		return stamp{}, err
	}
	return stampOf(&s), nil
}

func (f file) read(p []byte) (int, error) {
	for {
		n, err := unix.Read(f.fd, p)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

func (f file) rewind() error {
	_, err := unix.Seek(f.fd, 0, io.SeekStart)
	return err
}

// stat returns the stamp of the file at a path.
func stat(path string) (stamp, error) {
	var s unix.Stat_t
	for {
		err := unix.Stat(path, &s)
		switch err {
		case nil:
			return stampOf(&s), nil
		case unix.EINTR:
			continue
		}
		return stamp{}, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
}

func stampOf(s *unix.Stat_t) stamp {
	return stamp{
		regular:  s.Mode&unix.S_IFMT == unix.S_IFREG,
		size:     s.Size,
		modTime:  time.Unix(s.Mtim.Unix()),
		identity: identity{uint64(s.Dev), s.Ino},
	}
}
