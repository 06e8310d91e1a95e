package codeobject

import (
	"bytes"
	"compress/zlib"
	"crypto/md5"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"isadiff/engine/problem"
)

// The ways in which bundles are compressed (llvm::compression::Format).
const (
	packedZlib = 0
	packedZstd = 1
)

// A packedHeader is what a compressed bundle begins with.
type packedHeader struct {
	size     int    // of the header
	method   uint16 // packedZlib or packedZstd
	total    uint64 // bytes with the header; 0 in version 1, which does not say it
	unpacked uint64 // bytes
	hash     uint64 // the first half of the MD5 of the unpacked bytes
}

// readPacked reads the header of a compressed bundle, in one of its three versions
// (llvm/lib/Object/OffloadBundle.cpp).
func readPacked(s io.ReaderAt) (h packedHeader, err error) {
	var b [32]byte
	n, _ := s.ReadAt(b[:], 0)
	u16, u32, u64 := binary.LittleEndian.Uint16, binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
	version := u16(b[4:])
	h.method = u16(b[6:])
	switch version {
	case 1:
		h.size, h.unpacked, h.hash = 20, uint64(u32(b[8:])), u64(b[12:])
	case 2:
		h.size, h.total, h.unpacked, h.hash = 24, uint64(u32(b[8:])), uint64(u32(b[12:])), u64(b[16:])
	case 3:
		h.size, h.total, h.unpacked, h.hash = 32, u64(b[8:]), u64(b[16:]), u64(b[24:])
	default:
		return h, fmt.Errorf("its version is %d, and 1 to 3 are known", version)
	}
	switch {
	case n < h.size:
		return h, errors.New("it ends in its header")
	case h.method != packedZlib && h.method != packedZstd:
		return h, fmt.Errorf("its method of compression is %d, and 0 (zlib) and 1 (zstd) are known", h.method)
	case version > 1 && h.total < uint64(h.size):
		return h, errors.New("it claims to be shorter than its header")
	}
	return h, nil
}

// compressed reads a compressed bundle. It returns its length, 0 if it cannot be
// told.
func (w *walk) compressed(s *io.SectionReader, at place) int64 {
	h, err := readPacked(s)
	length := h.total
	if err == nil && length == 0 {
		length = uint64(untilNext(s, int64(h.size)))
	}
	var body *io.SectionReader
	if err == nil {
		if body, err = within(s, 0, length); err == nil {
			body = io.NewSectionReader(body, int64(h.size), body.Size()-int64(h.size))
		}
	}
	if err != nil {
		w.report(at, problem.ObjectMalformed, "a compressed bundle is damaged: %v", err)
		return 0
	}
	w.unpack(body, h.method, h.unpacked, at, func(bundle *io.SectionReader) error {
		sum := md5.New()
		if _, err := io.Copy(sum, io.NewSectionReader(bundle, 0, bundle.Size())); err != nil {
			return err
		}
		if binary.LittleEndian.Uint64(sum.Sum(nil)) != h.hash {
			return errors.New("what it unpacks to has another MD5 than it says")
		}
		at.depth++
		w.any(bundle, at)
		return nil
	})
	return int64(length)
}

// pageSize is how .hip_fatbin aligns each bundle.
const pageSize = 4096

// untilNext returns where the bundle after a compressed one of version 1 begins,
// which does not say its length; all of s if it is the last. Bundles are aligned to
// pages.
func untilNext(s *io.SectionReader, from int64) int64 {
	magic := make([]byte, len(bundleMagic))
	for pos := (from + pageSize - 1) / pageSize * pageSize; pos < s.Size(); pos += pageSize {
		n, _ := s.ReadAt(magic, pos)
		if bytes.HasPrefix(magic[:n], packedMagic) || bytes.HasPrefix(magic[:n], bundleMagic) {
			return pos
		}
	}
	return s.Size()
}

// unpack unpacks size bytes of packed and calls use with them; an error of either is
// reported.
func (w *walk) unpack(packed *io.SectionReader, method uint16, size uint64, at place, use func(*io.SectionReader) error) {
	var r io.Reader
	var err error
	switch method {
	case packedZlib:
		r, err = zlib.NewReader(packed)
	default:
		var d *zstd.Decoder
		if d, err = zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow)); err == nil {
			defer d.Close()
			r = d
		}
	}
	if err == nil {
		err = w.spool(r, size, use)
	}
	if large, ok := errors.AsType[problem.TooLarge](err); ok {
		w.report(at, problem.InputUnreadable, "what it unpacks to is not read: %v", large)
	} else if err != nil {
		w.report(at, problem.ObjectMalformed, "a compressed bundle is damaged: %v", err)
	}
}

// maxWindow bounds the memory that unpacking zstd takes; clang's long distance
// matching uses a window of 128 MiB at most.
const maxWindow = 256 << 20
