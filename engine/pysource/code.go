package pysource

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strings"
)

// A Code is the meaning of a text to Python: texts that differ only in comments
// and insignificant layout have the same Code.
type Code struct {
	Hash    uint64 // of the tokens, their lines and their indentation
	Imports []Import
}

// An Import is one module that an import statement names.
type Import struct {
	Module string   // "a.b"; one dot in front for each level of a relative import
	Names  []string // what "from" takes out of it, each perhaps a module itself; "*" for all
}

// ReadCode reads the code of a text. If its quotes or brackets leave doubt about
// what is code, every character counts, including comments.
func ReadCode(seed maphash.Seed, text []byte) Code {
	if uint64(len(text)) > maxText {
		return Code{Hash: maphash.Bytes(seed, text)}
	}
	var h maphash.Hash
	h.SetSeed(seed)
	h.WriteString(charset(text)) // which a comment can name
	lx := newLexer(text, 0)
	c := Code{}
	for {
		l, ok := lx.next()
		if !ok {
			break
		}
		var number [8]byte
		binary.LittleEndian.PutUint64(number[:], uint64(l.indent))
		if !l.tail {
			h.Write(number[:])
			h.WriteByte('\n')
		}
		for _, t := range l.tokens {
			token := text[t.start:t.end]
			if t.kind == strToken && bytes.IndexByte(token, '\r') >= 0 { // Python reads every line end as one
				token = bytes.ReplaceAll(bytes.ReplaceAll(token, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
			}
			h.Write(token)
			h.WriteByte(0)
		}
		c.Imports = lx.imports(c.Imports, l.tokens)
	}
	if lx.doubt != 0 || lx.errors > 0 || conflicting(text) {
		c.Hash = maphash.Bytes(seed, text)
	} else {
		c.Hash = h.Sum64()
	}
	return c
}

// conflicting reports whether a text holds the markers of a merge that conflicts, which
// are passed over while it is scanned and are no Python.
func conflicting(text []byte) bool {
	return bytes.HasPrefix(text, []byte("<<<<<<< ")) || bytes.Contains(text, []byte("\n<<<<<<< ")) || bytes.Contains(text, []byte("\n>>>>>>> "))
}

// imports adds what the import statements of a line name. A line holds several
// statements where semicolons or the colon of a header stand between them.
func (lx *lexer) imports(list []Import, tokens []token) []Import {
	for i, t := range tokens {
		if t.kind == nameToken && i+2 < len(tokens) && (lx.is(t, "import_module") || lx.is(t, "__import__")) && lx.char(tokens[i+1]) == '(' && tokens[i+2].kind == strToken {
			if name := strings.Trim(string(lx.bytes(tokens[i+2])), "\"'"); name != "" && strings.Trim(name, ".") != "" {
				list = append(list, Import{Module: name})
			}
		}
		if t.kind != nameToken || i > 0 && !slices.Contains([]byte(";:"), lx.char(tokens[i-1])) {
			continue
		}
		switch {
		case lx.is(t, "import"):
			for rest := tokens[i+1:]; ; {
				var module string
				if module, rest = lx.module(rest); module == "" {
					break
				}
				list = append(list, Import{Module: module})
				if len(rest) > 1 && lx.is(rest[0], "as") {
					rest = rest[2:]
				}
				if len(rest) == 0 || lx.char(rest[0]) != ',' {
					break
				}
				rest = rest[1:]
			}
		case lx.is(t, "from"):
			module, rest := lx.module(tokens[i+1:])
			if module == "" || len(rest) == 0 || !lx.is(rest[0], "import") {
				continue
			}
			from := Import{Module: module}
			for rest = rest[1:]; len(rest) > 0; rest = rest[1:] {
				switch c := lx.char(rest[0]); {
				case c == ';':
					rest = rest[:1] // the end
				case c == '*':
					from.Names = append(from.Names, "*")
				case rest[0].kind == nameToken && lx.is(rest[0], "as") && len(rest) > 1:
					rest = rest[1:]
				case rest[0].kind == nameToken:
					from.Names = append(from.Names, string(lx.bytes(rest[0])))
				}
			}
			list = append(list, from)
		}
	}
	return list
}

// module reads a dotted name, with dots in front if it is relative.
func (lx *lexer) module(tokens []token) (module string, rest []token) {
	var b strings.Builder
	wantName := true
	for len(tokens) > 0 {
		t := tokens[0]
		switch text := lx.bytes(t); {
		case t.kind == opToken && strings.Trim(string(text), ".") == "":
			b.Write(text)
			wantName = true
		case t.kind == nameToken && wantName && !lx.is(t, "import"):
			b.Write(text)
			wantName = false
		default:
			return b.String(), tokens
		}
		tokens = tokens[1:]
	}
	return b.String(), tokens
}
