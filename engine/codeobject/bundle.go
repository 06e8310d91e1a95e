package codeobject

import (
	"encoding/binary"
	"io"
	"strings"

	"isadiff/engine/problem"
)

// Bounds of a bundle: clang makes one entry for each target.
const (
	maxEntries = 4096
	maxID      = 4096
)

// bundle reads a bundle of clang (ClangOffloadBundler, "Bundled Binary File Layout"):
// the magic, the number of entries, and of each the offset and the size of its code
// and what it is for. It returns the length of the bundle, 0 if it cannot be told.
func (w *walk) bundle(s *io.SectionReader, at place) int64 {
	bad := func(format string, args ...any) int64 {
		w.report(at, problem.ObjectMalformed, "a bundle is damaged: "+format, args...)
		return 0
	}
	pos := int64(len(bundleMagic))
	count, ok := word(s, pos)
	switch {
	case !ok:
		return bad("it ends in its header")
	case count > maxEntries:
		return bad("it claims %d entries", count)
	}
	pos += 8
	w.Device = true
	end := pos
	seen := map[[2]uint64]bool{}
	for range count {
		offset, _ := word(s, pos)
		size, _ := word(s, pos+8)
		length, ok := word(s, pos+16)
		if !ok || length > maxID {
			return bad("it ends in the list of its entries")
		}
		id := make([]byte, length)
		if _, err := s.ReadAt(id, pos+24); err != nil && length > 0 {
			return bad("it ends in the list of its entries")
		}
		pos += 24 + int64(length)
		code, err := within(s, offset, size)
		if err != nil {
			return bad("the code of its entry %q: %v", clean(string(id)), err)
		}
		end = max(end, pos, int64(offset+size))
		kind, target, _ := strings.Cut(string(id), "-")
		if kind == "host" || size == 0 {
			continue
		}
		if seen[[2]uint64{offset, size}] {
			return bad("two of its entries share their code")
		}
		seen[[2]uint64{offset, size}] = true
		entry := at
		entry.bundled, entry.claim, entry.label = true, target, string(id)
		entry.depth++
		w.any(code, entry)
	}
	return end
}

// word reads 64 bits.
func word(s io.ReaderAt, pos int64) (uint64, bool) {
	var b [8]byte
	_, err := s.ReadAt(b[:], pos)
	return binary.LittleEndian.Uint64(b[:]), err == nil
}
