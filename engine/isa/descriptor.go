package isa

import (
	"bytes"

	"isadiff/engine/problem"
)

// A descriptor is one .amdhsa_kernel block as written.
type descriptor struct {
	name   []byte
	line   int
	fields [numDescriptorFields]excerpt
	closed bool
	again  excerpt // the first field that is given twice with different values
}

const (
	dPrivateSegment = iota
	dGroupSegment
	dKernargSize
	dNextFreeVGPR
	dNextFreeSGPR
	dAccumOffset
	dWavefront32
	dWGPMode
	dXNACKMask
	numDescriptorFields
)

// descriptorField returns the index of a field, or -1 for one that does not
// matter here.
func descriptorField(name []byte) int {
	switch string(name) {
	case ".amdhsa_private_segment_fixed_size":
		return dPrivateSegment
	case ".amdhsa_group_segment_fixed_size":
		return dGroupSegment
	case ".amdhsa_kernarg_size":
		return dKernargSize
	case ".amdhsa_next_free_vgpr":
		return dNextFreeVGPR
	case ".amdhsa_next_free_sgpr":
		return dNextFreeSGPR
	case ".amdhsa_accum_offset":
		return dAccumOffset
	case ".amdhsa_wavefront_size32":
		return dWavefront32
	case ".amdhsa_workgroup_processor_mode":
		return dWGPMode
	case ".amdhsa_reserve_xnack_mask":
		return dXNACKMask
	}
	return -1
}

// descriptor reads the statements up to .end_amdhsa_kernel.
func (p *Parser) descriptor(name []byte) {
	d := descriptor{name: name, line: p.line}
	if len(p.nested) > 0 {
		p.problems = append(p.problems, problem.New(problem.DescriptorMismatch, "the descriptor of %s stands in a conditional or a repetition of the assembler (line %d)", quote(string(name)), p.line).
			At(p.line).Mended(expand))
	}
	for p.pos < len(p.data) && !d.closed {
		if p.plainField(&d) {
			continue // most of them
		}
		before := p.Lexer
		s := trimBlanks(p.next())
		switch {
		case len(s) == 0:
			continue
		case hasPrefix(s, ".end_amdhsa_kernel"):
			d.closed = true
		case !hasPrefix(s, ".amdhsa_"), string(word(s)) == ".amdhsa_kernel":
			// Whatever this is, it is read by whoever called.
			p.Lexer = before
			p.unclosed(&d)
			return
		default:
			for more := true; more; { // a line may hold several fields
				var field []byte
				if field, s, more = cutField(s); hasPrefix(field, ".end_amdhsa_kernel") {
					d.closed = true
				} else {
					d.add(field, p.line)
				}
			}
		}
	}
	if !d.closed {
		p.unclosed(&d)
		return
	}
	p.descriptors = append(p.descriptors, d)
}

// plainField reads a line that holds nothing but a field and its number.
func (p *Parser) plainField(d *descriptor) bool {
	s := p.data[p.pos:]
	begin := 0
	for begin < len(s) && (s[begin] == '\t' || s[begin] == ' ') {
		begin++
	}
	if !hasPrefix(s[begin:], ".amdhsa_") {
		return false
	}
	name := mnemonicEnd(s, begin+1)
	value := name
	for value < len(s) && s[value] == ' ' {
		value++
	}
	end := value
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	if end == value || value == name || end == len(s) || s[end] != '\n' {
		return false
	}
	field := descriptorField(s[begin:name])
	if field < 0 && string(s[begin:name]) == ".amdhsa_kernel" {
		return false
	}
	p.pos += end + 1
	p.line += 1 + p.more
	p.more = 0
	if field >= 0 {
		d.note(field, s[begin:name], s[value:end], p.line)
	}
	return true
}

// cutField splits a line after its first field. The values of fields may hold names
// with dots.
func cutField(s []byte) (field, rest []byte, more bool) {
	for i := 1; i < len(s); i++ {
		n := bytes.IndexByte(s[i:], '.')
		if n < 0 {
			break
		}
		i += n
		if hasPrefix(s[i:], ".amdhsa_") || hasPrefix(s[i:], ".end_amdhsa_kernel") {
			return s[:i], s[i:], true
		}
	}
	return s, nil, false
}

// word returns the symbol that s begins with; it is empty if there is none.
func word(s []byte) []byte {
	n := 0
	for n < len(s) && identifierByte[s[n]] {
		n++
	}
	return s[:n]
}

func (p *Parser) unclosed(d *descriptor) {
	p.report(problem.DescriptorMismatch, d.line, "the descriptor of %s has no .end_amdhsa_kernel", quote(string(d.name)))
	p.descriptors = append(p.descriptors, *d)
}

func (d *descriptor) add(s []byte, line int) {
	n := len(word(s))
	i := descriptorField(s[:n])
	if i < 0 {
		return
	}
	d.note(i, s[:n], bytes.TrimSpace(s[n:]), line)
}

// note keeps the value of a field.
func (d *descriptor) note(i int, name, value []byte, line int) {
	if d.fields[i].line != 0 && !bytes.Equal(d.fields[i].s, value) && d.again.line == 0 {
		d.again = excerpt{name, line}
	}
	d.fields[i] = excerpt{value, line}
}
