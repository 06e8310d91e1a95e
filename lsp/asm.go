package lsp

import (
	"os"
	"path/filepath"
	"strings"

	"isadiff/engine/live"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// An assembly is the text of a final_isa.s as a request sees it, of the dumps or of
// a baseline that is a dump directory.
type assembly struct {
	folder  folderView
	path    string
	text    string
	lines   lines
	kernels []dumped // those that the file holds, as far as they are known
}

// A dumped is a kernel with what was read of it in an assembly file.
type dumped struct {
	*live.Kernel
	record *resource.Record
}

// assembly returns a dump file of one of the folders, and false if none holds a
// kernel of it.
func (v *view) assembly(path string) (assembly, bool) {
	for _, f := range v.folders {
		if f.state == nil || !f.isAssembly(path) {
			continue
		}
		a := assembly{folder: f, path: path}
		source := ""
		if rel, err := filepath.Rel(f.state.Baseline.Path, path); err == nil && f.state.Baseline.Dir && filepath.IsLocal(rel) {
			source = filepath.ToSlash(rel)
		}
		for _, k := range f.state.Kernels {
			switch {
			case k.File == path:
				a.kernels = append(a.kernels, dumped{k, k.Live})
			case source != "" && k.Baseline != nil && k.Baseline.Source == source:
				a.kernels = append(a.kernels, dumped{k, k.Baseline})
			}
		}
		if len(a.kernels) == 0 {
			continue
		}
		if doc := v.docs.open[path]; doc != nil {
			a.text, a.lines = doc.text, doc.cut()
		} else if data, err := regular.Read(path); err == nil {
			a.text = string(data)
			a.lines = splitLines(a.text)
		}
		return a, true
	}
	return assembly{}, false
}

// baselineFile is the assembly file of a kernel in a baseline that is a dump
// directory; "" if it has none.
func baselineFile(s *live.State, k *live.Kernel) string {
	if !s.Baseline.Dir || k.Baseline == nil {
		return ""
	}
	return filepath.Join(s.Baseline.Path, filepath.FromSlash(k.Baseline.Source))
}

// kernelAt returns the kernel that a 0-based line is about: its label, a line
// that names it (.set, .globl, .amdhsa_kernel), its descriptor or its metadata.
func (a assembly) kernelAt(line int) *live.Kernel {
	if line >= len(a.lines) {
		return nil // a client may ask for any line
	}
	text := a.lines.line(line)
	for _, k := range a.kernels {
		if mentions(text, k.record.Name) {
			return k.Kernel
		}
	}
	if k := a.descriptorAt(line); k != nil {
		return k
	}
	return a.metadataAt(line + 1)
}

// descriptorAt returns the kernel whose descriptor a 0-based line is in: between
// .amdhsa_kernel, which names it, and .end_amdhsa_kernel.
func (a assembly) descriptorAt(line int) *live.Kernel {
	for n := line; n >= 0; n-- {
		text := strings.TrimSpace(a.lines.line(n))
		name, begins := strings.CutPrefix(text, ".amdhsa_kernel")
		switch {
		case begins:
			for _, k := range a.kernels {
				if mentions(name, k.record.Name) {
					return k.Kernel
				}
			}
			return nil
		case text == ".end_amdhsa_kernel" && n < line:
			return nil
		case text != "" && text[0] != '.' && text[0] != ';':
			return nil
		}
	}
	return nil
}

// mentions reports whether a line of assembly names a symbol, or one of the
// symbols <name>.num_vgpr and its like.
func mentions(text, symbol string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], symbol)
		if i < 0 || symbol == "" {
			return false
		}
		i += from
		end := i + len(symbol)
		before := text[:i]
		for strings.HasSuffix(before, ".L") { // of private linkage, and of a symbol of its function
			before = before[:len(before)-len(".L")]
		}
		if (before == "" || !symbolByte(before[len(before)-1])) && (end == len(text) || !symbolByte(text[end]) || text[end] == '.') {
			return true
		}
		from = i + 1
	}
}

func symbolByte(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '_' || b == '$' || b == '.' || b >= 0x80
}

// metadataAt returns the kernel whose metadata entry a 1-based line is in.
func (a assembly) metadataAt(line int) (k *live.Kernel) {
	from := 0
	for _, other := range a.kernels {
		if at := other.record.Sites.Metadata; at > from && at <= line {
			k, from = other.Kernel, at
		}
	}
	for n := from; k != nil && n < line; n++ {
		text := strings.TrimSpace(a.lines.line(n))
		if strings.HasPrefix(text, ".end_amdgpu_metadata") || strings.HasPrefix(text, "amdhsa.") {
			return nil
		}
	}
	return k
}

// bodyAt returns the kernel whose instructions a 1-based line is among.
func (a assembly) bodyAt(line int) *live.Kernel {
	for _, k := range a.kernels {
		if s := k.record.Sites; s.Label > 0 && s.Label <= line && line <= s.End {
			return k.Kernel
		}
	}
	return nil
}

// here returns where a path of a kernel's debug locations is on this machine: as
// it is if it exists, else moved as the kernel's own source was.
func here(k *live.Kernel, origin string) string {
	local := filepath.FromSlash(origin)
	if _, err := os.Stat(local); err == nil && filepath.IsAbs(local) {
		return local
	}
	if len(k.Place.Candidates) != 1 || k.Place.Origin.Path == "" {
		return ""
	}
	there, now := k.Place.Origin.Path, filepath.ToSlash(k.Place.Candidates[0].Path)
	same := commonSuffix(there, now)
	there, now = there[:len(there)-same], now[:len(now)-same]
	rest, ok := strings.CutPrefix(origin, there)
	if !ok {
		return ""
	}
	local = filepath.FromSlash(now + rest)
	if _, err := os.Stat(local); err != nil {
		return ""
	}
	return local
}
