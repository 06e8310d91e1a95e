package watch

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"os"

	"isadiff/engine/problem"
	"isadiff/engine/regular"
)

const (
	// tailSize is how much of a large file's end is read to find its end marker,
	// which stands some twenty bytes before the end in all that LLVM writes.
	tailSize = 64 << 10
	// wholeSize is how large a file may be to be read whole and held.
	wholeSize = 8 << 20
	// heldSize is how many bytes of contents one batch holds.
	heldSize = 32 << 20
)

// errChanged is that a file is no longer what it was found to be.
var errChanged = errors.New("the file has changed since it was looked at")

// A version is one content that a file had.
type version struct {
	stamp  regular.Stamp
	cut    bool
	hashed bool
	sum    [sha256.Size]byte
	data   []byte // nil if not held
}

// same says that two versions are known to have the same content.
func (v version) same(w version) bool {
	if v.cut != w.cut || v.hashed != w.hashed {
		return false
	}
	if v.hashed {
		return v.sum == w.sum
	}
	return v.stamp == w.stamp
}

// A depth is how much of a file is read.
type depth uint8

const (
	tail  depth = iota // what tells whether it is complete
	sum                // all, once, for its hash
	whole              // all, to be held
)

// examine reads a file that has the given stamp. It returns errChanged if it has
// another one before or after. The memory of scratch is used again.
func examine(path string, st regular.Stamp, end string, d depth, thorough bool, scratch *[]byte) (v version, complete bool, err error) {
	f, err := openStamped(path, st)
	if err != nil {
		return version{}, false, err
	}
	defer f.Close()
	v.stamp = st
	if d == whole {
		v.data = make([]byte, st.Size)
		if _, err := io.ReadFull(f, v.data); err != nil {
			return version{}, false, unexpected(err)
		}
		v.sum, v.hashed = sha256.Sum256(v.data), true
		complete = end == "" || bytes.LastIndex(v.data, []byte(end)) >= 0
	} else {
		if complete, err = ends(f, st.Size, end, thorough, scratch); err != nil {
			return version{}, false, unexpected(err)
		}
		if d == sum {
			h := sha256.New()
			if _, err := io.Copy(h, io.NewSectionReader(f, 0, st.Size)); err != nil {
				return version{}, false, unexpected(err)
			}
			h.Sum(v.sum[:0])
			v.hashed = true
		}
	}
	if after, err := regular.Stat(path); err != nil || after != st {
		return version{}, false, errChanged
	}
	return v, complete, nil
}

// openStamped opens a file that still has the given stamp.
func openStamped(path string, st regular.Stamp) (*os.File, error) {
	f, fi, err := regular.Open(path)
	switch {
	case errors.Is(err, problem.ErrNotRegular): // it took the file's place
		return nil, errChanged
	case err != nil:
		return nil, err
	case regular.StampOf(fi) != st:
		f.Close()
		return nil, errChanged
	}
	return f, nil
}

// unexpected makes of a file that ended too soon one that changed.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errChanged
	}
	return err
}

// ends says whether the end marker stands in the last part of a file or, with
// thorough, anywhere in it.
func ends(f io.ReaderAt, size int64, end string, thorough bool, scratch *[]byte) (bool, error) {
	if end == "" {
		return true, nil
	}
	if *scratch == nil {
		*scratch = make([]byte, tailSize)
	}
	buf := (*scratch)[:min(size, tailSize)]
	for at := size - int64(len(buf)); ; {
		n, err := f.ReadAt(buf, at)
		if err != nil && !(errors.Is(err, io.EOF) && n == len(buf)) {
			return false, err
		}
		if bytes.Contains(buf, []byte(end)) {
			return true, nil
		}
		if !thorough || at == 0 {
			return false, nil
		}
		// The next part overlaps this one by all but one byte of the marker.
		at = max(0, at-int64(len(buf)-len(end)+1))
	}
}
