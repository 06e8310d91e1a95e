package kept

import (
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync"

	"isadiff/engine/problem"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// Path returns where the assembly of the snapshot at a path is kept.
func Path(snapshot string) string { return strings.TrimSuffix(snapshot, ".json") + ".isa.zst" }

// An Archive is the assembly of one snapshot. Its methods may be called at the same
// time.
type Archive struct {
	path     string
	snapshot string
	data     io.ReaderAt
	close    func() error
	index    *index

	mu   sync.Mutex
	held int    // the frame that was unpacked last; -1 for none
	text []byte // its text
}

// Open opens the assembly that is kept beside the snapshot that side was loaded from.
// The error is a problem: there is none, it is of other figures, or it is damaged.
func Open(side *resource.Side) (*Archive, error) {
	path := Path(side.Origin)
	if !side.Snapshot || side.Sum == ([32]byte{}) {
		return nil, missing(path, side.Origin, "%s is no snapshot that was read, so no assembly belongs to it", side.Origin)
	}
	f, info, err := regular.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, missing(path, side.Origin, "the assembly of %s is not kept: there is no %s", side.Origin, path)
	case err != nil:
		return nil, missing(path, side.Origin, "the assembly of %s cannot be read: %s: %v", side.Origin, path, problem.Cause(err))
	}
	x, err := readIndex(f, info.Size())
	if err != nil {
		_ = f.Close()
		return nil, missing(path, side.Origin, "the assembly of %s cannot be used: %s: %v", side.Origin, path, err)
	}
	if x.Snapshot != hex.EncodeToString(side.Sum[:]) {
		_ = f.Close()
		return nil, missing(path, side.Origin, "%s is the assembly of other figures than those of %s, so it is not used", path, side.Origin)
	}
	return &Archive{path: path, snapshot: side.Origin, data: f, close: f.Close, index: x, held: -1}, nil
}

// Close ends the use of the archive.
func (a *Archive) Close() { _ = a.close() }

// Text returns the text of the file that a record of the snapshot was read from. It is
// not to be changed. The error is a problem.
func (a *Archive) Text(r *resource.Record) ([]byte, error) {
	n, ok := a.find(r)
	if !ok {
		return nil, missing(a.path, a.snapshot, "%s does not hold the assembly of %s", a.path, r.Key).Of(r.Key)
	}
	text, err := a.read(a.index.Files[n])
	if err != nil {
		return nil, missing(a.path, a.snapshot, "the assembly of %s cannot be used: %s: %v", r.Key, a.path, err).Of(r.Key)
	}
	return text, nil
}

// find returns which of the files is that of a record.
func (a *Archive) find(r *resource.Record) (int, bool) {
	n, ok := a.index.Kernels[r.Key]
	return n, ok && a.index.Files[n].Source == r.Source
}

// read returns the text of a file. Its frame is unpacked to the end, where the checksum
// is, and held, as the next kernel is most often in it as well.
func (a *Archive) read(f file) ([]byte, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	text := a.text
	if a.held != f.Frame {
		at := a.index.Frames[f.Frame]
		var err error
		if text, err = unpack(io.NewSectionReader(a.data, at.At, at.Size), maxText); err != nil {
			return nil, errFrame
		}
		a.held, a.text = -1, nil
		if len(text) <= 2*frameText { // not that of one large file
			a.held, a.text = f.Frame, text
		}
	}
	end := f.At + f.Size
	if end > int64(len(text)) {
		return nil, errFrame
	}
	return text[f.At:end:end], nil
}

func missing(path, snapshot, format string, args ...any) problem.Problem {
	return problem.New(problem.AssemblyMissing, format, args...).In(path).
		Mended("take the snapshot again from dumps of the same code: isadiff snapshot DUMPS -o %s", snapshot)
}
