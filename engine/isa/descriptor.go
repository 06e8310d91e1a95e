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

// descriptor reads the lines up to .end_amdhsa_kernel.
func (p *Parser) descriptor(name []byte) {
	d := descriptor{name: name, line: p.line}
	for p.pos < len(p.data) && !d.closed {
		at, line := p.pos, p.line
		start, end := p.next()
		s := trimBlanks(p.data[start:end])
		n := 0
		for n < len(s) && s[n] > ' ' {
			n++
		}
		if !p.comments && hasPrefix(s, ".amdhsa_") && descriptorField(s[:n]) < 0 && string(s[:n]) != ".amdhsa_kernel" {
			continue // most of them
		}
		s = trimBlanks(p.code(p.data[start:end]))
		switch {
		case len(s) == 0:
			continue
		case hasPrefix(s, ".end_amdhsa_kernel"):
			d.closed = true
		case !hasPrefix(s, ".amdhsa_"), hasPrefix(s, ".amdhsa_kernel "):
			// Whatever this is, it is read by whoever called.
			p.pos, p.line = at, line
			p.unclosed(&d)
			return
		default:
			d.add(s, p.line)
		}
	}
	if !d.closed {
		p.unclosed(&d)
		return
	}
	p.descriptors = append(p.descriptors, d)
}

func (p *Parser) unclosed(d *descriptor) {
	p.report(problem.DescriptorMismatch, d.line, "the descriptor of %s has no .end_amdhsa_kernel", quote(string(d.name)))
	p.descriptors = append(p.descriptors, *d)
}

func (d *descriptor) add(s []byte, line int) {
	n := 0
	for n < len(s) && s[n] > ' ' {
		n++
	}
	i := descriptorField(s[:n])
	if i < 0 {
		return
	}
	value := bytes.TrimSpace(s[n:])
	if d.fields[i].line != 0 && !bytes.Equal(d.fields[i].s, value) && d.again.line == 0 {
		d.again = excerpt{s[:n], line}
	}
	d.fields[i] = excerpt{value, line}
}
