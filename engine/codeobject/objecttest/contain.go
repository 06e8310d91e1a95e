package objecttest

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"crypto/md5"
	"debug/elf"
	"encoding/binary"

	"github.com/klauspost/compress/zstd"
)

// An Entry is a code object of a bundle, and what the bundle says it is for:
// "hipv4-amdgcn-amd-amdhsa--gfx942".
type Entry struct {
	ID   string
	Code []byte
}

// Bundle returns a bundle of clang.
func Bundle(entries ...Entry) []byte {
	const align = 4096
	size := 24 + 8
	for _, e := range entries {
		size += 24 + len(e.ID)
	}
	b := []byte("__CLANG_OFFLOAD_BUNDLE__")
	b = binary.LittleEndian.AppendUint64(b, uint64(len(entries)))
	at := size
	for _, e := range entries {
		at = (at + align - 1) / align * align
		for _, n := range []int{at, len(e.Code), len(e.ID)} {
			b = binary.LittleEndian.AppendUint64(b, uint64(n))
		}
		b = append(b, e.ID...)
		at += len(e.Code)
	}
	for _, e := range entries {
		b = append(b, make([]byte, (len(b)+align-1)/align*align-len(b))...)
		b = append(b, e.Code...)
	}
	return b
}

// Compress returns a compressed bundle of a version, 1 to 3, by a method, 0 (zlib) or
// 1 (zstd).
func Compress(bundle []byte, version, method uint16) []byte {
	var body bytes.Buffer
	if method == 0 {
		w := zlib.NewWriter(&body)
		_, _ = w.Write(bundle) // into memory, never fails
		_ = w.Close()
	} else {
		w, _ := zstd.NewWriter(&body)
		_, _ = w.Write(bundle)
		_ = w.Close()
	}
	b := binary.LittleEndian.AppendUint16([]byte("CCOB"), version)
	b = binary.LittleEndian.AppendUint16(b, method)
	total := []int{0, 20, 24, 32}[version] + body.Len()
	switch version {
	case 1:
		b = binary.LittleEndian.AppendUint32(b, uint32(len(bundle)))
	case 2:
		b = binary.LittleEndian.AppendUint32(b, uint32(total))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(bundle)))
	case 3:
		b = binary.LittleEndian.AppendUint64(b, uint64(total))
		b = binary.LittleEndian.AppendUint64(b, uint64(len(bundle)))
	}
	sum := md5.Sum(bundle)
	b = append(b, sum[:8]...)
	return append(b, body.Bytes()...)
}

// Offload returns an offload binary of a version, 1 to 3, with images for processors;
// version 1 holds one image. If compress is set, all but its header is compressed.
func Offload(version uint32, compress bool, entries ...Entry) []byte {
	header := 32
	if version >= 3 {
		header = 40
	}
	stringSize := 24
	if version == 1 {
		stringSize = 16
	}
	var table, strings, images, names []byte
	base := header + len(entries)*40
	namesAt := base + len(entries)*2*stringSize
	place := func(s string) uint64 {
		at := namesAt + len(names)
		names = append(append(names, s...), 0)
		return uint64(at)
	}
	for _, e := range entries {
		for _, pair := range [][2]string{{"triple", "amdgcn-amd-amdhsa"}, {"arch", e.ID}} {
			strings = binary.LittleEndian.AppendUint64(strings, place(pair[0]))
			strings = binary.LittleEndian.AppendUint64(strings, place(pair[1]))
			if version > 1 {
				strings = binary.LittleEndian.AppendUint64(strings, uint64(len(pair[1])))
			}
		}
	}
	names = append(names, make([]byte, (8-(namesAt+len(names))%8)%8)...)
	imagesAt := namesAt + len(names)
	for i, e := range entries {
		table = binary.LittleEndian.AppendUint16(table, 1)
		table = binary.LittleEndian.AppendUint16(table, 4)
		table = binary.LittleEndian.AppendUint32(table, 0)
		for _, n := range []int{base + i*2*stringSize, 2, imagesAt + len(images), len(e.Code)} {
			table = binary.LittleEndian.AppendUint64(table, uint64(n))
		}
		images = append(images, e.Code...)
	}
	body := bytes.Join([][]byte{table, strings, names, images}, nil)
	size, inflated := header+len(body), 0
	if compress {
		inflated = size
		w, _ := zstd.NewWriter(nil)
		body = w.EncodeAll(body, nil)
		size = header + len(body)
	}
	b := binary.LittleEndian.AppendUint32([]byte{0x10, 0xFF, 0x10, 0xAD}, version)
	count := len(entries)
	if version == 1 {
		count = 40 // the size of the entry
	}
	for _, n := range []int{size, header, count} {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	if version >= 3 {
		b = binary.LittleEndian.AppendUint64(b, uint64(inflated))
	}
	return append(b, body...)
}

// Host returns a host binary with a section.
func Host(section string, content []byte) []byte {
	names := "\x00" + section + "\x00.shstrtab\x00"
	at := 64 + len(names)
	at = (at + 4095) / 4096 * 4096
	sections := []elf.Section64{{},
		{Name: 1, Type: uint32(elf.SHT_PROGBITS), Flags: uint64(elf.SHF_ALLOC), Off: uint64(at), Size: uint64(len(content)), Addralign: 4096},
		{Name: uint32(2 + len(section)), Type: uint32(elf.SHT_STRTAB), Off: 64, Size: uint64(len(names)), Addralign: 1},
	}
	header := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Shoff: uint64(at + len(content)),
		Ehsize: 64, Shentsize: 64, Shnum: uint16(len(sections)), Shstrndx: 2}
	copy(header.Ident[:], "\x7fELF\x02\x01\x01")
	var b bytes.Buffer
	_ = binary.Write(&b, binary.LittleEndian, header)
	b.WriteString(names)
	b.Write(make([]byte, at-b.Len()))
	b.Write(content)
	_ = binary.Write(&b, binary.LittleEndian, sections)
	return b.Bytes()
}

// Wheel returns a zip archive; what is in stored is not compressed.
func Wheel(packed, stored map[string][]byte) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for method, files := range map[uint16]map[string][]byte{zip.Deflate: packed, zip.Store: stored} {
		for name, data := range files {
			if f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method}); err == nil {
				_, _ = f.Write(data)
			}
		}
	}
	_ = w.Close()
	return b.Bytes()
}
