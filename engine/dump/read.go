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

	"isadiff/engine/isa"
	"isadiff/engine/locate"
	"isadiff/engine/problem"
	"isadiff/engine/regular"
)

// A reader reads files into a buffer that it uses again.
type reader struct {
	buffer  []byte
	parser  isa.Parser
	origins locate.OriginParser
	large   *sync.Mutex // held while a large file is in memory; shared by the workers of a walk
	holds   bool
}

// largeSize is the size from which on files are read one at a time, so that many
// workers need no more memory than one does.
const largeSize = 4 << 20

var errUnstable = errors.New("it changed while it was read, and again on a second try")

// settleTime is how long ago a file must have been written for one look at it to
// be enough. File times are as coarse as the kernel's clock tick, so of a younger
// file two writes may look like one.
const settleTime = 30 * time.Millisecond

// file returns the content of a regular file at rest. The data is valid until
// release.
func (r *reader) file(ctx context.Context, path string, opt Options) ([]byte, regular.Stamp, error) {
	if opt.Held != nil {
		if data, was := opt.Held(path); data != nil {
			if now, err := regular.Stat(path); err == nil && now == was {
				return data, now, nil
			}
		}
	}
	for try := 0; ; try++ {
		if err := ctx.Err(); err != nil {
			return nil, regular.Stamp{}, err
		}
		data, s, err := r.once(path, opt)
		if err == nil {
			return data, s, nil
		}
		r.release()
		if !errors.Is(err, errUnstable) && !errors.Is(err, fs.ErrNotExist) || try == 1 {
			return nil, regular.Stamp{}, err
		}
		select {
		case <-time.After(settleTime):
		case <-ctx.Done():
			return nil, regular.Stamp{}, ctx.Err()
		}
	}
}

// once reads a file and makes sure that it did not change meanwhile.
func (r *reader) once(path string, opt Options) ([]byte, regular.Stamp, error) {
	f, info, err := regular.Open(path)
	if err != nil {
		return nil, regular.Stamp{}, err
	}
	defer f.Close()
	s := regular.StampOf(info)
	if s.Size > regular.Most {
		return nil, regular.Stamp{}, problem.TooLarge(regular.Most)
	}
	data, err := r.fill(f, s.Size)
	if err != nil {
		return nil, regular.Stamp{}, err
	}
	info, err = f.Stat()
	if err == nil && (regular.StampOf(info) != s || int64(len(data)) != s.Size) {
		err = errUnstable
	}
	if err == nil && !opt.Settled && time.Since(s.ModTime).Abs() < settleTime {
		err = confirm(f, path, data, s)
	}
	return data, s, err
}

// confirm makes sure that a file that was written a moment ago is at rest.
func confirm(f *os.File, path string, data []byte, s regular.Stamp) error {
	time.Sleep(settleTime)
	after, err := regular.Stat(path)
	if err != nil {
		return err
	}
	if after != s {
		return errUnstable
	}
	var again [32 << 10]byte
	for at := 0; ; {
		n, err := f.ReadAt(again[:], int64(at))
		if at+n > len(data) || string(again[:n]) != string(data[at:at+n]) {
			return errUnstable
		}
		at += n
		switch {
		case err == io.EOF && at == len(data):
			return nil
		case err == io.EOF:
			return errUnstable
		case err != nil:
			return err
		}
	}
}

// fill reads a file of an expected size.
func (r *reader) fill(f io.Reader, size int64) ([]byte, error) {
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
		if int64(len(data)) == size { // whether it grew, its stamp tells
			return data, nil
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
