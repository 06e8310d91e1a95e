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
	dWavefront32
	dWGPMode
	dXNACKMask
	numDescriptorFields
)

var descriptorFields = [numDescriptorFields]string{
	dPrivateSegment: ".amdhsa_private_segment_fixed_size",
	dGroupSegment:   ".amdhsa_group_segment_fixed_size",
	dKernargSize:    ".amdhsa_kernarg_size",
	dNextFreeVGPR:   ".amdhsa_next_free_vgpr",
	dNextFreeSGPR:   ".amdhsa_next_free_sgpr",
	dWavefront32:    ".amdhsa_wavefront_size32",
	dWGPMode:        ".amdhsa_workgroup_processor_mode",
	dXNACKMask:      ".amdhsa_reserve_xnack_mask",
}

// descriptor reads the lines up to .end_amdhsa_kernel.
func (p *Parser) descriptor(name []byte) {
	d := descriptor{name: name, line: p.line}
	for p.pos < len(p.data) && !d.closed {
		at, line := p.pos, p.line
		start, end := p.next()
		s := trimBlanks(p.code(p.data[start:end]))
		if len(s) == 0 {
			continue
		}
		if hasPrefix(s, ".end_amdhsa_kernel") {
			d.closed = true
			break
		}
		if !hasPrefix(s, ".amdhsa_") || hasPrefix(s, ".amdhsa_kernel ") {
			// Whatever this is, it is read by whoever called.
			p.pos, p.line = at, line
			break
		}
		d.add(s, p.line)
	}
	if !d.closed {
		p.report(problem.DescriptorMismatch, d.line, "the descriptor of %s has no .end_amdhsa_kernel", quote(string(name)))
	}
	p.descriptors = append(p.descriptors, d)
}

func (d *descriptor) add(s []byte, line int) {
	n := 0
	for n < len(s) && s[n] > ' ' {
		n++
	}
	for i, field := range descriptorFields {
		if string(s[:n]) == field {
			value := bytes.TrimSpace(s[n:])
			if d.fields[i].line != 0 && !bytes.Equal(d.fields[i].s, value) && d.again.line == 0 {
				d.again = excerpt{s[:n], line}
			}
			d.fields[i] = excerpt{value, line}
			return
		}
	}
}
