package kept

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/klauspost/compress/zstd"

	"isadiff/engine/regular"
)

const (
	mark       = "isadiff: the assembly of a snapshot, form 1\n" // begins every archive
	endMark    = "isa1"                                          // ends it
	skippable  = 0x184D2A50                                      // the magic number of a frame that decoders pass over
	headSize   = 8                                               // of such a frame: the number and the size of what follows
	tailSize   = 4 + len(endMark)                                // the size of the packed index, and the mark
	frameText  = 1 << 20                                         // bytes of text after which a frame ends
	maxText    = frameText + regular.Most                        // of a frame, in bytes
	maxPacked  = 64 << 20                                        // of the index, in bytes
	maxIndex   = 128 << 20                                       // unpacked
	maxValues  = 3_000_000                                       // in the index
	window     = 1 << 20                                         // how far back a frame refers, in bytes
	maxWindow  = 8 << 20                                         // of what is read
	firstFrame = int64(headSize + len(mark))                     // where the text begins
)

// An index says where the text of each kernel is.
type index struct {
	Snapshot string         `json:"snapshot"` // SHA-256 of the text of the snapshot, in hexadecimal digits
	Frames   []span         `json:"frames"`   // of the archive
	Files    []file         `json:"files"`
	Kernels  map[string]int `json:"kernels"` // key: which of the files
}

// A span is a part of something, in bytes.
type span struct {
	At   int64 `json:"at"`
	Size int64 `json:"size"`
}

// A file is the text of one .s file: a part of the text of a frame.
type file struct {
	span
	Frame  int    `json:"frame"`
	Source string `json:"source"` // as resource.Record has it
}

// head returns the beginning of a skippable frame.
func head(size int) []byte {
	return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, skippable), uint32(size))
}

// begin returns the first frame.
func begin() []byte { return append(head(len(mark)), mark...) }

// end returns the last frame.
func (x *index) end(e *zstd.Encoder) ([]byte, error) {
	text, err := json.Marshal(x, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	packed := e.EncodeAll(text, nil)
	if len(packed) > maxPacked || len(text) > maxIndex {
		return nil, errors.New("it would hold more kernels than can be read again")
	}
	frame := append(head(len(packed)+tailSize), packed...)
	frame = binary.LittleEndian.AppendUint32(frame, uint32(len(packed)))
	return append(frame, endMark...), nil
}

var (
	errCut   = errors.New("its end is missing or damaged")
	errIndex = errors.New("its index is damaged")
	errFrame = errors.New("its text is damaged")
	errLarge = errors.New("it holds more than an archive does")
)

// readIndex reads the index of an archive of size bytes, and makes sure that all that it
// names is within the archive.
func readIndex(r io.ReaderAt, size int64) (*index, error) {
	if !isArchive(r, size) {
		return nil, errors.New("it is no archive of assembly")
	}
	tail := make([]byte, tailSize)
	if _, err := r.ReadAt(tail, size-int64(tailSize)); err != nil || string(tail[4:]) != endMark {
		return nil, errCut
	}
	packed := int64(binary.LittleEndian.Uint32(tail))
	at := size - int64(tailSize) - packed - headSize
	if packed > maxPacked || at < firstFrame {
		return nil, errCut
	}
	first := make([]byte, headSize)
	if _, err := r.ReadAt(first, at); err != nil || !bytes.Equal(first, head(int(packed)+tailSize)) {
		return nil, errCut
	}
	text, err := unpack(io.NewSectionReader(r, at+headSize, packed), maxIndex)
	if err != nil {
		return nil, errIndex
	}
	if bytes.Count(text, []byte(",")) > maxValues {
		return nil, errLarge
	}
	x := new(index)
	if err := json.Unmarshal(text, x); err != nil || !x.within(at) {
		return nil, errIndex
	}
	return x, nil
}

// within reports whether all parts are where they can be in an archive whose text ends
// at a place.
func (x *index) within(end int64) bool {
	if sum, err := hex.DecodeString(x.Snapshot); err != nil || len(sum) != 32 {
		return false
	}
	for _, f := range x.Frames {
		if f.At < firstFrame || f.At > end || f.Size < 0 || f.Size > end-f.At {
			return false
		}
	}
	for _, f := range x.Files {
		if f.Frame < 0 || f.Frame >= len(x.Frames) || f.At < 0 || f.At > maxText || f.Size < 0 || f.Size > maxText-f.At {
			return false
		}
	}
	for _, n := range x.Kernels {
		if n < 0 || n >= len(x.Files) {
			return false
		}
	}
	return true
}

// isArchive reports whether a file begins as an archive, whole or damaged, or is empty.
func isArchive(r io.ReaderAt, size int64) bool {
	if size == 0 {
		return true
	}
	first := make([]byte, firstFrame)
	_, err := r.ReadAt(first, 0)
	return err == nil && bytes.Equal(first, begin())
}

// unpack returns the text of frames, which has at most limit bytes.
func unpack(r io.Reader, limit int64) ([]byte, error) {
	d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var text bytes.Buffer
	n, err := text.ReadFrom(io.LimitReader(d, limit+1))
	if err == nil && n > limit {
		err = errLarge
	}
	return text.Bytes(), err
}
