package codeobject_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/codeobject"
	"isadiff/engine/codeobject/objecttest"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// objects are code objects that were assembled of the corpus, see TestObjects in
// engine/producer/realtest. Their instructions are zeros.
func objects(t testing.TB) map[string][]byte {
	return objecttest.Archive(t, "../../testdata/objects.zip", "")
}

func TestFigures(t *testing.T) {
	corpus := objecttest.Archive(t, "../../testdata/isa.zip", "isa-corpus/")
	kernels := 0
	all := objects(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			kernels += objecttest.Agree(t, corpus[strings.TrimSuffix(name, ".hsaco")+".s"], all[name])
		})
	}
	if kernels < 500 {
		t.Errorf("only %d kernels", kernels)
	}
}

// read returns the keys of a file's kernels, and what is wrong with it and with them.
func read(data []byte) (keys []string, problems []problem.Problem, found codeobject.Found) {
	found = codeobject.Read(context.Background(), bytes.NewReader(data), int64(len(data)), func(o codeobject.Object) {
		records, file := resource.FromFile(o.File, "", "k")
		problems = append(problems, file...)
		for _, r := range records {
			keys = append(keys, fmt.Sprintf("%s %t %s %s", o.Path, o.Bundled, r.Target.Processor, r.Name))
			problems = append(problems, r.Problems[len(file):]...)
		}
	})
	return keys, append(problems, found.Problems...), found
}

const (
	mi300  = "llvm22/gfx942/plain_srameccm.hsaco"
	mi200  = "llvm22/gfx90a/lds.hsaco"
	navi3  = "llvm19/gfx1100/lds.hsaco"
	bundle = "hipv4-amdgcn-amd-amdhsa--"
)

func TestContainers(t *testing.T) {
	all := objects(t)
	entries := []objecttest.Entry{
		{ID: "host-x86_64-unknown-linux--"}, {ID: bundle + "gfx942:sramecc-", Code: all[mi300]}, {ID: bundle + "gfx90a", Code: all[mi200]},
	}
	images := []objecttest.Entry{{ID: "gfx942:sramecc-", Code: all[mi300]}, {ID: "gfx90a", Code: all[mi200]}}
	plain := objecttest.Bundle(entries...)
	var want []string
	for _, name := range []string{mi300, mi200} {
		keys, problems, _ := read(all[name])
		if len(keys) == 0 || len(problems) > 0 {
			t.Fatalf("%s: %d kernels, %v", name, len(keys), problems)
		}
		for _, key := range keys {
			want = append(want, strings.Replace(key, "false", "true", 1))
		}
	}
	single := want[:slices.IndexFunc(want, func(s string) bool { return strings.Contains(s, "gfx90a") })]
	page := func(b []byte) []byte { return append(slices.Clone(b), make([]byte, (4096-len(b)%4096)%4096)...) }
	cases := map[string]struct {
		data []byte
		want []string
	}{
		"bundle":         {plain, want},
		"offload 1":      {append(page(objecttest.Offload(1, false, images[0])), objecttest.Offload(1, false, images[1])...), want},
		"offload 2":      {objecttest.Offload(2, false, images...), want},
		"offload 3":      {objecttest.Offload(3, false, images...), want},
		"offload packed": {objecttest.Offload(3, true, images...), want},
		"offload bundle": {objecttest.Offload(2, false, objecttest.Entry{Code: plain}), want},
		"host":           {objecttest.Host(".hip_fatbin", plain), want},
		"host offload":   {objecttest.Host(".llvm.offloading", objecttest.Offload(2, false, images...)), want},
		"host alone":     {objecttest.Host(".text", plain), nil},
		"host entry":     {objecttest.Host("__CLANG_OFFLOAD_BUNDLE__"+bundle+"gfx942", all[mi300]), single},
		"mixed":          {objecttest.Host(".hip_fatbin", append(page(objecttest.Compress(plain, 1, 1)), plain...)), append(slices.Clone(want), want...)},
		"text":           {[]byte("just a text"), nil},
		"nothing":        {nil, nil},
	}
	for version := uint16(1); version <= 3; version++ {
		for method := range uint16(2) {
			packed := objecttest.Compress(plain, version, method)
			cases[fmt.Sprintf("compressed %d by %d", version, method)] = struct {
				data []byte
				want []string
			}{packed, want}
			cases[fmt.Sprintf("two of version %d by %d in a host", version, method)] = struct {
				data []byte
				want []string
			}{objecttest.Host(".hip_fatbin", append(page(packed), packed...)), append(slices.Clone(want), want...)}
		}
	}
	one := objecttest.Bundle(entries[0], entries[1])
	cases["two bundles"] = struct {
		data []byte
		want []string
	}{objecttest.Host(".hip_fatbin", append(page(one), one...)), append(slices.Clone(single), single...)}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			keys, problems, found := read(c.data)
			if len(problems) > 0 || len(found.Warnings) > 0 {
				t.Errorf("problems %v, warnings %q", problems, found.Warnings)
			}
			if !slices.Equal(keys, c.want) {
				t.Errorf("kernels %q, want %q", keys, c.want)
			}
			if found.Device != (len(c.want) > 0) {
				t.Errorf("device code: %t", found.Device)
			}
		})
	}
}

func TestWheel(t *testing.T) {
	all := objects(t)
	library := objecttest.Host(".hip_fatbin", objecttest.Compress(objecttest.Bundle(objecttest.Entry{ID: bundle + "gfx90a", Code: all[mi200]}), 2, 1))
	wheel := objecttest.Wheel(map[string][]byte{"torch/lib/libt.so": library, "torch/x.py": []byte("pass")}, map[string][]byte{"torch/lib/k.hsaco": all[mi300], "../evil.co": all[mi300]})
	keys, problems, _ := read(wheel)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, want := range []string{"torch/lib/libt.so true gfx90a lds_static", "torch/lib/k.hsaco false gfx942 plain", "evil.co false gfx942 plain"} {
		if !slices.Contains(keys, want) {
			t.Errorf("%q is not in %q", want, keys)
		}
	}
}

// TestDamaged changes one thing of a file and looks for the problem that says so.
func TestDamaged(t *testing.T) {
	all := objects(t)
	at := func(data []byte, what string) int {
		i := bytes.Index(data, []byte(what))
		if i < 0 {
			t.Fatalf("%q is not in the file", what)
		}
		return i
	}
	put := func(off int, b ...byte) func([]byte) []byte {
		return func(data []byte) []byte { copy(data[off:], b); return data }
	}
	replace := func(old, new string) func([]byte) []byte {
		return func(data []byte) []byte { copy(data[at(data, old):], new); return data }
	}
	checksum := func(b []byte) []byte { // of the file, in the descriptor behind it and in the directory
		b[at(b, "PK\x07\x08")+4] ^= 0xff
		b[at(b, "PK\x01\x02")+16] ^= 0xff
		return b
	}
	kd := descriptor(t, all[mi300])
	plain := objecttest.Bundle(objecttest.Entry{ID: bundle + "gfx942:sramecc-", Code: all[mi300]})
	packed := objecttest.Compress(plain, 3, 1)
	cases := map[string]struct {
		data   []byte
		change func([]byte) []byte
		code   problem.Code
		text   string
	}{
		"LDS in the descriptor":         {all[mi300], put(kd, 1), problem.CountsContradict, ".group_segment_fixed_size is 0, but the kernel descriptor's group_segment_fixed_size is 1"},
		"scratch in the descriptor":     {all[mi300], put(kd+4, 8), problem.CountsContradict, "private_segment_fixed_size"},
		"arguments in the descriptor":   {all[mi300], put(kd+8, 99), problem.CountsContradict, "kernarg_size"},
		"waves of 32 lanes":             {all[mi300], put(kd+57, 4), problem.CountsContradict, ".wavefront_size is 64"},
		"too few SGPRs":                 {all[mi300], replace(".sgpr_count\x0a", ".sgpr_count\x60"), problem.CountsContradict, "the descriptor allocates fewer"},
		"too few VGPRs":                 {all[mi300], replace(".vgpr_count\x03", ".vgpr_count\x60"), problem.CountsContradict, "the descriptor allocates fewer"},
		"spills to nowhere":             {all[navi3], replace(".vgpr_spill_count\x00", ".vgpr_spill_count\x07"), problem.CountsContradict, "no AGPRs to spill to"},
		"a negative count":              {all[mi300], replace(".vgpr_count\x03", ".vgpr_count\xff"), problem.CountInvalid, ".vgpr_count is -1"},
		"a count that is none":          {all[mi300], replace(".vgpr_count\x03", ".vgpr_count\xc0"), problem.CountInvalid, ".vgpr_count is no integer"},
		"a count of another name":       {all[mi300], replace(".vgpr_count\x03", ".vgpr_kount\x03"), problem.CountMissing, ".vgpr_count is missing"},
		"a count twice":                 {all[mi300], replace(".sgpr_count", ".vgpr_count"), problem.MetadataMalformed, ".vgpr_count is there twice"},
		"another processor":             {all[mi300], put(48, 0x3f), problem.TargetConflict, "its ELF flags"},
		"another setting of sramecc":    {all[mi300], put(49, 0x0d), problem.TargetConflict, "its ELF flags"},
		"a bundle for another":          {plain, replace("gfx942:sramecc-", "gfx90a:sramecc-"), problem.TargetConflict, "the bundle says that it is for"},
		"code object v2":                {all[mi300], put(8, 0), problem.MetadataMissing, "code object v2"},
		"of PAL":                        {all[mi300], put(7, 65), problem.MetadataMissing, "PAL"},
		"another name":                  {all[mi300], replace(".name\xa5plain", ".name\xa5plane"), problem.KernelNameConflict, `.name is "plane"`},
		"a descriptor of another name":  {all[mi300], replace("plain.kd\x00", "plane.kd\x00"), problem.DescriptorMismatch, "no kernel descriptor"},
		"a descriptor of nobody":        {all[mi300], replace("plain.kd\x00", "plane.kd\x00"), problem.DescriptorMismatch, "plane has a kernel descriptor but no metadata entry"},
		"no metadata":                   {all[mi300], replace("AMDGPU\x00", "AMDGPX\x00"), problem.MetadataMissing, "no metadata note"},
		"a note that is longer":         {all[mi300], func(b []byte) []byte { b[at(b, "AMDGPU\x00")-7] = 0xff; return b }, problem.ObjectMalformed, "notes are damaged"},
		"sections out of the file":      {all[mi300], put(40, 0xff, 0xff, 0xff), problem.ObjectMalformed, "ELF headers"},
		"an entry out of the bundle":    {plain, put(32+8, 0xff, 0xff, 0xff, 0xff), problem.ObjectMalformed, "past the end of the file"},
		"entries of one code":           {objecttest.Bundle(objecttest.Entry{ID: "a-b", Code: all[mi300]}, objecttest.Entry{ID: "a-c", Code: all[mi300]}), func(b []byte) []byte { copy(b[32+24+3:], b[32:48]); return b }, problem.ObjectMalformed, "overlap"},
		"a bundle of itself":            {plain, put(32, 0, 0), problem.ObjectMalformed, "overlap"},
		"an entry of zeros":             {objecttest.Bundle(objecttest.Entry{ID: bundle + "gfx942", Code: make([]byte, 4096)}), put(0), problem.ObjectMalformed, "neither a code object nor LLVM bitcode"},
		"an entry for the host":         {plain, replace("\xe0\x00\x01\x00\x00\x00", "\x3e"), problem.ObjectMalformed, "for another machine, EM_X86_64"},
		"a bundle of many":              {plain, put(24, 0xff, 0xff, 0xff), problem.ObjectMalformed, "entries"},
		"a compressed bundle of v9":     {packed, put(4, 9), problem.ObjectMalformed, "its version is 9"},
		"compressed in another way":     {packed, put(6, 7), problem.ObjectMalformed, "method of compression is 7"},
		"another checksum":              {packed, put(24, 1, 2, 3), problem.ObjectMalformed, "another MD5"},
		"too much to unpack":            {packed, put(16, 0, 0, 0, 0, 0xff), problem.InputUnreadable, "larger than"},
		"less than it says":             {packed, put(16, 0, 0, 1), problem.ObjectMalformed, "fewer bytes"},
		"a compressed bundle cut short": {packed[:len(packed)/2], put(0), problem.ObjectMalformed, "past the end of the file"},
		"a bundle cut short":            {plain[:40], put(0), problem.ObjectMalformed, "a bundle is damaged"},
		"a host cut short":              {objecttest.Host(".hip_fatbin", plain)[:5000], put(0), problem.ObjectMalformed, "ELF headers"},
		"a wheel's file is empty":       {objecttest.Wheel(nil, map[string][]byte{"x/k.hsaco": nil, "k.hsaco": all[mi300]}), put(0), problem.ObjectMalformed, "x/k.hsaco: it is empty"},
		"a wheel's file is short":       {objecttest.Wheel(nil, map[string][]byte{"k.co": []byte("\x7fEL")}), put(0), problem.ObjectMalformed, "k.co: it holds no device code"},
		"a wheel's file is none":        {objecttest.Wheel(map[string][]byte{"k.hipfb": make([]byte, 4096)}, nil), put(0), problem.ObjectMalformed, "k.hipfb: it holds no device code"},
		"a wheel's file changed":        {objecttest.Wheel(nil, map[string][]byte{"k.hsaco": all[mi300]}), replace(".vgpr_count\x03", ".vgpr_count\x01"), problem.ObjectMalformed, "k.hsaco: it cannot be unpacked"},
		"a wheel's file packed anew":    {objecttest.Wheel(map[string][]byte{"k.hsaco": append(slices.Clone(all[mi300]), make([]byte, 128<<10-len(all[mi300]))...)}, nil), checksum, problem.ObjectMalformed, "k.hsaco: it cannot be unpacked"},
		"without section headers":       {all[mi300], func(b []byte) []byte { clear(b[40:48]); clear(b[58:64]); return b }, problem.ObjectMalformed, "no section headers"},
		"something else in a host":      {objecttest.Host(".hip_fatbin", []byte("something else")), put(0), problem.ObjectMalformed, "no bundle"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, problems, _ := read(c.change(slices.Clone(c.data)))
			if !slices.ContainsFunc(problems, func(p problem.Problem) bool { return p.Code == c.code && strings.Contains(p.Message, c.text) }) {
				t.Errorf("no problem %s with %q in %v", c.code, c.text, problems)
			}
		})
	}
}

// descriptor returns where the first kernel descriptor of a linked code object is: it
// has the address of the first .kd symbol, which is its offset here.
func descriptor(t *testing.T, data []byte) int {
	t.Helper()
	for i := 0; i+24 <= len(data); i += 8 {
		if size := binary.LittleEndian.Uint64(data[i+16:]); size == 64 && data[i+4]&0xf == 1 && data[i+6] != 0 {
			return int(binary.LittleEndian.Uint64(data[i+8:]))
		}
	}
	t.Fatal("there is no descriptor")
	return 0
}

// TestPassed reads what holds device code that is not compiled yet.
func TestPassed(t *testing.T) {
	bitcode := objecttest.Bundle(objecttest.Entry{ID: bundle + "gfx942", Code: []byte("BC\xC0\xDE and so on")})
	keys, problems, found := read(bitcode)
	if len(keys)+len(problems) > 0 || !found.Device || len(found.Warnings) != 1 || !strings.Contains(found.Warnings[0], "LLVM bitcode") {
		t.Errorf("kernels %q, problems %v, warnings %q", keys, problems, found.Warnings)
	}
}

// TestTakenOut reads a host binary whose device code was overwritten with zeros.
func TestTakenOut(t *testing.T) {
	keys, problems, found := read(objecttest.Host(".hip_fatbin", make([]byte, 8192)))
	if len(keys)+len(problems) > 0 || !found.Device || len(found.Warnings) != 1 || !strings.Contains(found.Warnings[0], ".hip_fatbin holds nothing but zeros") {
		t.Errorf("kernels %q, problems %v, warnings %q", keys, problems, found.Warnings)
	}
}

// TestCut reads every beginning of a file: none may crash or give a figure that the
// whole file does not have without a problem.
func TestCut(t *testing.T) {
	whole := objects(t)[mi300]
	want, _, _ := read(whole)
	for n := range len(whole) {
		keys, problems, _ := read(whole[:n])
		if len(problems) == 0 && len(keys) != len(want) && n >= 64 {
			t.Fatalf("the first %d of %d bytes have %d kernels and no problem", n, len(whole), len(keys))
		}
	}
}

// TestHandWritten reads metadata as people write them: without spills and AGPRs, and
// beside a descriptor without the size of the arguments.
func TestHandWritten(t *testing.T) {
	path := t.TempDir() + "/k.co"
	if err := objecttest.Library(path, 1, 256); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{".agpr_count", ".vgpr_spill_count", ".sgpr_spill_count"} {
		data = bytes.Replace(data, []byte(field), []byte("!"+field[1:]), 1)
	}
	data = bytes.Replace(data, []byte(".vgpr_count\x79"), []byte(".vgpr_count\x60"), 1)
	data = bytes.Replace(data, []byte(".kernarg_segment_size\x00"), []byte(".kernarg_segment_size\x40"), 1)
	codeobject.Read(context.Background(), bytes.NewReader(data), int64(len(data)), func(o codeobject.Object) {
		records, problems := resource.FromFile(o.File, "", "k.co")
		if len(records) != 1 || len(problems) > 0 {
			t.Fatalf("%d kernels, %v", len(records), problems)
		}
		r := records[0]
		if !r.Trustworthy() {
			t.Errorf("problems %v", r.Doubts())
		}
		for m, want := range map[resource.Metric]string{resource.VGPR: "96", resource.AGPR: "n/a", resource.VGPRSpill: "n/a", resource.SGPRSpill: "n/a", resource.ScratchBytes: "0"} {
			if got := r.Cells[m].String(); got != want {
				t.Errorf("%s is %s, want %s", m, got, want)
			}
		}
		if len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "allocates at least 121 VGPRs") {
			t.Errorf("notes %q", r.Notes)
		}
	})
}

func FuzzRead(f *testing.F) {
	all := objects(f)
	entry := objecttest.Entry{ID: bundle + "gfx942:sramecc-", Code: all[mi300]}
	plain := objecttest.Bundle(entry)
	for _, seed := range [][]byte{
		all[mi300], all["llvm14/gfx90a/plain.hsaco"], plain, objecttest.Compress(plain, 1, 0), objecttest.Compress(plain, 3, 1),
		objecttest.Offload(1, false, entry), objecttest.Offload(3, true, entry), objecttest.Host(".hip_fatbin", plain), objecttest.Wheel(map[string][]byte{"a": plain}, nil),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, problems, found := read(data)
		for _, p := range problems {
			if strings.ContainsAny(p.Message, "\n\r\x1b") {
				t.Errorf("a message is not one line: %q", p.Message)
			}
			if !problem.Known(p.Code) {
				t.Errorf("unknown code %q", p.Code)
			}
		}
		for _, w := range found.Warnings {
			if strings.ContainsAny(w, "\n\r\x1b") {
				t.Errorf("a warning is not one line: %q", w)
			}
		}
	})
}
