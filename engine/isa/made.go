package isa

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// A making is what a text says of what made it: who, and of which source files.
type making struct {
	idents   []string // of .ident, each once
	producer string   // of the debug information
	files    []string // of .file: base name and checksum, each once
	unsummed bool     // a source file has no checksum
}

// maxName bounds the name of a compiler; what is longer is a command line.
const maxName = 256

// mlir is the producer that MLIR puts into the debug information of whatever front
// end uses it. It tells nothing of the compiler.
const mlir = "MLIR"

// ident reads ".ident "name"", which LLVM prints for each front end that a module
// has code of (AsmPrinter::emitModuleIdents).
func (m *making) ident(args []byte) {
	if name := compilerName(args); name != "" && !slices.Contains(m.idents, name) {
		m.idents = append(m.idents, name)
	}
}

// infoString is the label of the first string that LLVM's debug information
// refers to: DW_AT_producer, the first attribute of the compilation unit
// (DwarfDebug::finishUnitAttributes).
var infoString = []byte(".Linfo_string0:")

// text reads a string of the debug information that begins at offset start.
func (p *Parser) text(args []byte, start int) {
	if p.made.producer != "" || !strings.HasPrefix(string(p.section), ".debug_str") {
		return
	}
	if before := p.data[max(0, start-len(infoString)-8):start]; bytes.HasSuffix(bytes.TrimRight(before, " \t\r\n"), infoString) {
		p.made.producer = compilerName(args)
	}
}

func compilerName(args []byte) string {
	if len(args) == 0 || args[0] != '"' {
		return ""
	}
	name, _, ok := symbolName(args)
	if name = bytes.TrimSpace(name); !ok || len(name) > maxName {
		return ""
	}
	return string(name)
}

// sourceFile reads ".file 1 "dir" "name" md5 0x…", a file of the line table. Headers
// of clang itself belong to the compiler and not to what it was given.
func (m *making) sourceFile(args []byte) {
	digits := len(args) - len(bytes.TrimLeft(args, "0123456789"))
	if digits == 0 {
		return // the name of the module
	}
	rest := trimBlanks(args[digits:])
	var path [2][]byte
	for range path {
		name, n, ok := symbolName(rest)
		if !ok || rest[0] != '"' {
			break
		}
		path[0], path[1], rest = path[1], name, trimBlanks(rest[n:])
	}
	name := bytes.ReplaceAll(bytes.Join(path[:], []byte("/")), []byte(`\`), []byte("/"))
	if bytes.Contains(name, []byte("/lib/clang/")) {
		return
	}
	sum, ok := bytes.CutPrefix(rest, []byte("md5 "))
	sum = bytes.Fields(append(sum[:len(sum):len(sum)], ' ', '-'))[0]
	if m.unsummed = m.unsummed || !ok || sum[0] == '-'; m.unsummed {
		return
	}
	file := string(name[bytes.LastIndexByte(name, '/')+1:]) + " " + string(sum)
	if !slices.Contains(m.files, file) {
		m.files = append(m.files, file)
	}
}

// compilers returns the names of the compilers.
func (m *making) compilers() []string {
	if len(m.idents) == 0 && m.producer != "" && m.producer != mlir {
		return []string{m.producer}
	}
	return m.idents
}

// sources returns a hash of the names and checksums of all source files; "" if one
// has no checksum, or if there are none.
func (m *making) sources() string {
	if m.unsummed || len(m.files) == 0 {
		return ""
	}
	slices.Sort(m.files)
	sum := sha256.Sum256([]byte(strings.Join(m.files, "\n")))
	return hex.EncodeToString(sum[:16])
}
