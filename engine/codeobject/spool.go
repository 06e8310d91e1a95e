package codeobject

import (
	"bytes"
	"errors"
	"io"
	"os"

	"isadiff/engine/problem"
)

// Bounds of what is unpacked.
const (
	inMemory    = 8 << 20  // bytes that are held in memory; more goes into a temporary file
	maxUnpacked = 8 << 30  // bytes of one bundle, or of one file of a wheel
	maxTotal    = 64 << 30 // bytes of all in one file
)

var errShort = errors.New("it unpacks to fewer bytes than it says")

// spool calls use with the size bytes that r gives. They are held in memory, or in a
// temporary file if they are many, until use returns.
func (w *walk) spool(r io.Reader, size uint64, use func(*io.SectionReader) error) error {
	if size > maxUnpacked {
		return problem.TooLarge(maxUnpacked)
	}
	if w.unpacked += int64(size); w.unpacked > maxTotal {
		return problem.TooLarge(maxTotal)
	}
	var held interface {
		io.Writer
		io.ReaderAt
	} = new(memory)
	if size > inMemory {
		f, err := os.CreateTemp("", "isadiff-unpacked-")
		if err != nil {
			return err
		}
		_ = os.Remove(f.Name()) // where the system can, so that a kill leaves nothing
		defer func() {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}()
		held = f
	}
	n, err := io.Copy(held, io.LimitReader(interruptible{w, r}, int64(size)))
	switch {
	case err != nil:
		return err
	case n < int64(size):
		return errShort
	}
	return use(io.NewSectionReader(held, 0, n))
}

// An interruptible reader ends when the walk does.
type interruptible struct {
	w *walk
	r io.Reader
}

func (i interruptible) Read(p []byte) (int, error) {
	if err := i.w.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}

// memory is a file in memory.
type memory struct{ bytes.Buffer }

func (m *memory) ReadAt(p []byte, off int64) (int, error) {
	return bytes.NewReader(m.Bytes()).ReadAt(p, off)
}
