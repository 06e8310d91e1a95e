package objecttest

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"

	"github.com/tinylib/msgp/msgp"
)

// Library writes a code object for gfx942 with many kernels and a number of bytes of
// instructions, which are a hole in the file where the system has them. The kernels
// have the arguments of a matrix multiplication of rocBLAS, as far as their number
// goes.
func Library(path string, kernels int, code int64) error {
	var names, note, symbols, descriptors bytes.Buffer
	names.WriteByte(0)
	symbols.Write(make([]byte, 24))
	metadata := msgp.AppendMapHeader(nil, 3)
	metadata = msgp.AppendString(metadata, "amdhsa.version")
	metadata = msgp.AppendInt(msgp.AppendInt(msgp.AppendArrayHeader(metadata, 2), 1), 2)
	metadata = msgp.AppendString(msgp.AppendString(metadata, "amdhsa.target"), "amdgcn-amd-amdhsa--gfx942")
	metadata = msgp.AppendArrayHeader(msgp.AppendString(metadata, "amdhsa.kernels"), uint32(kernels))
	for i := range kernels {
		name := fmt.Sprintf("Cijk_Ailk_Bljk_HHS_BH_MT128x128x32_MI32x32x8x1_SN_%05d", i)
		metadata = appendKernel(metadata, name, i)
		at := uint32(names.Len())
		names.WriteString(name + ".kd\x00")
		symbol := elf.Sym64{Name: at, Info: byte(elf.STB_GLOBAL)<<4 | byte(elf.STT_OBJECT), Shndx: 4, Value: uint64(i * 64), Size: 64}
		_ = binary.Write(&symbols, binary.LittleEndian, symbol)
		var d [64]byte
		d[44], d[48], d[49] = 31, 15, 3 // 128 VGPRs, 112 SGPRs
		descriptors.Write(d[:])
	}
	for _, n := range []uint32{7, uint32(len(metadata)), 32} {
		_ = binary.Write(&note, binary.LittleEndian, n)
	}
	note.WriteString("AMDGPU\x00\x00")
	note.Write(metadata)

	const sectionNames = "\x00.note\x00.dynsym\x00.dynstr\x00.rodata\x00.text\x00.shstrtab\x00"
	nameAt := []uint32{1, 7, 15, 23, 31, 37}
	parts := [][]byte{note.Bytes(), symbols.Bytes(), names.Bytes(), descriptors.Bytes(), nil, []byte(sectionNames)}
	kinds := []elf.SectionType{elf.SHT_NOTE, elf.SHT_DYNSYM, elf.SHT_STRTAB, elf.SHT_PROGBITS, elf.SHT_PROGBITS, elf.SHT_STRTAB}
	headers := []elf.Section64{{}}
	at := uint64(64)
	for i, part := range parts {
		size := uint64(len(part))
		if i == 4 {
			size = uint64(code)
		}
		h := elf.Section64{Name: nameAt[i], Type: uint32(kinds[i]), Off: at, Size: size}
		if kinds[i] == elf.SHT_DYNSYM {
			h.Link, h.Entsize = 3, 24
		}
		headers = append(headers, h)
		at += (size + 63) / 64 * 64
	}
	header := elf.Header64{Type: uint16(elf.ET_REL), Machine: uint16(elf.EM_AMDGPU), Version: 1, Shoff: at, Flags: 0x54c,
		Ehsize: 64, Shentsize: 64, Shnum: uint16(len(headers)), Shstrndx: 6}
	copy(header.Ident[:], "\x7fELF\x02\x01\x01\x40\x03")
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, header)
	_, err = f.WriteAt(b.Bytes(), 0)
	for i, part := range parts {
		if err == nil {
			_, err = f.WriteAt(part, int64(headers[i+1].Off))
		}
	}
	b.Reset()
	_ = binary.Write(&b, binary.LittleEndian, headers)
	if err == nil {
		_, err = f.WriteAt(b.Bytes(), int64(at))
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

func appendKernel(b []byte, name string, n int) []byte {
	counts := []struct {
		key   string
		value int
	}{
		{".vgpr_count", 121 + n%8}, {".agpr_count", 0}, {".sgpr_count", 96}, {".vgpr_spill_count", 0}, {".sgpr_spill_count", 0}, {".private_segment_fixed_size", 0},
		{".group_segment_fixed_size", 0}, {".kernarg_segment_size", 0}, {".wavefront_size", 64}, {".max_flat_workgroup_size", 256},
	}
	const arguments = 20
	b = msgp.AppendMapHeader(b, uint32(len(counts)+3))
	b = msgp.AppendString(msgp.AppendString(b, ".name"), name)
	b = msgp.AppendString(msgp.AppendString(b, ".symbol"), name+".kd")
	for _, c := range counts {
		b = msgp.AppendInt(msgp.AppendString(b, c.key), c.value)
	}
	b = msgp.AppendArrayHeader(msgp.AppendString(b, ".args"), arguments)
	for i := range arguments {
		b = msgp.AppendMapHeader(b, 4)
		b = msgp.AppendString(msgp.AppendString(b, ".name"), "argument")
		b = msgp.AppendInt(msgp.AppendString(b, ".offset"), 8*i)
		b = msgp.AppendInt(msgp.AppendString(b, ".size"), 8)
		b = msgp.AppendString(msgp.AppendString(b, ".value_kind"), "by_value")
	}
	return b
}
