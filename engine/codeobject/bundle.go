package codeobject

import (
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"slices"
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
	parts := pieces{s: s}
	ids := make([]string, 0, count)
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
		ids = append(ids, string(id))
		if err := parts.add(offset, size); err != nil {
			return bad("the code of its entry %q: %v", clean(string(id)), err)
		}
	}
	if err := parts.apart(pos); err != nil {
		return bad("%v", err)
	}
	end := pos
	for i, code := range parts.list {
		end = max(end, parts.at[i]+code.Size())
		w.entry(code, ids[i], at)
	}
	return end
}

// pieces are parts of what holds them. That they lie apart bounds the work of reading
// all of them, however deep they hold one another.
type pieces struct {
	s    *io.SectionReader
	list []*io.SectionReader
	at   []int64
}

func (p *pieces) add(offset, size uint64) error {
	piece, err := within(p.s, offset, size)
	if err != nil {
		return err
	}
	p.list, p.at = append(p.list, piece), append(p.at, int64(offset))
	return nil
}

// apart reports whether any two of the pieces overlap, or one begins before the end
// of the header.
func (p *pieces) apart(header int64) error {
	order := make([]int, 0, len(p.list))
	for i, piece := range p.list {
		if piece.Size() > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(p.at[i], p.at[j]) })
	for _, i := range order {
		if p.at[i] < header {
			return errors.New("two of its parts overlap")
		}
		header = p.at[i] + p.list[i].Size()
	}
	return nil
}

// entry reads the code of one target: an entry of a bundle, or the section of an
// object file that clang calls after it. The identity says for whom it is,
// "hipv4-amdgcn-amd-amdhsa--gfx942".
func (w *walk) entry(code *io.SectionReader, id string, at place) {
	kind, target, _ := strings.Cut(id, "-")
	if kind == "host" || code.Size() == 0 {
		return
	}
	at.bundled, at.claim, at.label = true, target, id
	at.depth++
	w.any(code, at)
}

// word reads 64 bits.
func word(s io.ReaderAt, pos int64) (uint64, bool) {
	var b [8]byte
	_, err := s.ReadAt(b[:], pos)
	return binary.LittleEndian.Uint64(b[:]), err == nil
}
