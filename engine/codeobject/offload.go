package codeobject

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"isadiff/engine/problem"
)

// An offloadHeader is what an offload binary begins with (llvm/Object/OffloadBinary.h).
type offloadHeader struct {
	version  uint32
	size     uint64 // bytes of the binary with its header
	entries  uint64 // offset of the first entry
	count    uint64 // of the entries
	inflated uint64 // the size before the part after the header was compressed; 0 if it is not
}

const (
	offloadHeaderSize = 32 // without the inflated size, which version 3 added
	offloadEntrySize  = 40
)

func readOffload(s *io.SectionReader) (h offloadHeader, err error) {
	var b [offloadHeaderSize + 8]byte
	n, _ := s.ReadAt(b[:], 0)
	u64 := binary.LittleEndian.Uint64
	h = offloadHeader{version: binary.LittleEndian.Uint32(b[4:]), size: u64(b[8:]), entries: u64(b[16:]), count: u64(b[24:])}
	if h.version >= 3 {
		h.inflated = u64(b[32:])
	}
	switch {
	case n < offloadHeaderSize || h.version >= 3 && n < len(b):
		return h, errors.New("it ends in its header")
	case h.version < 1 || h.version > 3:
		return h, fmt.Errorf("its version is %d, and 1 to 3 are known", h.version)
	case h.size > uint64(s.Size()):
		return h, errOutside
	case h.size < offloadHeaderSize || h.entries < offloadHeaderSize || h.entries > h.size:
		return h, errors.New("its header contradicts itself")
	}
	if h.version == 1 {
		h.count = 1 // it has the size of the entry there
	}
	return h, nil
}

// offload reads an offload binary. It returns its length, 0 if it cannot be told.
func (w *walk) offload(s *io.SectionReader, at place) int64 {
	h, err := readOffload(s)
	if err != nil {
		w.report(at, problem.ObjectMalformed, "an offload binary is damaged: %v", err)
		return 0
	}
	w.Device = true
	if h.inflated == 0 {
		w.images(io.NewSectionReader(s, 0, int64(h.size)), h, at)
		return int64(h.size)
	}
	if h.inflated < h.entries {
		w.report(at, problem.ObjectMalformed, "an offload binary is damaged: its header contradicts itself")
		return int64(h.size)
	}
	packed := io.NewSectionReader(s, int64(h.entries), int64(h.size-h.entries))
	method := uint16(packedZlib)
	var magic [4]byte
	if _, err := packed.ReadAt(magic[:], 0); err == nil && bytes.Equal(magic[:], []byte{0x28, 0xB5, 0x2F, 0xFD}) {
		method = packedZstd
	}
	w.unpack(packed, method, h.inflated-h.entries, at, func(body *io.SectionReader) error {
		// Offsets count from the header, which is not compressed.
		whole := joined{head: io.NewSectionReader(s, 0, int64(h.entries)), tail: body}
		w.images(io.NewSectionReader(whole, 0, int64(h.inflated)), h, at)
		return nil
	})
	return int64(h.size)
}

// images reads the images of an offload binary.
func (w *walk) images(s *io.SectionReader, h offloadHeader, at place) {
	bad := func(format string, args ...any) {
		w.report(at, problem.ObjectMalformed, "an offload binary is damaged: "+format, args...)
	}
	if h.count > maxEntries || h.entries+h.count*offloadEntrySize > uint64(s.Size()) {
		bad("it claims %d entries", h.count)
		return
	}
	parts := pieces{s: s}
	entries := make([]place, 0, h.count)
	for i := range h.count {
		var b [offloadEntrySize]byte
		if _, err := s.ReadAt(b[:], int64(h.entries+i*offloadEntrySize)); err != nil {
			bad("it ends in the list of its entries")
			return
		}
		u64 := binary.LittleEndian.Uint64
		strings, err := offloadStrings(s, h.version, u64(b[8:]), u64(b[16:]))
		if err == nil {
			err = parts.add(u64(b[24:]), u64(b[32:]))
		}
		if err != nil {
			bad("%v", err)
			return
		}
		entry := at
		entry.bundled = true
		entry.depth++
		if triple, arch := strings["triple"], strings["arch"]; triple != "" {
			entry.label = triple
			if arch != "" && arch != "generic" {
				entry.label += " " + arch
				entry.claim = arch
			}
		}
		entries = append(entries, entry)
	}
	if err := parts.apart(int64(h.entries + h.count*offloadEntrySize)); err != nil {
		bad("%v", err)
		return
	}
	for i, image := range parts.list {
		if image.Size() > 0 {
			w.any(image, entries[i])
		}
	}
}

// offloadStrings reads what an entry says of its image.
func offloadStrings(s *io.SectionReader, version uint32, offset, count uint64) (map[string]string, error) {
	size := uint64(24)
	if version == 1 {
		size = 16
	}
	errStrings := errors.New("what it says of an image cannot be read")
	if count > maxEntries {
		return nil, errStrings
	}
	if _, err := within(s, offset, count*size); err != nil {
		return nil, errStrings
	}
	all := map[string]string{}
	for i := range count {
		key, _ := word(s, int64(offset+i*size))
		value, ok := word(s, int64(offset+i*size+8))
		length := uint64(maxID)
		if version > 1 {
			length, ok = word(s, int64(offset+i*size+16))
		}
		if !ok || length > maxID {
			return nil, errStrings
		}
		k, okKey := cString(s, key, maxID)
		v, okValue := cString(s, value, length)
		if !okKey || !okValue {
			return nil, errStrings
		}
		all[k] = v
	}
	return all, nil
}

// cString reads a string that ends at a zero byte, or after limit bytes.
func cString(s *io.SectionReader, offset, limit uint64) (string, bool) {
	if offset > uint64(s.Size()) {
		return "", false
	}
	b := make([]byte, min(limit, uint64(s.Size())-offset))
	if n, err := s.ReadAt(b, int64(offset)); n < len(b) && err != nil {
		return "", false
	}
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(b), true
}

// joined is one reader after another.
type joined struct{ head, tail *io.SectionReader }

func (j joined) ReadAt(p []byte, off int64) (n int, err error) {
	if off < j.head.Size() {
		n, err = j.head.ReadAt(p, off)
		if n == len(p) || err != io.EOF {
			return n, err
		}
	}
	m, err := j.tail.ReadAt(p[n:], off+int64(n)-j.head.Size())
	return n + m, err
}
