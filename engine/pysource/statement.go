package pysource

import "golang.org/x/text/encoding/charmap"

// A scanner follows the blocks and names of a text, line by line.
type scanner struct {
	lx      *lexer
	table   *Decorators
	charset *charmap.Charmap // nil for UTF-8
	blocks  []block          // that are open, the module's first
	lastID  int
	waiting []decorator       // decorators whose def has not come yet
	found   []*decorated      // in the order of the text
	imports map[string]string // all imports of the text, whatever their scope

	identifiers map[string]string // as they stand in the text and as Python compares them
	uses        bool              // something of the producer's is imported
	end         int               // of the last token
}

func (s *scanner) scope() *scope { return s.blocks[len(s.blocks)-1].scope }

// open begins the block below a header.
func (s *scanner) open(b block) {
	s.lastID++
	b.id = s.lastID
	s.blocks = append(s.blocks, b)
}

// close ends the blocks that a line with the given indentation is not part of.
func (s *scanner) close(indent int) {
	n := len(s.blocks)
	for n > 1 && s.blocks[n-1].header >= indent {
		n--
		if def := s.blocks[n].def; def != nil {
			def.bodyEnd = s.end
		}
	}
	s.blocks = s.blocks[:n]
}

// line reads one logical line.
func (s *scanner) line(l line) {
	if !l.tail {
		s.close(l.indent)
		if s.lx.char(l.tokens[0]) == '@' {
			s.waiting = append(s.waiting, s.decorator(l.tokens))
		} else {
			s.statement(l)
			s.waiting = nil
		}
	}
	n := len(l.tokens)
	for n > 1 && s.lx.char(l.tokens[n-1]) == ';' {
		n-- // belongs to no statement
	}
	s.end = int(l.tokens[n-1].end)
}

// statement reads a line that is no decorator.
func (s *scanner) statement(l line) {
	tokens := l.tokens
	if tokens[0].kind == nameToken && len(tokens) > 1 && s.lx.is(tokens[0], "async") {
		tokens = tokens[1:]
	}
	if tokens[0].kind != nameToken {
		s.suite(l.tokens, l.cut)
		return
	}
	b := block{header: l.indent, scope: s.scope()}
	switch string(s.lx.bytes(tokens[0])) {
	case "def":
		s.function(l, tokens)
		return
	case "class":
		s.classBody(l, tokens)
		return
	case "if", "elif", "else", "try", "finally":
	case "while":
		b.repeats = true
	case "for":
		b.repeats = true
		s.targets(tokens[1:])
	case "with", "except":
		s.asTargets(tokens)
	case "match", "case":
		if !s.headsMatch(tokens) {
			s.suite(tokens, l.cut)
			return
		}
		s.targets(tokens[1:])
	default:
		s.suite(l.tokens, l.cut)
		return
	}
	if s.lx.walrus {
		s.walruses(tokens)
	}
	s.open(b)
	s.suite(tokens[s.headerEnd(tokens):], l.cut)
}

// headerEnd returns the number of tokens up to the colon that ends a header, or
// all of them if it is missing.
func (s *scanner) headerEnd(tokens []token) int {
	var depth nesting
	lambdas := 0 // whose colon has not come yet
	for i, t := range tokens {
		if depth == 0 {
			if s.lx.is(t, "lambda") {
				lambdas++
			} else if s.lx.char(t) == ':' {
				if lambdas == 0 {
					return i + 1
				}
				lambdas--
			}
		}
		depth.track(s.lx.char(t))
	}
	return len(tokens)
}

// headsMatch reports whether a line that begins with "match" or "case" is the
// header of such a block: both are names elsewhere.
func (s *scanner) headsMatch(tokens []token) bool {
	n := s.headerEnd(tokens)
	if n < 3 || s.lx.char(tokens[n-1]) != ':' {
		return false
	}
	switch s.lx.char(tokens[1]) {
	case '.', '=', ',', ')', ';':
		return false
	}
	return true
}

// function reads the header of a function, with tokens from "def" on.
func (s *scanner) function(l line, tokens []token) {
	if len(tokens) < 2 || tokens[1].kind != nameToken || isKeyword(s.lx.bytes(tokens[1])) {
		s.open(block{header: l.indent, scope: s.scope()})
		return
	}
	n := s.headerEnd(tokens)
	header := tokens[:n]
	if s.lx.char(tokens[n-1]) != ':' {
		// Being typed: what is below the first line may be anything.
		for n = 2; n < len(tokens) && !tokens[n].first; n++ {
		}
		header = tokens[:n]
		n = len(tokens)
	}
	function := s.identifier(tokens[1])
	b := block{header: l.indent, scope: &scope{parent: s.scope(), name: function}}
	if len(s.waiting) > 0 {
		b.def = &decorated{
			function: tokens[1], start: int(l.tokens[0].start), end: int(header[len(header)-1].end),
			scope: s.scope(), decorators: s.waiting,
		}
		s.found = append(s.found, b.def)
	}
	s.bind(function, nil)
	s.open(b)
	s.parameters(header[2:])
	s.suite(tokens[n:], l.cut)
}

// classBody reads the header of a class.
func (s *scanner) classBody(l line, tokens []token) {
	b := block{header: l.indent, scope: s.scope()}
	if len(tokens) > 1 && tokens[1].kind == nameToken {
		class := s.identifier(tokens[1])
		s.bind(class, nil)
		b.scope = &scope{parent: s.scope(), class: true, name: class}
	}
	s.open(b)
	s.suite(tokens[s.headerEnd(tokens):], l.cut)
}

// suite reads simple statements with semicolons between them.
func (s *scanner) suite(tokens []token, cut bool) {
	var depth nesting
	start := 0
	for i, t := range tokens {
		c := s.lx.char(t)
		if c == ';' && depth == 0 {
			s.simple(tokens[start:i], false)
			start = i + 1
		}
		depth.track(c)
	}
	s.simple(tokens[start:], cut)
}

// simple reads one simple statement. Of one that was cut only the names count.
func (s *scanner) simple(tokens []token, cut bool) {
	if len(tokens) < 2 {
		return
	}
	if s.lx.walrus {
		s.walruses(tokens)
	}
	if tokens[0].kind != nameToken {
		s.assignment(tokens, cut)
		return
	}
	switch word := s.lx.bytes(tokens[0]); string(word) {
	case "import":
		s.importModules(tokens[1:])
	case "from":
		s.importNames(tokens[1:])
	case "global", "nonlocal":
		var names []string
		for _, t := range tokens[1:] {
			if t.kind == nameToken {
				names = append(names, s.identifier(t))
			}
		}
		s.scope().declare(names, string(word) == "global")
	default:
		if !isKeyword(word) {
			s.assignment(tokens, cut)
		}
	}
}
