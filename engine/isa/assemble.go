package isa

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"isadiff/engine/gfx"
	"isadiff/engine/problem"
)

// file puts together what the pass has found.
func (p *Parser) file() *File {
	f := &File{
		Target: string(p.target.s), TargetLine: p.target.line,
		MetadataTarget: string(p.meta.target.s), MetadataTargetLine: p.meta.target.line,
		Version:   p.meta.version,
		Compilers: p.made.compilers(), Sources: p.made.sources(),
	}
	if p.open != "" {
		p.report(problem.MetadataCut, p.line, "a %s is not closed before the end of the file", p.open)
	}
	if p.meta.line == 0 {
		p.problems = append(p.problems, p.noMetadata())
	}
	if f.Target != "" && f.MetadataTarget != "" && !sameTarget(f.Target, f.MetadataTarget) {
		p.report(problem.TargetConflict, f.MetadataTargetLine, ".amdgcn_target names %s (line %d), the metadata %s (line %d)",
			quote(f.Target), f.TargetLine, quote(f.MetadataTarget), f.MetadataTargetLine)
	}
	if id := f.TargetID(); id != p.known.ID || id == "" {
		p.known, _ = gfx.ParseTarget(id)
	}
	f.Identity = p.known
	p.assignments.target = p.known
	for i := range p.assignments.list {
		if isResourceSymbol(p.assignments.list[i].name) {
			f.Symbols = true
			break
		}
	}
	p.indexDescriptors()
	p.kernels(f)
	p.matchDescriptors(f)
	p.bodies(f)
	p.moduleSymbols()
	f.Problems = p.problems
	return f
}

// noMetadata says why a text has no metadata, as far as it tells.
func (p *Parser) noMetadata() problem.Problem {
	missing := func(line int, format string, args ...any) problem.Problem {
		return problem.New(problem.MetadataMissing, format, args...).At(line)
	}
	switch {
	case p.inMacro.line != 0:
		return missing(p.inMacro.line, "the metadata stands in the assembler macro %s (line %d), which is not expanded", quote(string(p.inMacro.s)), p.inMacro.line).
			Mended(expand)
	case p.v2.line != 0:
		return missing(p.v2.line, "the file is of code object v2 (%s, line %d), which is not read: its counts have another form", p.v2.s, p.v2.line).
			Mended("compile with -mcode-object-version=5, or 4 for an older runtime")
	case isIR(p.data):
		return missing(1, "the file holds LLVM IR, not assembly: with LTO the device code is compiled by the linker").
			Mended("compile with -fno-offload-lto, or with -Xoffload-linker --lto-emit-asm, which keeps the assembly as *.out.lto.s")
	}
	return missing(0, "there is no .amdgpu_metadata in the file")
}

// expand is how to get a text without macros and conditionals.
const expand = "write the file without macros and conditionals: llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=PROCESSOR FILE.s -o EXPANDED.s"

// isIR reports whether a text is LLVM IR, which begins with comments and the name of
// the source, the data layout or the target.
func isIR(text []byte) bool {
	for line := range bytes.Lines(text) {
		line = bytes.TrimSpace(line)
		if hasPrefix(line, "; ModuleID =") || hasPrefix(line, "source_filename =") || hasPrefix(line, "target datalayout =") || hasPrefix(line, "target triple =") {
			return true
		}
		if len(line) > 0 && line[0] != ';' {
			return false
		}
	}
	return false
}

// isResourceSymbol reports whether a symbol is one that LLVM sets from version 20
// on.
func isResourceSymbol(name []byte) bool {
	if hasPrefix(name, "amdgpu.max_num_") {
		return true
	}
	dot := bytes.LastIndexByte(name, '.')
	switch string(name[dot+1:]) {
	case "num_vgpr", "num_agpr", "numbered_sgpr", "num_named_barrier", "private_seg_size", "uses_vcc", "uses_flat_scratch",
		"has_dyn_sized_stack", "has_recursion", "has_indirect_call":
		return dot > 0
	}
	return false
}

// TargetID returns the target as the file names it: the directive, else the
// metadata; "" if neither names one.
func (f *File) TargetID() string {
	if f.Target != "" {
		return f.Target
	}
	return f.MetadataTarget
}

// sameTarget reports whether two spellings name one target.
func sameTarget(a, b string) bool {
	if a == b {
		return true
	}
	ta, errA := gfx.ParseTarget(a)
	tb, errB := gfx.ParseTarget(b)
	return errA == nil && errB == nil && gfx.Same(ta, tb)
}

// kernels makes a kernel of each metadata entry.
func (p *Parser) kernels(f *File) {
	seen := p.names.declared
	for i := range p.meta.entries {
		e := &p.meta.entries[i]
		k, ok := p.kernel(e)
		if !ok {
			continue
		}
		if first := seen[k.Name]; first != nil {
			first.report(problem.KernelDuplicate, k.Line, "it is declared again at line %d; the first declaration, at line %d, is shown", k.Line, first.Line)
			continue
		}
		seen[k.Name] = k
		f.Kernels = append(f.Kernels, k)
	}
}

func (k *Kernel) report(code problem.Code, line int, format string, args ...any) {
	k.Problems = append(k.Problems, problem.New(code, "%s", fmt.Sprintf(format, args...)).At(line))
}

// kernel makes a kernel of one metadata entry; ok is false if it has no name.
func (p *Parser) kernel(e *entry) (k *Kernel, ok bool) {
	name, okName := scalar(string(e.fields[eName].s))
	symbol, okSymbol := scalar(string(e.fields[eSymbol].s))
	stem, hasSuffix := strings.CutSuffix(symbol, ".kd")
	switch {
	case !okName || !okSymbol:
		p.report(problem.MetadataMalformed, e.line, "the name of the kernel at line %d is not a well-formed string", e.line)
		return nil, false
	case name == "" && (stem == "" || !hasSuffix):
		p.report(problem.KernelUnnamed, e.line, "the metadata entry at line %d has neither .name nor a .symbol that ends in .kd", e.line)
		return nil, false
	case name == "":
		name = stem
	}
	k = p.blank()
	k.Name, k.Line, k.Symbol = name, e.line, p.symbol(name)
	if symbol != "" && (stem != name || !hasSuffix) {
		k.report(problem.KernelNameConflict, e.fields[eSymbol].line, ".name is %s, but .symbol is %s", quote(name), quote(symbol))
	}
	k.Metadata = Metadata{
		VGPRCount:            decimal(e.fields[eVGPRCount]),
		AGPRCount:            decimal(e.fields[eAGPRCount]),
		SGPRCount:            decimal(e.fields[eSGPRCount]),
		VGPRSpillCount:       decimal(e.fields[eVGPRSpillCount]),
		SGPRSpillCount:       decimal(e.fields[eSGPRSpillCount]),
		PrivateSegment:       decimal(e.fields[ePrivateSegment]),
		GroupSegment:         decimal(e.fields[eGroupSegment]),
		KernargSegment:       decimal(e.fields[eKernargSegment]),
		WavefrontSize:        decimal(e.fields[eWavefrontSize]),
		MaxFlatWorkgroupSize: decimal(e.fields[eMaxFlatWorkgroupSize]),
		ReqdWorkgroupSize:    e.reqd,
		DynamicStack:         string(e.fields[eDynamicStack].s) == "true",
		LDSArgument:          e.lds,
	}
	k.Symbols = p.symbols(k)
	return k, true
}

// blank returns memory for a kernel.
func (p *Parser) blank() *Kernel {
	if p.used == len(p.memory) {
		p.memory = append(p.memory, new(Kernel))
	}
	k := p.memory[p.used]
	*k = Kernel{}
	p.used++
	return k
}

// decimal reads a plain decimal integer that is not negative.
func decimal(t excerpt) Field {
	f := Field{Line: t.line}
	if t.line == 0 {
		return f
	}
	if n, ok := plainDecimal(t.s); ok {
		f.State, f.Value = Read, n
		return f
	}
	n, err := strconv.ParseInt(string(t.s), 10, 64)
	if plain := len(t.s) == 1 || len(t.s) > 1 && t.s[0] >= '1' && t.s[0] <= '9'; err != nil || !plain || n < 0 {
		f.State, f.Reason = Invalid, fmt.Sprintf("%s at line %d is no plain decimal integer of 0 or more", quote(string(t.s)), t.line)
		return f
	}
	f.State, f.Value = Read, n
	return f
}

// symbols evaluates the symbols of a kernel. LLVM names them after the function;
// those of functions with local linkage begin with ".L".
func (p *Parser) symbols(k *Kernel) Symbols {
	a := &p.assignments
	name := append(append(p.name[:0], ".L"...), k.Symbol...)
	stem := len(name)
	get := func(what string) Field {
		var f Field
		name = append(name[:stem], what...)
		for _, name := range [][]byte{name[len(".L"):], name} {
			if hasPrefix(name, ".L") && !a.private {
				continue
			}
			i := a.find(name)
			if i < 0 {
				continue
			}
			v, err := a.last(i, 0)
			g := fieldOf(v, err, a.list[i].line, name)
			if f.State != Absent && (g.State != f.State || g.Value != f.Value) {
				k.report(problem.SymbolConflict, g.Line, "%s is set at line %d and %s at line %d to another value", quote(k.Name+what), f.Line, quote(string(name)), g.Line)
			}
			if first, second := a.conflict(i); first != 0 {
				k.report(problem.SymbolConflict, second, "%s is set at line %d and again at line %d to another value", quote(string(name)), first, second)
			}
			f = g
		}
		return f
	}
	defer func() { p.name = name }()
	return Symbols{
		NumVGPR:          get(".num_vgpr"),
		NumAGPR:          get(".num_agpr"),
		NumberedSGPR:     get(".numbered_sgpr"),
		PrivateSegSize:   get(".private_seg_size"),
		UsesVCC:          get(".uses_vcc"),
		UsesFlatScratch:  get(".uses_flat_scratch"),
		HasDynSizedStack: get(".has_dyn_sized_stack"),
		HasRecursion:     get(".has_recursion"),
		HasIndirectCall:  get(".has_indirect_call"),
	}
}

// fieldOf makes a field of a value.
func fieldOf(v value, err error, line int, name []byte) Field {
	f := Field{Line: line, Bound: v.bound}
	switch {
	case err != nil:
		f.State, f.Reason = Unresolved, fmt.Sprintf("%s at line %d: %v", quote(string(name)), line, err)
	case v.n < 0:
		f.State, f.Reason = Invalid, fmt.Sprintf("%s at line %d is negative: %d", quote(string(name)), line, v.n)
	default:
		f.State, f.Value = Read, v.n
	}
	return f
}

// symbol returns the symbol that a kernel has in the text. That of a kernel with
// private linkage begins with ".L" (LLVM 22), as no symbol of the metadata does.
func (p *Parser) symbol(kernel string) string {
	if private := ".L" + kernel; p.names.descriptors[kernel] == nil && p.names.descriptors[private] != nil {
		return private
	}
	return kernel
}

// indexDescriptors fills in the names of the descriptors.
func (p *Parser) indexDescriptors() {
	byName := p.names.descriptors
	for i := range p.descriptors {
		d := &p.descriptors[i]
		if first := byName[string(d.name)]; first != nil {
			p.report(problem.DescriptorMismatch, d.line, "two descriptors (.amdhsa_kernel) of %s, at lines %d and %d", quote(string(d.name)), first.line, d.line)
			continue
		}
		byName[string(d.name)] = d
	}
}

// matchDescriptors gives each kernel its descriptor. The two lists name the same
// kernels unless the file is damaged.
func (p *Parser) matchDescriptors(f *File) {
	byName := p.names.descriptors
	if p.meta.line == 0 {
		return // metadata-missing has been said
	}
	for _, k := range f.Kernels {
		d := byName[k.Symbol]
		if d == nil {
			k.report(problem.DescriptorMismatch, k.Line, "it has a metadata entry but no descriptor (.amdhsa_kernel)")
			continue
		}
		k.Descriptor = p.evaluate(d)
		if d.again.line != 0 {
			k.report(problem.CountsContradict, d.again.line, "%s is given twice with different values, again at line %d", string(d.again.s), d.again.line)
		}
		delete(byName, string(d.name))
	}
	for i := range p.descriptors {
		if d := &p.descriptors[i]; byName[string(d.name)] == d {
			p.report(problem.DescriptorMismatch, d.line, "%s has a descriptor (.amdhsa_kernel, line %d) but no metadata entry", quote(string(d.name)), d.line)
		}
	}
}

// evaluate evaluates the fields of a descriptor, which may be expressions.
func (p *Parser) evaluate(d *descriptor) Descriptor {
	get := func(i int, name string) Field {
		t := d.fields[i]
		if t.line == 0 {
			return Field{}
		}
		v, err := p.assignments.expression(t.s, 0)
		return fieldOf(v, err, t.line, []byte(name))
	}
	return Descriptor{
		Line:           d.line,
		PrivateSegment: get(dPrivateSegment, ".amdhsa_private_segment_fixed_size"),
		GroupSegment:   get(dGroupSegment, ".amdhsa_group_segment_fixed_size"),
		KernargSize:    get(dKernargSize, ".amdhsa_kernarg_size"),
		NextFreeVGPR:   get(dNextFreeVGPR, ".amdhsa_next_free_vgpr"),
		NextFreeSGPR:   get(dNextFreeSGPR, ".amdhsa_next_free_sgpr"),
		AccumOffset:    get(dAccumOffset, ".amdhsa_accum_offset"),
		Wavefront32:    get(dWavefront32, ".amdhsa_wavefront_size32"),
		WGPMode:        get(dWGPMode, ".amdhsa_workgroup_processor_mode"),
		XNACKMask:      get(dXNACKMask, ".amdhsa_reserve_xnack_mask"),
	}
}

// moduleSymbols checks the maxima over the module, which stand for callees that
// are not in it.
func (p *Parser) moduleSymbols() {
	for _, name := range moduleMaxima {
		if first, second := p.assignments.conflict(p.assignments.find(name)); first != 0 {
			p.report(problem.SymbolConflict, second, "%s is set at line %d and again at line %d to another value", name, first, second)
		}
	}
}

var moduleMaxima = [][]byte{[]byte("amdgpu.max_num_vgpr"), []byte("amdgpu.max_num_agpr"), []byte("amdgpu.max_num_sgpr")}

// quote shows a part of the file on one line.
func quote(s string) string {
	const limit = 120
	if len(s) > limit {
		s = s[:limit] + "…"
	}
	q := strconv.Quote(s)
	if q == `"`+s+`"` && s != "" && !strings.ContainsAny(s, " ,;") {
		return s
	}
	return q
}
