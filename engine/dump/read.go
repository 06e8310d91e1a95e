package dump

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"isadiff/engine/problem"
)

// A reader reads files into a buffer that it uses again.
type reader struct {
	buffer []byte
	large  *sync.Mutex // held while a large file is in memory; shared by the workers of a walk
	holds  bool
}

// largeSize is the size from which on files are read one at a time, so that many
// workers need no more memory than one does.
const largeSize = 4 << 20

var (
	errUnstable   = errors.New("it changed while it was read, and again on a second try")
	errNotRegular = errors.New("it is no regular file")
)

// settleTime is how long ago a file must have been written for one look at it to
// be enough. File times are as coarse as the kernel's clock tick, so of a younger
// file two writes may look like one.
const settleTime = 30 * time.Millisecond

// file returns the content of a regular file at rest. The data is valid until
// release.
func (r *reader) file(ctx context.Context, path string, opt Options) ([]byte, fs.FileInfo, error) {
	for try := 0; ; try++ {
		data, info, err := r.once(path, opt)
		if err == nil {
			return data, info, nil
		}
		if !errors.Is(err, errUnstable) && !errors.Is(err, fs.ErrNotExist) || try == 1 {
			return nil, nil, err
		}
		select {
		case <-time.After(settleTime):
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
}

// once reads a file and makes sure that it did not change meanwhile.
func (r *reader) once(path string, opt Options) ([]byte, fs.FileInfo, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, errNotRegular
	}
	data, err := r.fill(f, info.Size())
	if err != nil {
		r.release()
		return nil, nil, err
	}
	after, err := f.Stat()
	if err == nil && (after.Size() != info.Size() || int64(len(data)) != info.Size() || !after.ModTime().Equal(info.ModTime())) {
		err = errUnstable
	}
	if err == nil && !opt.Settled && time.Since(info.ModTime()).Abs() < settleTime {
		err = r.confirm(f, data, info)
	}
	if err != nil {
		r.release()
		return nil, nil, err
	}
	return data, after, nil
}

// confirm makes sure that a file that was written a moment ago is at rest.
func (r *reader) confirm(f *os.File, data []byte, info fs.FileInfo) error {
	time.Sleep(settleTime)
	after, err := os.Stat(f.Name())
	if err != nil {
		return err
	}
	if !os.SameFile(info, after) || after.Size() != info.Size() || !after.ModTime().Equal(info.ModTime()) {
		return errUnstable
	}
	same, err := sameContent(f, data)
	if err == nil && !same {
		err = errUnstable
	}
	return err
}

func sameContent(f *os.File, data []byte) (bool, error) {
	var chunk [32 << 10]byte
	for at := 0; ; {
		n, err := f.ReadAt(chunk[:], int64(at))
		if at+n > len(data) || string(chunk[:n]) != string(data[at:at+n]) {
			return false, nil
		}
		at += n
		if err == io.EOF {
			return at == len(data), nil
		}
		if err != nil {
			return false, err
		}
	}
}

// fill reads a file of an expected size.
func (r *reader) fill(f *os.File, size int64) ([]byte, error) {
	data := r.buffer[:0]
	switch {
	case size > largeSize:
		r.large.Lock()
		r.holds = true
		data = make([]byte, 0, size+1)
	case int64(cap(data)) <= size:
		r.buffer = make([]byte, 0, size+size/4+512)
		data = r.buffer
	}
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, nil
		}
		if err != nil {
			return data, err
		}
		if len(data) == cap(data) { // it grew
			return data, errUnstable
		}
	}
}

// release ends the use of what file returned.
func (r *reader) release() {
	if r.holds {
		r.holds = false
		r.large.Unlock()
	}
}

// readProblem makes a problem of an error of file.
func readProblem(source string, err error) problem.Problem {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return problem.New(problem.InputUnstable, "%s vanished before it could be read, and again on a second try", source).In(source)
	case errors.Is(err, errUnstable):
		return problem.New(problem.InputUnstable, "%s: %v", source, err).In(source)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return problem.New(problem.InputUnstable, "%s was not read: %v", source, fmt.Errorf("interrupted: %w", err)).In(source)
	}
	return unreadable(source, err)
}
