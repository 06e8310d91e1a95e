package lsp

import (
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"isadiff/engine/live"
	"isadiff/engine/locate"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// An assembly is the text of a final_isa.s as a request sees it, of the dumps or of
// a baseline that is a dump directory.
type assembly struct {
	folder  folderView
	path    string
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
			a.lines = doc.cut()
		} else if data, err := regular.Read(path); err == nil {
			a.lines = splitLines(string(data))
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

// sourceNear returns the source line that a 1-based line of an assembly file
// stands under: the nearest .loc at or above it that names a line of a user's
// file. Its Path is as the compiler wrote it; the zero Location means none.
func sourceNear(file string, line int) locate.Location {
	data, err := regular.Read(file)
	if err != nil {
		return locate.Location{}
	}
	return nearestLoc(splitLines(string(data)), line)
}

func nearestLoc(text lines, line int) locate.Location {
	for n := min(line, len(text)); n >= 1; n-- {
		fields := strings.Fields(text[n-1])
		if len(fields) >= 3 && fields[0] == ".loc" {
			at, err := strconv.Atoi(fields[2])
			if err != nil || at <= 0 {
				continue
			}
			column, _ := strconv.Atoi(strings.Join(fields[3:min(4, len(fields))], ""))
			name := fileName(text, fields[1])
			if name == "" || strings.HasSuffix(name, "/functools.py") {
				continue // a wrapper of the standard library, not the user's line
			}
			return locate.Location{Path: name, Line: at, Column: max(column-1, 0)}
		}
		if isLabel(text[n-1]) && n < line {
			return locate.Location{} // the beginning of the function
		}
	}
	return locate.Location{}
}

// isLabel reports whether a line begins a function, or ends the one before; the other
// labels that begin with .L are of basic blocks and debug information.
func isLabel(text string) bool {
	if text == "" || strings.HasPrefix(text, ".L") {
		return strings.HasPrefix(text, ".Lfunc_end")
	}
	if text[0] == '.' {
		name, _, ok := strings.Cut(text, ":")
		return ok && !strings.ContainsAny(name, " \t")
	}
	return text[0] != '\t' && text[0] != ' ' && text[0] != ';' && strings.Contains(text, ":")
}

// fileName finds `.file 1 "dir" "name"`. Strings have octal escapes.
func fileName(text lines, number string) string {
	for _, l := range text {
		rest, ok := strings.CutPrefix(strings.TrimSpace(l), ".file")
		if !ok {
			continue
		}
		id, names, ok := strings.Cut(strings.TrimSpace(rest), " ")
		if tab := strings.IndexByte(strings.TrimSpace(rest), '\t'); tab >= 0 && (!ok || tab < len(id)) {
			id, names = strings.TrimSpace(rest)[:tab], strings.TrimSpace(rest)[tab+1:]
		}
		if id != number {
			continue
		}
		var parts []string
		for names = strings.TrimSpace(names); strings.HasPrefix(names, `"`); names = strings.TrimSpace(names) {
			part, after, ok := quoted(names)
			if !ok {
				break
			}
			parts, names = append(parts, part), after
		}
		switch len(parts) {
		case 1:
			return parts[0]
		case 2:
			if path.IsAbs(parts[1]) {
				return parts[1]
			}
			return path.Join(parts[0], parts[1])
		}
	}
	return ""
}

// quoted reads a string of the assembler with its octal escapes.
func quoted(s string) (text, rest string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:], true
		case s[i] == '\\' && i+3 < len(s) && s[i+1] >= '0' && s[i+1] <= '3':
			n, err := strconv.ParseUint(s[i+1:i+4], 8, 8)
			if err != nil {
				return "", "", false
			}
			b.WriteByte(byte(n))
			i += 3
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", false
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
