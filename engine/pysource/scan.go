package pysource

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// Scan finds the functions in the text of a Python source file that carry one of
// the decorators. It never fails and takes time linear in the text.
func (d *Decorators) Scan(text []byte) *File {
	f := &File{sound: true}
	if !d.mayOccur(text) || uint64(len(text)) > maxText {
		return f
	}
	s := d.read(text, 0)
	if doubt := s.lx.doubt; doubt != 0 {
		f.Doubtful, f.sound = true, false
		if again := d.read(text, doubt); again.lx.errors <= s.lx.errors {
			s = again
		}
	}
	f.Definitions = s.definitions()
	f.Kernels = s.uses || len(f.Definitions) > 0
	return f
}

// mayOccur reports whether a text can hold one of the decorators: it must hold
// the name of a package of theirs. Characters outside ASCII may be read as
// letters of it, so a text with such is never ruled out.
func (d *Decorators) mayOccur(text []byte) bool {
	last := ""
	for _, known := range d.Known {
		root, _, _ := strings.Cut(known.Path, ".")
		if root != last && bytes.Contains(text, []byte(root)) {
			return true
		}
		last = root
	}
	for local := range d.Usual {
		if bytes.Contains(text, []byte(local+".")) {
			return true
		}
	}
	return !isASCII(text)
}

// isASCII reports whether a text holds ASCII alone.
func isASCII(text []byte) bool {
	const high = 0x8080808080808080
	for ; len(text) >= 8; text = text[8:] {
		if binary.LittleEndian.Uint64(text)&high != 0 {
			return false
		}
	}
	for _, c := range text {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// read reads the whole text, and judges the triple quotes that are suspected.
func (d *Decorators) read(text []byte, suspects suspicion) *scanner {
	s := &scanner{
		lx: newLexer(text, suspects), table: d, charset: charset(text),
		imports: map[string]string{}, identifiers: map[string]string{},
		blocks: []block{{header: -1, scope: &scope{}}},
	}
	for {
		l, ok := s.lx.next()
		if !ok {
			s.close(-1)
			return s
		}
		s.line(l)
	}
}

// definitions returns the functions whose decorators turned out to count.
func (s *scanner) definitions() []Definition {
	var definitions []Definition
	var lines Lines
	for _, f := range s.found {
		at, m := s.meaning(f)
		if m.known == nil {
			continue
		}
		if lines == nil {
			lines = LineStarts(s.lx.text)
		}
		span := func(start, end int) Range {
			return Range{lines.Position(start), lines.Position(end)}
		}
		d := Definition{
			Function:  s.identifier(f.function),
			Via:       m.known.Path,
			Launcher:  m.known.Launcher,
			Naming:    m.known.Naming,
			Decorator: span(at.start, at.end),
			Topmost:   lines.Position(f.decorators[0].start).Line,
			Def:       span(f.start, f.end),
			Ident:     span(int(f.function.start), int(f.function.end)),
			Body:      span(f.start, f.bodyEnd),
		}
		d.Qualified = f.scope.qualify(d.Function)
		if m.argument.given {
			d.Name = m.argument.text.resolve(0).asName()
		}
		definitions = append(definitions, d)
	}
	return definitions
}

// meaning returns the first decorator of a function that makes it a kernel, else
// the first that makes it a launcher, and what it means.
func (s *scanner) meaning(f *decorated) (at decorator, found meaning) {
	for _, d := range f.decorators {
		if d.callee == nil {
			continue
		}
		m, ok := s.mean(d.callee)
		if ok && (found.known == nil || found.known.Launcher && !m.known.Launcher) {
			at, found = d, m
		}
	}
	return at, found
}
