package codeobject

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"io"
	"maps"
	"slices"
	"strings"

	"isadiff/engine/isa"
	"isadiff/engine/problem"
)

// An object is one code object that is being read.
type object struct {
	elf         *elf.File
	data        *io.SectionReader
	file        *isa.File
	descriptors map[string]location // by the kernel's symbol
}

// A location is where in a file a kernel's descriptor stands.
type location struct {
	offset int64
	twice  bool // it stands in two places
	lost   bool // it stands in no section of the file
}

// Bounds of what is held in memory of one code object.
const (
	maxNote    = 256 << 20
	maxStrings = 256 << 20
)

// readObject reads a code object. claim is the target that the bundle gives it, "" if
// it is in none.
func readObject(f *elf.File, data *io.SectionReader, claim string) *isa.File {
	o := object{elf: f, data: data, file: &isa.File{Object: true}}
	// debug/elf keeps neither the flags nor more of a foreign header.
	var header [64]byte
	if _, err := data.ReadAt(header[:], 0); err != nil || f.Class != elf.ELFCLASS64 || f.ByteOrder != binary.LittleEndian {
		o.report(problem.ObjectMalformed, "it is no 64-bit little-endian ELF file, as code objects are")
		return o.file
	}
	flags, abi := binary.LittleEndian.Uint32(header[48:]), header[8]
	switch {
	case f.OSABI != osHSA:
		o.report(problem.MetadataMissing, "it is for %s, not for ROCm (AMDHSA), so it has no kernel metadata", foreign(f.OSABI))
		return o.file
	case abi == abiV2:
		o.v2()
		return o.file
	case len(f.Sections) == 0:
		o.report(problem.ObjectMalformed, "it has no section headers, so its kernels cannot be found: they were stripped")
		return o.file
	}
	metadata, ok := o.metadata()
	o.identify(flags, abi, claim)
	if !ok {
		return o.file
	}
	o.symbols()
	o.kernels(metadata)
	o.readDescriptors()
	return o.file
}

// The systems that code objects are for (EI_OSABI).
const (
	osHSA  = elf.OSABI(64)
	osPAL  = elf.OSABI(65)
	osMesa = elf.OSABI(66)
)

func foreign(os elf.OSABI) string {
	switch os {
	case osPAL:
		return "the graphics driver's PAL"
	case osMesa:
		return "Mesa"
	}
	return "no known system"
}

func (o *object) v2() {
	o.file.Problems = append(o.file.Problems, problem.New(problem.MetadataMissing, "it is of code object v2, which is not read: its counts have another form").
		Mended("compile with -mcode-object-version=5, or 4 for an older runtime"))
}

// The notes of code objects.
const (
	noteMetadata   = 32 // NT_AMDGPU_METADATA, of the owner AMDGPU
	noteMetadataV2 = 10 // NT_AMD_HSA_METADATA, of the owner AMD
)

// metadata reads the metadata notes: one for each object that was linked. ok is false
// if there is none.
func (o *object) metadata() (entries []entry, ok bool) {
	notes, err := o.notes()
	if err != nil {
		o.report(problem.ObjectMalformed, "its notes cannot be read: %v", problem.Cause(err))
		return nil, false
	}
	found, old, damaged := false, false, false
	for _, note := range notes {
		for len(note) > 0 {
			owner, kind, description, rest, ok := cutNote(note)
			if !ok {
				damaged = true
				break
			}
			note = rest
			switch {
			case kind == noteMetadataV2 && owner == "AMD":
				old = true
			case kind == noteMetadata && owner == "AMDGPU":
				m, err := readMetadata(description)
				if err != nil {
					o.report(problem.MetadataMalformed, "its metadata cannot be understood: %v", err)
				}
				switch {
				case m.target == "":
				case o.file.MetadataTarget == "":
					o.file.MetadataTarget = m.target
				case !same(o.file.MetadataTarget, m.target):
					o.report(problem.TargetConflict, "its metadata name %s and %s", clean(o.file.MetadataTarget), clean(m.target))
				}
				found, o.file.Version = true, m.version
				entries = append(entries, m.entries...)
			}
		}
	}
	switch {
	case damaged:
		o.report(problem.ObjectMalformed, "its notes are damaged")
	case !found && old:
		o.v2()
	case !found:
		o.report(problem.MetadataMissing, "it has no metadata note")
	}
	return entries, found
}

// notes returns the contents of the note sections.
func (o *object) notes() (all [][]byte, err error) {
	total := int64(0)
	add := func(s *io.SectionReader, err error) error {
		if err != nil {
			return err
		}
		if total += s.Size(); total > maxNote {
			return problem.TooLarge(maxNote)
		}
		data, err := load(s, maxNote)
		all = append(all, data)
		return err
	}
	for _, s := range o.elf.Sections {
		if s.Type == elf.SHT_NOTE {
			if err := add(contents(s, o.data)); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// cutNote splits the first note off: its owner, its kind and its description, each
// padded to four bytes.
func cutNote(b []byte) (owner string, kind uint32, description, rest []byte, ok bool) {
	if len(b) < 12 {
		return "", 0, nil, nil, false
	}
	nameSize, size := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	kind, b = binary.LittleEndian.Uint32(b[8:]), b[12:]
	name, b, ok := cutPadded(b, nameSize)
	if !ok {
		return "", 0, nil, nil, false
	}
	description, rest, ok = cutPadded(b, size)
	return string(bytes.TrimRight(name, "\x00")), kind, description, rest, ok
}

func cutPadded(b []byte, size uint32) (part, rest []byte, ok bool) {
	if uint64(size) > uint64(len(b)) {
		return nil, nil, false
	}
	return b[:size], b[min(uint64(len(b)), (uint64(size)+3)/4*4):], true
}

// symbols finds the descriptors: objects of 64 bytes called <kernel>.kd.
func (o *object) symbols() {
	o.descriptors = map[string]location{}
	for _, kind := range []elf.SectionType{elf.SHT_DYNSYM, elf.SHT_SYMTAB} {
		known := len(o.descriptors) > 0 // what the loader looks at comes first
		for _, table := range o.elf.Sections {
			if table.Type == kind {
				if err := o.table(table, known); err != nil {
					o.report(problem.ObjectMalformed, "its symbols cannot be read: %v", err)
					return
				}
			}
		}
	}
}

const (
	symbolSize     = 24
	descriptorSize = 64
	maxSymbolName  = 64 << 10
)

// table reads a table of symbols. Where known is set, symbols that an earlier table
// has are left alone.
func (o *object) table(table *elf.Section, known bool) error {
	if int(table.Link) >= len(o.elf.Sections) {
		return errOutside
	}
	s, err := contents(o.elf.Sections[table.Link], o.data)
	if err != nil {
		return err
	}
	names, err := load(s, maxStrings)
	if err != nil {
		return err
	}
	if s, err = contents(table, o.data); err != nil {
		return err
	}
	before := len(o.descriptors)
	budget := max(16<<20, 16*len(names)) // symbols may share the ends of their names
	var symbol [symbolSize]byte
	r := newWindow(s)
	for pos := int64(0); pos+symbolSize <= s.Size(); pos += symbolSize {
		if err := r.readAt(symbol[:], pos); err != nil {
			return err
		}
		at, kind, index := binary.LittleEndian.Uint32(symbol[:]), elf.SymType(symbol[4]&0xf), binary.LittleEndian.Uint16(symbol[6:])
		value, size := binary.LittleEndian.Uint64(symbol[8:]), binary.LittleEndian.Uint64(symbol[16:])
		if kind != elf.STT_OBJECT || size != descriptorSize || index == uint16(elf.SHN_UNDEF) {
			continue
		}
		if uint64(at) >= uint64(len(names)) {
			return errOutside
		}
		name := names[at:min(len(names), int(at)+maxSymbolName)]
		if i := bytes.IndexByte(name, 0); i >= 0 {
			name = name[:i]
		}
		if budget -= len(name); budget < 0 {
			return problem.TooLarge(maxStrings)
		}
		kernel, ok := strings.CutSuffix(string(name), ".kd")
		if !ok {
			continue
		}
		where := o.locate(index, value)
		if first, ok := o.descriptors[kernel]; !ok {
			o.descriptors[kernel] = where
		} else if first.offset != where.offset && !(known && before > 0) {
			first.twice = true
			o.descriptors[kernel] = first
		}
	}
	return nil
}

// locate returns where in the file a symbol's bytes are.
func (o *object) locate(index uint16, value uint64) location {
	lost := location{offset: -1, lost: true}
	if int(index) >= len(o.elf.Sections) {
		return lost
	}
	s := o.elf.Sections[index]
	content, err := contents(s, o.data)
	if err != nil {
		return lost
	}
	if o.elf.Type != elf.ET_REL {
		value -= s.Addr // an address; else it counts from the section
	}
	if _, err := within(content, value, descriptorSize); err != nil {
		return lost
	}
	return location{offset: int64(s.Offset + value)}
}

// kernels makes a kernel of each entry of the metadata.
func (o *object) kernels(entries []entry) {
	first := map[string]*isa.Kernel{}
	for i := range entries {
		e := &entries[i]
		stem, ok := strings.CutSuffix(e.symbol, ".kd")
		name := cmp.Or(e.name, stem)
		if name == "" || e.name == "" && !ok {
			o.report(problem.KernelUnnamed, "entry %d of its metadata has neither .name nor a .symbol that ends in .kd", i+1)
			continue
		}
		k := &isa.Kernel{Name: clean(name), Symbol: name, Metadata: e.metadata}
		for _, p := range e.problems {
			reportKernel(k, problem.MetadataMalformed, "%s", p)
		}
		if e.symbol != "" && (stem != name || !ok) {
			reportKernel(k, problem.KernelNameConflict, ".name is %q, but .symbol is %q", clean(name), clean(e.symbol))
		}
		if same := first[k.Name]; same != nil {
			reportKernel(same, problem.KernelDuplicate, "the metadata declare it again; the first declaration is shown")
			continue
		}
		first[k.Name] = k
		o.file.Kernels = append(o.file.Kernels, k)
	}
}

// readDescriptors gives each kernel its descriptor.
func (o *object) readDescriptors() {
	byPlace := make([]*isa.Kernel, 0, len(o.file.Kernels))
	at := func(k *isa.Kernel) location { return o.descriptors[k.Symbol] }
	for _, k := range o.file.Kernels {
		where, ok := o.descriptors[k.Symbol]
		switch {
		case !ok:
			reportKernel(k, problem.DescriptorMismatch, "it has a metadata entry but no kernel descriptor (symbol %s.kd)", k.Name)
		case where.lost:
			reportKernel(k, problem.ObjectMalformed, "its kernel descriptor (symbol %s.kd) is not in the file", k.Name)
		case where.twice:
			reportKernel(k, problem.DescriptorMismatch, "it has two kernel descriptors (symbol %s.kd)", k.Name)
		default:
			byPlace = append(byPlace, k)
		}
	}
	slices.SortFunc(byPlace, func(a, b *isa.Kernel) int { return cmp.Compare(at(a).offset, at(b).offset) })
	r := newWindow(o.data)
	var b [descriptorSize]byte
	for _, k := range byPlace {
		if err := r.readAt(b[:], at(k).offset); err != nil {
			reportKernel(k, problem.ObjectMalformed, "its kernel descriptor cannot be read: %v", problem.Cause(err))
			continue
		}
		k.Descriptor = descriptorOf(&b, k, o.file.Identity)
	}
	for _, k := range o.file.Kernels {
		delete(o.descriptors, k.Symbol)
	}
	for _, name := range slices.Sorted(maps.Keys(o.descriptors)) {
		o.report(problem.DescriptorMismatch, "%s has a kernel descriptor but no metadata entry", clean(name))
	}
}

// A window reads small pieces that mostly follow each other, many at a time.
type window struct {
	r     *io.SectionReader
	start int64
	held  []byte
	space [64 << 10]byte
}

func newWindow(r *io.SectionReader) *window { return &window{r: r} }

// readAt fills p, which is smaller than a window.
func (w *window) readAt(p []byte, off int64) error {
	if off < w.start || off+int64(len(p)) > w.start+int64(len(w.held)) {
		n, err := w.r.ReadAt(w.space[:], off)
		w.start, w.held = off, w.space[:n]
		if n < len(p) {
			return err
		}
	}
	copy(p, w.held[off-w.start:])
	return nil
}
