package producer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// tritonMetadata is what matters of the <kernel>.json that Triton writes last
// into a directory of its cache.
type tritonMetadata struct {
	Arch     string      `json:"arch"`
	Warps    json.Number `json:"num_warps"`
	Stages   json.Number `json:"num_stages"`
	CTAs     json.Number `json:"num_ctas"`
	Waves    json.Number `json:"waves_per_eu"`
	Matrix   json.Number `json:"matrix_instr_nonkdim"`
	KPack    json.Number `json:"kpack"`
	Schedule string      `json:"schedule_hint"`
	Mode     string      `json:"wgp_cu_mode"`
	Shared   json.Number `json:"shared"`
	Version  string      `json:"triton_version"`
	Target   struct {
		Arch string `json:"arch"`
	} `json:"target"`
}

// describeTriton makes a key of a kernel's configuration. The directory of a
// compile is named after a hash that changes with the source, so it is left out.
// The metadata tell the target and the options; the signature, and the shapes of
// what is loaded and stored for the constants, are read from the <kernel>.ttir, as
// the metadata name neither.
func describeTriton(p DumpFile) Description {
	kernel := strings.TrimSuffix(p.File, ".amdgcn")
	var d Description
	m, err := readTritonMetadata(p, kernel+".json")
	switch {
	case err == nil:
		if m.Version != "" {
			d.Compiler = "Triton " + m.Version
		}
		if lds, err := m.Shared.Int64(); err == nil && lds >= 0 {
			d.LDS, d.LDSFrom = lds, kernel+".json"
		} else {
			d.Fault, d.Source = `it has no "shared" that is a number of bytes`, kernel+".json"
		}
	case !errors.Is(err, fs.ErrNotExist):
		d.Fault, d.Source = err.Error(), kernel+".json"
	default:
		// The cache has a <kernel>.source, written first, and then metadata.
		if _, err := p.Read(kernel + ".source"); err == nil {
			d.Missing = kernel + ".json"
		}
		m = tritonModule(p, kernel+".ttgir")
	}
	ttir, err := p.Read(kernel + ".ttir")
	if err != nil {
		ttir = nil // without it the key says less
	} else {
		d.Module = kernel + ".ttir"
	}
	d.Dir = path.Join(withoutHash(p.Dir), m.arch(), signature(ttir, kernel), m.options(shapes(ttir)))
	return d
}

func readTritonMetadata(p DumpFile, name string) (m tritonMetadata, err error) {
	text, err := p.Read(name)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("it is no metadata of a Triton kernel: %w", err)
	}
	return m, nil
}

// tritonModule reads the same from the attributes of the module, where there is
// no metadata: "ttg.num-warps" = 4 : i32, ttg.target = "hip:gfx942".
func tritonModule(p DumpFile, name string) (m tritonMetadata) {
	text, err := p.Read(name)
	if err != nil {
		return m
	}
	m.Arch = between(text, `ttg.target = "hip:`, `"`)
	m.Warps = json.Number(between(text, `"ttg.num-warps" = `, " "))
	m.CTAs = json.Number(between(text, `"ttg.num-ctas" = `, " "))
	return m
}

// between returns what stands between two words in a text, "" if it is not short.
func between(text []byte, before, after string) string {
	_, rest, ok := bytes.Cut(text, []byte(before))
	if !ok {
		return ""
	}
	value, _, ok := bytes.Cut(rest[:min(len(rest), 64)], []byte(after))
	if !ok {
		return ""
	}
	return string(value)
}

func (m *tritonMetadata) arch() string {
	if m.Arch != "" {
		return segment(m.Arch)
	}
	return segment(m.Target.Arch)
}

// options returns "1024,warps=4,stages=2" with what is not at its default.
func (m *tritonMetadata) options(shapes string) string {
	var parts []string
	add := func(name, value, usual string) {
		if value != "" && value != usual {
			parts = append(parts, name+"="+value)
		}
	}
	if shapes != "" {
		parts = append(parts, shapes)
	}
	add("warps", m.Warps.String(), "")
	add("stages", m.Stages.String(), "")
	add("ctas", m.CTAs.String(), "1")
	add("waves", m.Waves.String(), "0")
	add("mfma", m.Matrix.String(), "0")
	add("kpack", m.KPack.String(), "1")
	add("schedule", m.Schedule, "none")
	add("mode", m.Mode, "wgp")
	return segment(strings.Join(parts, ","))
}

// segment makes a text that comes from a file fit to be one name of a key's
// directory, in which nothing is a glob.
func segment(s string) string {
	if s == "." || s == ".." {
		return "_"
	}
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\*?[]{}`, r) {
			return '_'
		}
		return r
	}, s)
}

// withoutHash takes the directory of a compile out of a path: 52 letters of
// base32, or 64 hexadecimal digits of older versions.
func withoutHash(dir string) string {
	name := path.Base(dir)
	base32 := len(name) >= 50 && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
	hexadecimal := len(name) >= 32 && strings.Trim(name, "0123456789abcdef") == ""
	if !base32 && !hexadecimal {
		return dir
	}
	if dir = path.Dir(dir); dir == "." {
		return ""
	}
	return dir
}

// signature returns the types of a kernel's arguments, "^fp16:16,i32", from the
// line
//
//	tt.func public @k(%x: !tt.ptr<f16> {tt.divisibility = 16 : i32} loc(…), %n: i32 loc(…))
func signature(ttir []byte, kernel string) string {
	_, rest, ok := bytes.Cut(ttir, []byte("tt.func public @"+kernel+"("))
	if !ok {
		return ""
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	var types []string
	for _, argument := range bytes.Split(line, []byte("%"))[1:] {
		_, what, ok := strings.Cut(string(argument), ": ")
		if !ok {
			continue
		}
		end := strings.IndexAny(what, " ,){")
		if end < 0 {
			continue
		}
		kind := tritonType(what[:end])
		if n := between([]byte(what), "tt.divisibility = ", " "); n != "" {
			kind += ":" + n
		}
		if n := between([]byte(what), "tt.pointer_range = ", " "); n != "" {
			kind += "@" + n
		}
		types = append(types, kind)
	}
	return segment(strings.Join(types, ","))
}

// tritonType spells a type of MLIR as Triton's signatures do, but for a pointer,
// whose * would make a glob of a key.
func tritonType(t string) string {
	if inner, ok := strings.CutPrefix(t, "!tt.ptr<"); ok {
		inner, _, _ = strings.Cut(strings.TrimSuffix(inner, ">"), ",")
		return "^" + tritonType(inner)
	}
	switch t {
	case "f16", "f32", "f64":
		return "fp" + t[1:]
	}
	return t
}

// shapes returns the shapes of the blocks that a kernel loads and stores, sorted:
// "128x32,32x64". They follow from its constants.
func shapes(ttir []byte) string {
	var all []string
	for line := range bytes.Lines(ttir) {
		if !bytes.Contains(line, []byte("tt.load ")) && !bytes.Contains(line, []byte("tt.store ")) &&
			!bytes.Contains(line, []byte("_load ")) && !bytes.Contains(line, []byte("_store ")) {
			continue
		}
		if shape := shape(between(line, "tensor<", ">")); shape != "" && !slices.Contains(all, shape) {
			all = append(all, shape)
		}
	}
	slices.Sort(all)
	return strings.Join(all, ",")
}

// shape takes the dimensions of "64x32x!tt.ptr<f16": what is all digits.
func shape(t string) string {
	var dims []string
	for part := range strings.SplitSeq(t, "x") {
		if part == "" || strings.Trim(part, "0123456789") != "" {
			break
		}
		dims = append(dims, part)
	}
	return strings.Join(dims, "x")
}
