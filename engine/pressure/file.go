package pressure

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"isadiff/engine/gfx"
	"isadiff/engine/isa"
)

// An Assembly is the text of an assembly file with an index of what is in it. It is
// safe for concurrent use.
type Assembly struct {
	data      []byte
	processor string                // of .amdgcn_target; "" if there is none
	bodies    map[string]*body      // every function-like label
	kernels   []string              // in the order of their descriptors
	launch    map[string]descriptor // by kernel
	spills    map[string]int        // .vgpr_spill_count by kernel, where it could be read
	symbols   map[string]string     // by kernel, where it is another than the kernel's name
	files     map[int]string        // of the .file directives, by number
	macros    int                   // line of the first .macro; 0 if there is none
	callees   sync.Map              // effects by function's name, filled as they are asked for
}

// A body is the extent of a function's text.
type body struct {
	name       string
	line       int // of its label
	start, end int // offsets after the label and of the terminator's line
	startLine  int // lines before start's, so that numbering can go on
	fault      string
	faultLine  int
}

// A descriptor is what a kernel's .amdhsa_kernel block says about the registers
// that hold a value at the entry.
type descriptor struct {
	line       int
	userSGPRs  int // .amdhsa_user_sgpr_count; -1 if absent
	userSum    int // registers of the user_sgpr_* features that are on
	systemSGPR int // registers of the system_sgpr_* features that are on
	workgroupX bool
	workItemID int // 0, 1 or 2: the highest dimension that is asked for
}

// Index reads the outline of an assembly file: its functions, descriptors and
// source files. It keeps data, which must not change.
func Index(data []byte) *Assembly {
	f := &Assembly{
		data:   data,
		bodies: map[string]*body{},
		launch: map[string]descriptor{},
		spills: map[string]int{}, symbols: map[string]string{},
		files: map[int]string{},
	}
	for _, k := range isa.Parse(data).Kernels {
		if n := k.Metadata.VGPRSpillCount; n.State == isa.Read {
			f.spills[k.Name] = int(n.Value)
		}
		if k.Symbol != k.Name {
			f.symbols[k.Name] = k.Symbol
		}
	}
	x := indexer{Assembly: f, Lexer: isa.NewLexer(data, 0, 1)}
	for {
		stmt, ok := x.Next()
		if !ok {
			break
		}
		x.statement(stmt, x.Start())
	}
	x.close(len(data), "the file ends before the function does")
	for kernel, symbol := range f.symbols {
		if i := slices.Index(f.kernels, symbol); i >= 0 {
			f.kernels[i] = kernel
		}
	}
	return f
}

// Kernels returns the names of the kernels that have a descriptor, in order.
func (f *Assembly) Kernels() []string { return f.kernels }

// Has reports whether the file has a kernel's descriptor or body.
func (f *Assembly) Has(kernel string) bool {
	symbol := f.symbol(kernel)
	_, ok := f.launch[symbol]
	return ok || f.bodies[symbol] != nil
}

// symbol returns the symbol of a kernel: its name but for private linkage.
func (f *Assembly) symbol(kernel string) string {
	if s := f.symbols[kernel]; s != "" {
		return s
	}
	return kernel
}

// An indexer is the state of one pass over a file.
type indexer struct {
	*Assembly
	*isa.Lexer
	open   *body  // the function that has begun
	typed  string // the name of the last .type directive of a function
	kernel string // the descriptor that has begun
	desc   descriptor
	debug  bool // within a .debug_* section
}

func (x *indexer) statement(stmt []byte, start int) {
	for {
		kind, name, rest := lead(stmt)
		switch kind {
		case label:
			if !x.debug {
				x.label(string(name), start)
			}
			stmt = rest
			continue
		case directive:
			x.directive(name, rest, start)
		}
		return
	}
}

func (x *indexer) label(name string, start int) {
	if strings.HasPrefix(name, ".Lfunc_end") {
		x.close(start, "")
		return
	}
	if name == "" || (name[0] == '.' || isDigit(name[0])) && name != x.typed {
		return
	}
	if x.open != nil && name != x.typed {
		return // a label of inline assembly
	}
	x.close(start, "the next function begins before this one ends")
	b := &body{name: name, line: x.Line(), start: start, startLine: x.Line() - 1}
	if x.bodies[name] == nil {
		x.bodies[name] = b
	} else {
		x.bodies[name].fault, x.bodies[name].faultLine = "a second label of this name", x.Line()
	}
	x.open = b
}

// close ends the function that is open.
func (x *indexer) close(at int, fault string) {
	if x.open == nil {
		return
	}
	x.open.end = at
	if fault != "" && x.open.fault == "" {
		x.open.fault, x.open.faultLine = fault, x.Line()
	}
	x.open = nil
}

func (x *indexer) directive(name, rest []byte, start int) {
	if x.kernel != "" && bytes.HasPrefix(name, []byte(".amdhsa_")) {
		x.field(string(name[len(".amdhsa_"):]), rest)
		return
	}
	switch string(name) {
	case ".section", ".pushsection":
		x.debug = bytes.HasPrefix(skipBlanks(rest), []byte(".debug_"))
	case ".text", ".data", ".bss", ".previous", ".popsection":
		x.debug = false
	case ".type":
		if symbol, kind, ok := bytes.Cut(rest, []byte("function")); ok && len(kind) < 64 {
			x.typed = symbolName(symbol)
		}
	case ".size":
		if x.open != nil && symbolName(rest) == x.open.name {
			x.close(start, "")
		}
	case ".file":
		x.file(rest)
	case ".macro":
		if x.macros == 0 {
			x.macros = x.Line()
		}
	case ".amdgcn_target":
		target, _ := gfx.ParseTarget(isa.Unquote(bytes.TrimSpace(rest)))
		x.processor = target.Processor
	case ".amdhsa_kernel":
		x.kernel = string(x.KernelName(skipBlanks(rest), func(name []byte) bool { return x.bodies[string(name)] != nil }))
		x.desc = descriptor{line: x.Line(), userSGPRs: -1, workgroupX: true}
	case ".end_amdhsa_kernel":
		if x.kernel == "" {
			break
		}
		if _, twice := x.launch[x.kernel]; !twice {
			x.kernels = append(x.kernels, x.kernel)
			x.launch[x.kernel] = x.desc
		}
		x.kernel = ""
	case ".amdgpu_metadata":
		for line, ok := x.NextLine(); ok && !bytes.HasPrefix(skipBlanks(line), []byte(".end_amdgpu_metadata")); {
			line, ok = x.NextLine()
		}
	}
}

// userRegisters are the scalar registers that a user_sgpr_* feature takes.
// Source: LLVM's AMDGPUUsage, "Code Object V3 Kernel Descriptor".
var userRegisters = map[string]int{
	"user_sgpr_private_segment_buffer": 4,
	"user_sgpr_dispatch_ptr":           2,
	"user_sgpr_queue_ptr":              2,
	"user_sgpr_kernarg_segment_ptr":    2,
	"user_sgpr_dispatch_id":            2,
	"user_sgpr_flat_scratch_init":      2,
	"user_sgpr_private_segment_size":   1,
}

func (x *indexer) field(name string, rest []byte) {
	n, err := strconv.Atoi(string(bytes.TrimSpace(rest)))
	if err != nil || n < 0 {
		return // an expression; none of the fields that count is ever one
	}
	switch name {
	case "user_sgpr_count":
		x.desc.userSGPRs = n
	case "user_sgpr_kernarg_preload_length":
		x.desc.userSum += min(n, maxSGPR)
	case "system_sgpr_workgroup_id_x":
		x.desc.workgroupX = n != 0
	case "system_sgpr_workgroup_id_y", "system_sgpr_workgroup_id_z", "system_sgpr_workgroup_info",
		"system_sgpr_private_segment_wavefront_offset", "enable_private_segment":
		x.desc.systemSGPR += min(n, 1)
	case "system_vgpr_workitem_id":
		x.desc.workItemID = min(n, 2)
	default:
		x.desc.userSum += userRegisters[name] * min(n, 1)
	}
}

// sgprs returns how many scalar registers, from s0 on, are written at entry.
func (d descriptor) sgprs() int {
	n := d.userSGPRs
	if n < 0 {
		n = d.userSum
	}
	if d.workgroupX {
		n++
	}
	return min(n+d.systemSGPR, maxSGPR)
}

// file reads a .file directive: a number, perhaps a directory, and a name.
func (x *indexer) file(rest []byte) {
	rest = skipBlanks(rest)
	n, rest, ok := leadingInt(rest)
	if !ok {
		return // ".file "name"" names the module
	}
	var parts []string
	for len(parts) < 2 {
		rest = skipBlanks(rest)
		if len(rest) == 0 || rest[0] != '"' {
			break
		}
		q := isa.QuotedLen(rest)
		parts = append(parts, isa.Unquote(rest[:q]))
		rest = rest[q:]
	}
	switch {
	case len(parts) == 1:
		x.files[n] = parts[0]
	case len(parts) == 2 && (parts[0] == "" || strings.HasPrefix(parts[1], "/")):
		x.files[n] = parts[1]
	case len(parts) == 2:
		x.files[n] = path.Join(parts[0], parts[1])
	}
}

// symbolName returns the symbol at the start of a directive's operands.
func symbolName(b []byte) string {
	b = skipBlanks(b)
	if len(b) > 0 && b[0] == '"' {
		return isa.Unquote(b[:isa.QuotedLen(b)])
	}
	n := 0
	for n < len(b) && isName(b[n]) {
		n++
	}
	return string(b[:n])
}

// leadingInt splits a plain decimal number off b.
func leadingInt(b []byte) (n int, rest []byte, ok bool) {
	i := 0
	for i < len(b) && isDigit(b[i]) {
		if n = n*10 + int(b[i]-'0'); n > 1<<40 {
			return 0, b, false
		}
		i++
	}
	return n, b[i:], i > 0
}
