package snapshot

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"runtime"

	"isadiff/engine/problem"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// Load reads the snapshot at path. The side is never nil: what is wrong with the
// file is in its problems, and a side that cannot be believed at all holds no
// kernels.
func Load(path string) (*resource.Side, Meta) {
	data, err := regular.Read(path)
	if err != nil {
		return refuse(path, unreadable(path, err)), Meta{}
	}
	return Decode(path, data)
}

// A Sum stands for the text of a snapshot. The zero Sum is that of none.
type Sum [sha256.Size]byte

// LoadChanged is Load for a file that is loaded again and again: side is nil if
// its text is still the one of last.
func LoadChanged(path string, last Sum) (side *resource.Side, meta Meta, sum Sum) {
	if last != (Sum{}) && sumOf(path) == last {
		return nil, Meta{}, last
	}
	data, err := regular.Read(path)
	if err != nil {
		return refuse(path, unreadable(path, err)), Meta{}, Sum{}
	}
	side, meta = Decode(path, data)
	return side, meta, side.Sum
}

// sumOf returns the Sum of a file, without holding all of it; the zero Sum if it
// cannot be read.
func sumOf(path string) (sum Sum) {
	f, _, err := regular.Open(path)
	if err != nil {
		return Sum{}
	}
	defer f.Close()
	h, chunk := sha256.New(), make([]byte, 64<<10)
	for {
		n, err := f.Read(chunk)
		h.Write(chunk[:n])
		if err == io.EOF {
			break
		}
		if err != nil {
			return Sum{}
		}
		runtime.Gosched() // a server has requests to answer meanwhile
	}
	h.Sum(sum[:0])
	return sum
}

func unreadable(path string, err error) problem.Problem {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return problem.New(problem.InputNotFound, "%s does not exist", path)
	case errors.Is(err, problem.ErrNotRegular):
		return problem.New(problem.InputKind, "%s is no regular file", path)
	default:
		return problem.Unreadable(path, err)
	}
}

// refuse returns a side that could not be read.
func refuse(path string, ps ...problem.Problem) *resource.Side {
	for i := range ps {
		ps[i] = ps[i].In(path)
	}
	return &resource.Side{Origin: path, Snapshot: true, Problems: ps}
}
