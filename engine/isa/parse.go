package isa

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf8"

	"isadiff/engine/gfx"
	"isadiff/engine/problem"
)

// Parse reads the text of one final assembly file. It never fails: what is wrong
// with the text is in the problems of the result, which does not refer to data.
func Parse(data []byte) *File {
	var p Parser
	return p.Parse(data)
}

// A Parser reads one text after the other, and uses its memory again, also that of
// the kernels that it returned. Its zero value is ready. All byte slices in it point
// into the text being read.
type Parser struct {
	Lexer // the text, and where in it the parser is

	scanner              // instructions and where they stand
	target      excerpt  // of the first .amdgcn_target
	meta        metadata // of .amdgpu_metadata
	inMacro     excerpt  // the macro that holds metadata
	v2          excerpt  // the first directive of code object v2
	descriptors []descriptor
	assignments assignments
	made        making

	problems []problem.Problem
	memory   []*Kernel // for kernels
	used     int       // how much of it is
	names    names
	name     []byte     // that of a symbol that is looked for
	known    gfx.Target // of this text or, until its target is read, of the one before
}

// An excerpt is a part of the file with its line.
type excerpt struct {
	s    []byte
	line int
}

var bom = []byte("\ufeff")

// Parse is [Parse] with the memory of earlier calls: its kernels are valid until the
// next one.
func (p *Parser) Parse(data []byte) *File {
	if at := invalidUTF8(data); at >= 0 {
		line := 1 + bytes.Count(data[:at], []byte{'\n'})
		return &File{Problems: []problem.Problem{
			problem.New(problem.NotUTF8, "byte %d (0x%02x, line %d) is no UTF-8", at, data[at], line).At(line),
		}}
	}
	p.start(data, nil)
	p.run()
	if wanted := p.unboundedBy(); len(wanted) > 0 {
		// A .size names a label of the kind that is not noted, which no compiler does.
		p.start(data, wanted)
		p.run()
	}
	return p.file()
}

// start makes p ready for the first line of a text.
func (p *Parser) start(data []byte, wanted map[string]bool) {
	*p = Parser{
		Lexer:       Lexer{data: data, pos: len(data) - len(bytes.TrimPrefix(data, bom))},
		scanner:     scanner{labels: p.labels[:0], sizes: p.sizes[:0]},
		meta:        metadata{entries: p.meta.entries[:0]},
		descriptors: p.descriptors[:0],
		assignments: assignments{list: p.assignments.list[:0], heads: p.assignments.heads[:0]},
		memory:      p.memory,
		name:        p.name,
		names:       p.names,
		known:       p.known,
	}
	p.names.reset()
	p.loneCR = hasLoneCR(data)
	p.comments = bytes.Contains(data, []byte("/*"))
	p.banks = p.comments && bytes.Contains(data, []byte("s_set_vgpr_msb"))
	p.section, p.home = textSection, textSection
	p.function = -1
	p.wanted = wanted
}

// invalidUTF8 returns the offset of the first byte that is no UTF-8, or -1.
func invalidUTF8(data []byte) int {
	const top = 0x8080808080808080
	ascii := data
	for len(ascii) >= 32 {
		w, x := binary.LittleEndian.Uint64(ascii), binary.LittleEndian.Uint64(ascii[8:])
		y, z := binary.LittleEndian.Uint64(ascii[16:]), binary.LittleEndian.Uint64(ascii[24:])
		if (w|x|y|z)&top != 0 {
			break
		}
		ascii = ascii[32:]
	}
	if utf8.Valid(ascii) { // as all before it is
		return -1
	}
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return -1
}

func hasLoneCR(data []byte) bool {
	for {
		i := bytes.IndexByte(data, '\r')
		if i < 0 {
			return false
		}
		if i+1 == len(data) || data[i+1] != '\n' {
			return true
		}
		data = data[i+2:]
	}
}

// run goes over all statements. Nearly all of them are instructions, a tab and a
// mnemonic on a line of its own, and nearly all of these are of no class that is
// counted, which the first letters tell. Of the others many are comments.
func (p *Parser) run() {
	data := p.data
	quote := -1 // offset of the next '"' from the operands of an instruction on
	for p.pos < len(data) {
		start := p.pos
		if data[start] == '\t' && !p.special && !p.loneCR {
			q := mnemonicEnd(data, start+1)
			if q > start+1 && q+1 < len(data) && (data[q] == '\n' || data[q] == ' ' && operandByte[data[q+1]]) {
				end := len(data)
				if n := bytes.IndexByte(data[q:], '\n'); n >= 0 {
					end = q + n
				}
				if quote < q {
					quote = nextQuote(data, q)
				}
				// No string, character constant or block comment holds the line end.
				if last := data[end-1]; end <= quote && last != '\'' && last != '\\' && (!p.comments || bytes.IndexByte(data[q:end], '/') < 0) {
					p.pos = min(end+1, len(data))
					p.line++
					if mnemonic := data[start+1 : q]; plain(mnemonic) {
						p.totals.Instructions++
					} else {
						p.instruction(mnemonic, data[q:end])
					}
					continue
				}
			}
		} else if data[start] == ';' && !p.loneCR && !hasPrefix(data[start:], occupancyRemark) {
			p.pos = len(data)
			if n := bytes.IndexByte(data[start:], '\n'); n >= 0 {
				p.pos = start + n + 1
			}
			p.line++
			continue
		}
		p.statement(p.next())
		if p.more > 0 {
			p.line += p.more
			p.more, p.spanned = 0, true
		}
	}
}

// mnemonicEnd returns the offset of the first byte from an offset on that LLVM prints
// in no mnemonic. It looks at eight bytes at a time, as [sweep] does. It takes what
// is behind 'z', and '`', for parts of one, which are in nothing that assembles.
func mnemonicEnd(data []byte, from int) int {
	const ones, top = 0x0101010101010101, 0x8080808080808080
	for from+8 <= len(data) {
		w := binary.LittleEndian.Uint64(data[from:])
		x := w &^ top
		// A lane of these has its top bit if its byte is at least the one that is named.
		digits, behind, letters := x+ones*(0x80-'0'), x+ones*(0x80-'9'-1), x+ones*(0x80-'_')
		if stop := top & (w | ^digits | behind&^letters); stop != 0 {
			return from + bits.TrailingZeros64(stop)/8
		}
		from += 8
	}
	for from < len(data) && mnemonicByte[data[from]] {
		from++
	}
	return from
}

// nextQuote returns the offset of the next '"' at or behind another one; the length
// of data if there is none.
func nextQuote(data []byte, from int) int {
	if n := bytes.IndexByte(data[from:], '"'); n >= 0 {
		return from + n
	}
	return len(data)
}

// plain reports whether a mnemonic is surely of no class that is counted: vector
// and scalar instructions but for matrix instructions (v_mfma, v_wmma, v_smfmac,
// v_swmmac) and s_alloc_vgpr.
func plain(m []byte) bool {
	if len(m) < 3 || m[1] != '_' {
		return false
	}
	return m[0] == 'v' && m[2] != 'm' && m[2] != 'w' && m[2] != 's' || m[0] == 's' && m[2] != 'a'
}

// operandByte holds the bytes that may follow a mnemonic and one blank on a line
// that needs no closer look: not what makes a label or an assignment of it.
var operandByte = func() (t [256]bool) {
	for i := range t {
		t[i] = i > ' ' && i != ':' && i != '='
	}
	return t
}()

// mnemonicByte holds the bytes of a mnemonic as LLVM prints it.
var mnemonicByte = func() (t [256]bool) {
	for _, c := range []byte("abcdefghijklmnopqrstuvwxyz0123456789_") {
		t[c] = true
	}
	return t
}()

// report adds a problem of the file as a whole.
func (p *Parser) report(code problem.Code, line int, format string, args ...any) {
	p.problems = append(p.problems, problem.New(code, "%s", fmt.Sprintf(format, args...)).At(line))
}
