package pysource

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
)

// MaxSize is the size in bytes above which a source is not read; no hand-written
// file is that large.
const MaxSize = 16 << 20

// Scan finds the functions in the text of a Python source file that carry one of
// the decorators. It never fails and takes time linear in the text.
func (d *Decorators) Scan(text []byte) *File {
	f := &File{sound: true}
	others := d.occurs(text)
	if !others && isASCII(text) || uint64(len(text)) > maxText {
		return f
	}
	s := d.read(text, 0, others)
	if doubt := s.lx.doubt; doubt != 0 {
		f.Doubtful, f.sound = true, false
		if again := d.read(text, doubt, others); again.lx.errors <= s.lx.errors {
			s = again
		}
	}
	f.Definitions, f.Others = s.definitions()
	f.Kernels = s.uses || len(f.Definitions) > 0
	return f
}

// occurs reports whether a text holds the name of a package of the decorators, as
// it must to hold one of them; or characters outside ASCII, which may be read as
// letters of it.
func (d *Decorators) occurs(text []byte) bool {
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
	return false
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

// read reads the whole text, and judges the triple quotes that are suspected. With
// others, functions without decorators are kept as well.
func (d *Decorators) read(text []byte, suspects suspicion, others bool) *scanner {
	s := &scanner{
		lx: newLexer(text, suspects), table: d, charset: charsets[charset(text)], others: others,
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

// maxOthers bounds the functions that are kept although they are no kernels as far
// as the text tells.
const maxOthers = 1 << 12

// definitions returns the functions whose decorators turned out to count, and the
// others if they are kept.
func (s *scanner) definitions() (definitions, others []Definition) {
	var lines Lines
	for _, f := range s.found {
		at, m := s.meaning(f)
		if m.known == nil && (!s.others || len(others) == maxOthers) {
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
			Decorator: span(at.start, at.end),
			Topmost:   lines.Position(f.top()).Line,
			Def:       span(f.start, f.end),
			Ident:     span(int(f.function.start), int(f.function.end)),
			Body:      span(f.start, f.bodyEnd),
		}
		d.Qualified = f.scope.qualify(d.Function)
		if m.argument.given {
			d.Name = m.argument.text.resolve(0).asName()
		}
		if m.known == nil {
			d.Made = slices.ContainsFunc(f.decorators, func(d decorator) bool { return d.callee != nil && s.makes(d.callee) })
			others = append(others, d)
			continue
		}
		d.Via, d.Launcher, d.Naming = m.known.Path, m.known.Launcher, m.known.Naming
		definitions = append(definitions, d)
	}
	return definitions, others
}

// meaning returns the first decorator of a function that makes it a kernel, else
// the first that makes it a launcher, and what it means. If none does it is the
// topmost, or an empty one before the def, with the first name= that is given.
func (s *scanner) meaning(f *decorated) (at decorator, found meaning) {
	at = decorator{start: f.top(), end: f.top()}
	if len(f.decorators) > 0 {
		at = f.decorators[0]
	}
	for _, d := range f.decorators {
		if d.callee == nil {
			continue
		}
		m, ok := s.mean(d.callee)
		if !ok && found.known == nil && !found.argument.given {
			found.argument = d.callee.argument
		}
		if ok && (found.known == nil || found.known.Launcher && !m.known.Launcher) {
			at, found = d, m
		}
	}
	return at, found
}
