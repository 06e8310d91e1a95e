package isa

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"isadiff/engine/problem"
)

// metadata is the YAML between .amdgpu_metadata and .end_amdgpu_metadata, as far
// as it matters here. LLVM prints it in one layout (AMDGPUUsage, "Code Object
// Metadata"): top-level keys at column 0, the entries of amdhsa.kernels as
// "  - ", their keys at column 4, and deeper what belongs to arguments. It is
// read strictly, since YAML that was damaged often still means something else:
// what does not fit the layout is read as any YAML (see anyYAML).
type metadata struct {
	line    int // of .amdgpu_metadata; 0 if there is none
	kernels int // line of amdhsa.kernels; 0 if there is none
	target  excerpt
	version [2]int
	entries []entry
}

// An entry is one element of amdhsa.kernels.
type entry struct {
	line   int
	fields [numEntryFields]excerpt
	reqd   [3]int64
	lds    LDSArgument
}

const (
	eName = iota
	eSymbol
	eVGPRCount
	eAGPRCount
	eSGPRCount
	eVGPRSpillCount
	eSGPRSpillCount
	ePrivateSegment
	eGroupSegment
	eKernargSegment
	eWavefrontSize
	eMaxFlatWorkgroupSize
	eDynamicStack
	numEntryFields
)

// entryField returns the index of a field, or -1 for one that does not matter here.
func entryField(key []byte) int {
	switch string(key) {
	case ".name":
		return eName
	case ".symbol":
		return eSymbol
	case ".vgpr_count":
		return eVGPRCount
	case ".agpr_count":
		return eAGPRCount
	case ".sgpr_count":
		return eSGPRCount
	case ".vgpr_spill_count":
		return eVGPRSpillCount
	case ".sgpr_spill_count":
		return eSGPRSpillCount
	case ".private_segment_fixed_size":
		return ePrivateSegment
	case ".group_segment_fixed_size":
		return eGroupSegment
	case ".kernarg_segment_size":
		return eKernargSegment
	case ".wavefront_size":
		return eWavefrontSize
	case ".max_flat_workgroup_size":
		return eMaxFlatWorkgroupSize
	case ".uses_dynamic_stack":
		return eDynamicStack
	}
	return -1
}

const metadataEnd = ".end_amdgpu_metadata"

// A metadataReader is where the reader is in the metadata.
type metadataReader struct {
	*Parser
	top     []byte // the top-level key that a list may follow; nil after one with a value
	nested  []byte // the entry's key that deeper lines belong to; nil after one with a value
	reqd    int    // how many sizes of .reqd_workgroup_size were read
	version int    // how many numbers of amdhsa.version were read
	over    bool   // the document has ended
}

// metadata reads the lines up to .end_amdgpu_metadata.
func (p *Parser) metadata() {
	if p.meta.line != 0 {
		p.report(problem.MetadataMalformed, p.line, "a second .amdgpu_metadata; the first is at line %d", p.meta.line)
		return
	}
	p.meta.line = p.line
	if len(p.nested) > 0 {
		p.problems = append(p.problems, problem.New(problem.MetadataMalformed, "the metadata stands in a conditional or a repetition of the assembler (line %d)", p.line).
			At(p.line).Mended(expand))
	}
	begin := p.pos
	r := metadataReader{Parser: p}
	var odd excerpt // the first line that is not laid out as LLVM does
	for p.pos < len(p.data) {
		line := p.nextLine()
		for len(line) > 0 && isBlank(line[len(line)-1]) {
			line = line[:len(line)-1]
		}
		trimmed := trimBlanks(line)
		if string(uncommentedEnd(trimmed)) == metadataEnd {
			if odd.line == 0 {
				// read
			} else if meta, ok := anyYAML(p.data[begin:p.offset], p.meta.line); ok {
				p.meta = meta
			} else {
				p.report(problem.MetadataMalformed, odd.line, "the metadata cannot be understood at line %d: %s", odd.line, quote(string(odd.s)))
				return
			}
			if p.meta.kernels == 0 {
				p.report(problem.MetadataMalformed, p.meta.line, "the metadata has no amdhsa.kernels")
			}
			return
		}
		if len(trimmed) > 0 && !r.read(line, len(line)-len(trimmed)) && odd.line == 0 {
			odd = excerpt{trimmed, p.line}
		}
	}
	p.report(problem.MetadataCut, p.line, "the file ends at line %d within the metadata, which has no %s", p.line, metadataEnd)
}

// uncommentedEnd returns a line that begins as the end marker does without what
// follows it as a comment.
func uncommentedEnd(line []byte) []byte {
	if !hasPrefix(line, metadataEnd) {
		return nil
	}
	return bytes.TrimSpace(uncommented(line))
}

// read reads one line that is not blank. It returns false for one that does not
// fit.
func (r *metadataReader) read(line []byte, indent int) bool {
	text := line[indent:]
	if bytes.IndexByte(line[:indent], '\t') >= 0 {
		return false
	}
	item := hasPrefix(text, "- ")
	switch {
	case text[0] == '#':
		return true
	case r.over:
		return false
	case indent == 0:
		switch string(text) {
		case "---":
			return len(r.names.top) == 0
		case "...":
			r.over = true
			return true
		}
		return !item && r.topLevel(text)
	case string(r.top) == "amdhsa.kernels":
		switch {
		case indent == 2 && item:
			r.meta.entries = append(r.meta.entries, entry{line: r.line})
			return r.field(text[2:])
		case indent == 4 && !item && len(r.meta.entries) > 0:
			return r.field(text)
		case indent > 4 && len(r.meta.entries) > 0 && r.nested != nil:
			return r.deeper(text, item)
		}
		return false
	case string(r.top) == "amdhsa.version" && item:
		n, err := strconv.Atoi(string(text[2:]))
		if err != nil || r.version >= len(r.meta.version) {
			return false
		}
		r.meta.version[r.version] = n
		r.version++
		return true
	}
	return r.top != nil && oneLineBelow(text)
}

// oneLine reports whether the value behind a key or a dash is surely all on its
// line, as what LLVM prints is: no string that goes on, no flow style, anchor or
// comment.
func oneLine(value []byte) bool {
	value = bytes.TrimPrefix(value, []byte("!str "))
	if len(value) == 0 {
		return true
	}
	switch value[0] {
	case '\'', '"':
		_, ok := scalar(string(value))
		return ok
	case '[', '{':
		return string(value) == "[]" || string(value) == "{}"
	case '&', '*', '!', '|', '>', '%', '@', '`', '?', '#':
		return false
	}
	return bytes.IndexByte(value, '#') < 0
}

// oneLineBelow is oneLine for a line of which the key does not matter.
func oneLineBelow(text []byte) bool {
	for hasPrefix(text, "- ") {
		text = text[2:]
	}
	if i := bytes.IndexByte(text, ':'); i > 0 && identifierByte[text[0]] && text[0] != '?' && text[0] != '@' {
		return oneLine(trimBlanks(text[i+1:]))
	}
	return oneLine(text)
}

// topLevel reads "key:" or "key: value".
func (r *metadataReader) topLevel(text []byte) bool {
	key, value, ok := keyValue(text)
	if !ok || r.names.top[string(key)] || !oneLine(value) {
		return false
	}
	r.names.top[string(key)] = true
	r.top = nil
	if len(value) == 0 {
		r.top = key
	}
	switch string(key) {
	case "amdhsa.kernels":
		r.meta.kernels = r.line
		return len(value) == 0 || string(value) == "[]"
	case "amdhsa.target":
		s, ok := scalar(string(value))
		r.meta.target = excerpt{[]byte(s), r.line}
		return ok && s != ""
	}
	return true
}

// field reads "key:" or "key: value" of a kernel.
func (r *metadataReader) field(text []byte) bool {
	key, value, ok := keyValue(text)
	if !ok || key[0] != '.' || !oneLine(value) {
		return false
	}
	r.nested = nil
	if len(value) == 0 {
		r.nested = key
	}
	if string(key) == ".reqd_workgroup_size" {
		r.reqd = 0
		return len(value) == 0
	}
	e := &r.meta.entries[len(r.meta.entries)-1]
	if i := entryField(key); i >= 0 {
		if e.fields[i].line != 0 {
			return false // a key twice, or the line that began the next entry is lost
		}
		e.fields[i] = excerpt{value, r.line}
		r.nested = nil
	}
	return true
}

// deeper reads a line below one of a kernel's keys.
func (r *metadataReader) deeper(text []byte, item bool) bool {
	e := &r.meta.entries[len(r.meta.entries)-1]
	switch string(r.nested) {
	case ".args":
		argument := text
		if item {
			argument = text[2:]
		}
		e.lds = max(e.lds, ldsArgument(argument))
		return oneLineBelow(text)
	case ".reqd_workgroup_size":
	default:
		return oneLineBelow(text)
	}
	if !item || r.reqd >= len(e.reqd) {
		return false
	}
	n, err := strconv.ParseInt(string(text[2:]), 10, 64)
	if err != nil || n < 0 {
		return false
	}
	e.reqd[r.reqd] = n
	r.reqd++
	return true
}

// ldsArgument reads a line of a kernel's arguments.
func ldsArgument(text []byte) LDSArgument {
	if !hasPrefix(text, ".value_kind:") && !hasPrefix(text, ".address_space:") {
		return NoLDSArgument
	}
	key, value, _ := keyValue(text)
	return LDSArgumentOf(string(key), string(value))
}

// LDSArgumentOf tells what a key of an argument says of LDS.
func LDSArgumentOf(key, value string) LDSArgument {
	if key != ".value_kind" && key != ".address_space" {
		return NoLDSArgument
	}
	switch value {
	case "hidden_dynamic_lds_size":
		return HiddenLDSSize
	case "dynamic_shared_pointer", "local":
		return LDSPointer
	}
	return NoLDSArgument
}

// keyValue splits "key: value" or "key:"; the value is without surrounding
// blanks.
func keyValue(text []byte) (key, value []byte, ok bool) {
	i := bytes.IndexByte(text, ':')
	if i <= 0 || i+1 < len(text) && text[i+1] != ' ' {
		return nil, nil, false
	}
	for _, c := range text[:i] {
		if !identifierByte[c] {
			return nil, nil, false
		}
	}
	return text[:i], bytes.TrimSpace(text[i+1:]), true
}

// scalar returns the string that a YAML scalar of one line stands for.
func scalar(s string) (string, bool) {
	if rest, tagged := strings.CutPrefix(s, "!str "); tagged {
		s = strings.TrimSpace(rest)
	}
	if s == "" {
		return "", true
	}
	switch s[0] {
	case '\'':
		return singleQuoted(s)
	case '"':
		return doubleQuoted(s)
	}
	if i := strings.Index(s, " #"); i >= 0 {
		s = strings.TrimSpace(s[:i])
	}
	return s, true
}

func singleQuoted(s string) (string, bool) {
	if len(s) < 2 || s[len(s)-1] != '\'' {
		return "", false
	}
	inner := s[1 : len(s)-1]
	plain := strings.ReplaceAll(inner, "''", "")
	return strings.ReplaceAll(inner, "''", "'"), !strings.Contains(plain, "'")
}

// yamlEscapes are the escapes of one letter in a double-quoted scalar (YAML 1.2,
// 5.7).
var yamlEscapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b",
	' ': " ", '"': `"`, '/': "/", '\\': `\`, 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

func doubleQuoted(s string) (string, bool) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), i == len(s)-1
		case '\\':
			i++
			if i == len(s) {
				return "", false
			}
			if r, ok := yamlEscapes[s[i]]; ok {
				b.WriteString(r)
				continue
			}
			digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i]]
			if digits == 0 || i+digits >= len(s) {
				return "", false
			}
			n, err := strconv.ParseUint(s[i+1:i+1+digits], 16, 32)
			if err != nil || !utf8.ValidRune(rune(n)) {
				return "", false
			}
			b.WriteRune(rune(n))
			i += digits
		default:
			b.WriteByte(s[i])
		}
	}
	return "", false
}
