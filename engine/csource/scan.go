// Package csource finds kernel definitions in C++ sources: functions with bodies
// that a marker such as __global__ stands before. Like its sibling for Python it
// reads text as it is, also while it is being typed: it never fails, and takes time
// linear in the text. Macros are not expanded, so a kernel that a macro defines is
// found by nobody.
package csource

import (
	"bytes"
	"slices"

	"isadiff/engine/pysource"
)

// maxText is the largest source that is scanned.
const maxText = 16 << 20

// Scan finds the functions in the text of a C++ source file that one of the markers
// stands before and that have a body.
func Scan(text []byte, markers []string) *pysource.File {
	f := &pysource.File{}
	occurs := func(marker string) bool { return bytes.Contains(text, []byte(marker)) }
	if len(text) > maxText || !slices.ContainsFunc(markers, occurs) {
		return f
	}
	s := scanner{lexer: lexer{text: text}, markers: markers}
	s.run()
	if len(s.found) == 0 {
		return f
	}
	lines := pysource.LineStarts(text)
	span := func(start, end int) pysource.Range {
		return pysource.Range{Start: lines.Position(start), End: lines.Position(end)}
	}
	for _, d := range s.found {
		f.Definitions = append(f.Definitions, pysource.Definition{
			Function: d.name, Qualified: d.qualified, Via: d.marker, Naming: pysource.Mangled, Parameters: parameters(text, d),
			Decorator: span(d.at, d.at+len(d.marker)),
			Topmost:   lines.Position(d.start).Line,
			Def:       span(d.start, d.header),
			Ident:     span(d.ident, d.ident+len(d.name)),
			Body:      span(d.start, d.end),
		})
	}
	f.Kernels = true
	return f
}

// A definition is one function, as offsets into the text.
type definition struct {
	name, qualified, marker string
	start                   int // of the declaration: "template", or what comes first
	at                      int // the marker
	ident                   int
	open                    int // the parenthesis before the parameters
	header                  int // behind the parameters
	end                     int // behind the body
}

// A scanner follows the blocks of a text.
type scanner struct {
	lexer
	markers []string
	found   []definition

	scopes  []string // names of the blocks around, "" for one that has none
	start   int      // of the declaration that is being read; -1 before its first token
	naming  bool     // a namespace, class or struct is being declared
	named   string   // its name
	kernel  *definition
	depth   int // of parentheses
	inner   int // of braces within them
	last    token
	pending bool // the function's name and parameters are still to come
}

func (s *scanner) run() {
	s.start = -1
	for {
		t := s.next()
		if t.kind == end {
			return
		}
		if s.start < 0 {
			s.start = t.start
		}
		s.token(t)
		s.last = t
	}
}

// token takes in one token.
func (s *scanner) token(t token) {
	if t.kind == word {
		s.word(t)
		return
	}
	switch c := s.text[t.start]; c {
	case '(':
		if s.depth == 0 && s.pending && s.last.kind == word && !attribute(s.string(s.last)) {
			s.function(s.last, t.start)
		} else if s.depth == 0 && s.pending && s.last.kind == closing {
			if name := s.beforeArguments(s.last); name.kind == word {
				s.function(name, t.start)
			}
		}
		s.depth++
	case ')':
		s.depth = max(s.depth-1, 0)
		if s.depth == 0 && s.kernel != nil && !s.pending && s.kernel.header == 0 {
			s.kernel.header = t.end
		}
	case '{':
		if s.depth > 0 {
			s.inner++ // an initializer among arguments
			return
		}
		if s.kernel != nil && s.kernel.header > 0 {
			s.body()
			s.reset()
			return
		}
		name := s.named
		if !s.naming {
			name = ""
		}
		s.scopes = append(s.scopes, name)
		s.reset()
	case '}':
		if s.inner > 0 {
			s.inner--
			return
		}
		if n := len(s.scopes); n > 0 {
			s.scopes = s.scopes[:n-1]
		}
		s.reset()
	case ';':
		if s.depth == 0 {
			s.reset()
		}
	case ':':
		if s.depth == 0 && s.last.kind == word && access(s.string(s.last)) {
			s.reset()
		}
	case '=':
		if s.depth == 0 {
			s.naming = false
		}
	}
}

func (s *scanner) word(t token) {
	text := s.string(t)
	if s.depth > 0 && slices.Contains(s.markers, text) { // a line above is being typed
		s.reset()
		s.start = t.start
	}
	switch {
	case s.kernel == nil && slices.Contains(s.markers, text):
		s.kernel = &definition{marker: text, at: t.start, start: s.start}
		s.pending = true
	case text == "namespace" || text == "class" || text == "struct" || text == "union":
		s.naming = s.depth == 0
		s.named = ""
	case s.naming && s.named == "" && !attribute(text):
		s.named = text
	case s.naming && s.last.kind == other && s.text[s.last.start] == ':' && s.string(s.last) == "::":
		s.named += "::" + text
	}
}

// function notes the name of the function that the marker stands before, and where
// its parameters begin.
func (s *scanner) function(name token, open int) {
	k := s.kernel
	k.name, k.ident, k.open = s.string(name), name.start, open
	s.pending = false
	for _, scope := range s.scopes {
		if scope != "" {
			k.qualified += scope + "::"
		}
	}
	k.qualified += k.name
}

// body passes over the function's body and keeps the function.
func (s *scanner) body() {
	k := *s.kernel
	k.end = len(s.text)
	for depth := 1; ; {
		t := s.next()
		if t.kind == end {
			break
		}
		if t.kind == other || t.kind == closing {
			switch s.text[t.start] {
			case '{':
				depth++
			case '}':
				depth--
			}
		}
		if depth == 0 {
			k.end = t.end
			break
		}
	}
	s.found = append(s.found, k)
}

// beforeArguments returns the word before template arguments that end at t: the
// name of a specialization, scale in "scale<float>(".
func (s *scanner) beforeArguments(t token) token {
	depth := 0
	for i := t.start; i >= s.start; i-- {
		switch s.text[i] {
		case '>':
			depth++
		case '<':
			depth--
		}
		if depth == 0 {
			for i > s.start && blank(s.text[i-1]) {
				i--
			}
			from := i
			for from > s.start && letter(s.text[from-1]) {
				from--
			}
			if from < i {
				return token{kind: word, start: from, end: i}
			}
			break
		}
	}
	return token{}
}

func (s *scanner) reset() {
	s.start, s.naming, s.named, s.kernel, s.pending, s.depth, s.inner = -1, false, "", nil, false, 0, 0
}

func (s *scanner) string(t token) string { return string(s.text[t.start:t.end]) }

// attribute reports whether a word before parentheses names no function: an
// attribute of it or a specifier.
func attribute(name string) bool {
	return slices.Contains([]string{
		"__launch_bounds__", "__attribute__", "__declspec", "alignas", "__align__", "noexcept", "explicit", "decltype",
		"__cluster_dims__", "__maxnreg__", "__block_size__", "requires", "final",
	}, name)
}

// maxParameters is how much text of parameters is kept; more tells nothing.
const maxParameters = 4 << 10

// parameters returns the text between the parentheses of a function.
func parameters(text []byte, d definition) string {
	if d.open <= 0 || d.header-1 <= d.open || d.header-d.open > maxParameters {
		return ""
	}
	return string(bytes.TrimSpace(text[d.open+1 : d.header-1]))
}

func access(name string) bool { return name == "public" || name == "private" || name == "protected" }
