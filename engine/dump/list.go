package dump

import "io/fs"

// An entry is a name in a directory.
type entry struct {
	name string
	kind kind
}

// A kind tells files from directories.
type kind uint8

const (
	kindUnknown kind = iota
	kindFile         // a regular one
	kindDir
	kindLink
	kindOther // pipes, devices, sockets
)

func kindOf(mode fs.FileMode) kind {
	switch mode.Type() {
	case 0:
		return kindFile
	case fs.ModeDir:
		return kindDir
	case fs.ModeSymlink:
		return kindLink
	}
	return kindOther
}

// listBuffer is the size of the buffer for one directory's records.
const listBuffer = 16 << 10

// list returns the entries of a directory in no order.
func (r *reader) list(dir string) ([]entry, error) {
	if r.records == nil {
		r.records = make([]byte, listBuffer)
	}
	return list(dir, r.records)
}
