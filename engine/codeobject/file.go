package codeobject

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"strings"

	"isadiff/engine/isa"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// An Object is one code object of a file.
type Object struct {
	Path    string // of the file within a wheel, in slashes; "" if it is not in one
	Bundled bool   // it is in a bundle or a host binary, where code objects for other targets can be
	File    *isa.File
}

// Found is what a file holds besides code objects.
type Found struct {
	Device   bool              // the file holds device code, whether it could be read or not
	Problems []problem.Problem // without the name of the file
	Warnings []string          // what was passed over and why, without the name of the file
}

// The bytes that files begin with.
var (
	elfMagic     = []byte("\x7fELF")
	bundleMagic  = []byte("__CLANG_OFFLOAD_BUNDLE__")
	packedMagic  = []byte("CCOB")
	offloadMagic = []byte{0x10, 0xFF, 0x10, 0xAD}
	zipMagic     = []byte("PK\x03\x04")
	bitcodeMagic = []byte("BC\xC0\xDE")
)

// HeaderSize is how many bytes of a file [May] asks for.
const HeaderSize = 24

// May reports whether a file that begins with header can hold code objects.
func May(header []byte) bool {
	for _, magic := range [][]byte{elfMagic, bundleMagic, packedMagic, offloadMagic, zipMagic} {
		if bytes.HasPrefix(header, magic) {
			return true
		}
	}
	return false
}

// IsZip reports whether a file that begins with header is a zip archive, which many
// files are that hold something else.
func IsZip(header []byte) bool { return bytes.HasPrefix(header, zipMagic) }

// Read calls visit for each code object of a file of size bytes.
func Read(ctx context.Context, r io.ReaderAt, size int64, visit func(Object)) Found {
	w := walk{ctx: ctx, visit: visit}
	w.any(io.NewSectionReader(r, 0, size), place{})
	return w.Found
}

// A walk goes over a file and what is in it.
type walk struct {
	Found
	ctx      context.Context
	visit    func(Object)
	path     string // within a wheel
	unpacked int64  // bytes so far
}

// A place is where in a file something is.
type place struct {
	label   string // as messages name it; "" for the file itself
	claim   string // the target that the bundle says its code is for; "" if none says it
	bundled bool
	depth   int // of bundles within bundles
}

// maxDepth bounds bundles within bundles. None of a compiler is deeper than two: an
// offload binary that holds a bundle.
const maxDepth = 4

func (w *walk) report(at place, code problem.Code, format string, args ...any) {
	w.Device = true
	w.Problems = append(w.Problems, problem.New(code, "%s", w.say(at, format, args...)))
}

func (w *walk) pass(at place, format string, args ...any) {
	w.Device = true
	w.Warnings = append(w.Warnings, w.say(at, format, args...))
}

func (w *walk) say(at place, format string, args ...any) string {
	message := fmt.Sprintf(format, args...)
	for _, where := range []string{at.label, w.path} {
		if where != "" {
			message = clean(where) + ": " + message
		}
	}
	return message
}

// any reads whatever begins at the start of s.
func (w *walk) any(s *io.SectionReader, at place) {
	if w.ctx.Err() != nil {
		return
	}
	header := make([]byte, HeaderSize)
	n, err := s.ReadAt(header, 0)
	header = header[:n]
	switch {
	case err != nil && err != io.EOF:
		w.report(at, problem.InputUnreadable, "it cannot be read: %v", problem.Cause(err))
	case at.depth > maxDepth:
		w.report(at, problem.ObjectMalformed, "it has bundles within bundles, more than %d deep", maxDepth)
	case bytes.HasPrefix(header, elfMagic):
		w.elf(s, at)
	case bytes.HasPrefix(header, zipMagic) && at.depth == 0 && w.path == "":
		w.wheel(s)
	case bytes.HasPrefix(header, bundleMagic), bytes.HasPrefix(header, packedMagic), bytes.HasPrefix(header, offloadMagic):
		w.sequence(s, at)
	case bytes.HasPrefix(header, bitcodeMagic):
		w.pass(at, "it holds LLVM bitcode, which the linker compiles: look at what was linked of it")
	case promised(at):
		w.report(at, problem.ObjectMalformed, "it holds neither a code object nor LLVM bitcode")
	case at.bundled:
		w.pass(at, "it holds neither a code object nor LLVM bitcode")
	}
}

// promised reports whether what something comes in says that it is for an AMD GPU.
func promised(at place) bool {
	_, _, ok := claimed(at.claim)
	return ok
}

// sequence reads the bundles and offload binaries that follow each other, with zeros
// between them.
func (w *walk) sequence(s *io.SectionReader, at place) {
	at.bundled = true
	at.depth++
	for pos := int64(0); w.ctx.Err() == nil; {
		pos = nextByte(s, pos)
		if pos >= s.Size() {
			return
		}
		rest := io.NewSectionReader(s, pos, s.Size()-pos)
		header := make([]byte, HeaderSize)
		n, _ := rest.ReadAt(header, 0)
		header = header[:n]
		var length int64 // of what begins here
		switch {
		case bytes.HasPrefix(header, bundleMagic):
			length = w.bundle(rest, at)
		case bytes.HasPrefix(header, packedMagic):
			length = w.compressed(rest, at)
		case bytes.HasPrefix(header, offloadMagic):
			length = w.offload(rest, at)
		case bytes.HasPrefix(header, elfMagic) && pos == 0:
			w.elf(rest, at)
			return
		default:
			w.report(at, problem.ObjectMalformed, "at byte %d of its device code there is no bundle", pos)
			return
		}
		if length <= 0 {
			return // it has been said why
		}
		pos += length
	}
}

// nextByte returns where the first byte at or after pos is that is not zero.
func nextByte(s *io.SectionReader, pos int64) int64 {
	buffer := make([]byte, 4<<10)
	for pos < s.Size() {
		n, err := s.ReadAt(buffer, pos)
		if i := bytes.IndexFunc(buffer[:n], func(r rune) bool { return r != 0 }); i >= 0 {
			return pos + int64(i)
		}
		pos += int64(n)
		if err != nil {
			break
		}
	}
	return s.Size()
}

// elf reads a code object, or the device code of a host binary.
func (w *walk) elf(s *io.SectionReader, at place) {
	f, err := elf.NewFile(s)
	switch {
	case err != nil:
		// Also of a host binary: what it holds is at its end.
		w.report(at, problem.ObjectMalformed, "its ELF headers cannot be read: %v", err)
		return
	case f.Machine == elf.EM_AMDGPU:
		w.Device = true
		file := readObject(f, s, at.claim)
		if w.path != "" || at.label != "" {
			for i := range file.Problems {
				file.Problems[i].Message = w.say(at, "%s", file.Problems[i].Message)
			}
		}
		w.visit(Object{Path: w.path, Bundled: at.bundled, File: file})
		return
	case promised(at):
		w.report(at, problem.ObjectMalformed, "its ELF header says that it is for another machine, %v", f.Machine)
		return
	case at.bundled:
		return // code for the host, or for another device
	}
	for _, section := range f.Sections {
		id, entry := strings.CutPrefix(section.Name, string(bundleMagic))
		if !entry && !holdsDevice(section) || section.Type == elf.SHT_NOBITS || section.FileSize == 0 {
			continue
		}
		content, err := contents(section, s)
		switch {
		case err != nil:
			w.report(at, problem.ObjectMalformed, "section %s: %v", clean(section.Name), err)
		case entry:
			w.entry(content, id, at)
		case nextByte(content, 0) == content.Size():
			w.pass(at, "its section %s holds nothing but zeros: the device code was taken out of it", clean(section.Name))
		default:
			w.sequence(content, at)
		}
	}
}

// sectionOffloading is the type of sections with offload binaries (LLVM's
// SHT_LLVM_OFFLOADING).
const sectionOffloading = elf.SectionType(0x6fff4c0b)

// holdsDevice reports whether a section of a host binary is one of bundles or offload
// binaries: clang's .hip_fatbin of HIP, and .llvm.offloading of newer drivers and of
// OpenMP.
func holdsDevice(s *elf.Section) bool {
	return s.Name == ".hip_fatbin" || s.Type == sectionOffloading || strings.HasPrefix(s.Name, ".llvm.offloading")
}

var (
	errOutside    = errors.New("it reaches past the end of the file")
	errCompressed = errors.New("it is compressed, which sections of device code are not")
)

// contents returns the bytes of a section that are in the file.
func contents(section *elf.Section, s *io.SectionReader) (*io.SectionReader, error) {
	switch {
	case section.Type == elf.SHT_NOBITS:
		return nil, errors.New("it has no bytes in the file")
	case section.Flags&elf.SHF_COMPRESSED != 0:
		return nil, errCompressed
	}
	return within(s, section.Offset, section.FileSize)
}

// within returns size bytes of s from offset on.
func within(s *io.SectionReader, offset, size uint64) (*io.SectionReader, error) {
	if all := uint64(s.Size()); offset > all || size > all-offset {
		return nil, errOutside
	}
	return io.NewSectionReader(s, int64(offset), int64(size)), nil
}

// load reads all of s into memory, at most limit bytes.
func load(s *io.SectionReader, limit int64) ([]byte, error) {
	if s.Size() > limit {
		return nil, problem.TooLarge(limit)
	}
	data := make([]byte, s.Size())
	if _, err := io.ReadFull(io.NewSectionReader(s, 0, s.Size()), data); err != nil {
		return nil, err
	}
	return data, nil
}

// clean returns a text of a file without what a terminal or JSON would stumble over.
func clean(s string) string {
	if !strings.ContainsFunc(s, isControl) && strings.ToValidUTF8(s, "") == s {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < ' ' || c == 0x7f {
			fmt.Fprintf(&b, `\x%02x`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return resource.ValidText(b.String())
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }
