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
	others      bool              // functions without decorators are kept
	own         bool              // functions of the text that return a decorator are followed as well
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
	end := int(l.tokens[len(l.tokens)-1].end)
	if l.tail {
		if n := len(s.waiting); n > 0 {
			s.waiting[n-1].end = end
		}
		s.end = end
		return
	}
	s.close(l.indent)
	if s.lx.char(l.tokens[0]) == '@' {
		s.waiting = append(s.waiting, s.decorator(l))
	} else {
		s.statement(l)
		s.waiting = nil
	}
	s.end = end
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
	word := string(s.lx.bytes(tokens[0]))
	if !headsBlock(word) {
		s.suite(l.tokens, l.cut)
		return
	}
	header := tokens[:s.headerEnd(tokens)]
	b := block{header: l.indent, scope: s.scope()}
	switch word {
	case "def":
		s.function(l, tokens, header)
		return
	case "class":
		s.class(l, tokens, header)
		return
	case "while":
		b.repeats = true
	case "for":
		b.repeats = true
		s.targets(header[1:])
	case "with", "except":
		s.asTargets(header)
	case "match", "case":
		if !s.headsMatch(header) {
			s.suite(tokens, l.cut)
			return
		}
		s.targets(header[1:])
	}
	if s.lx.walrus {
		s.walruses(header)
	}
	s.open(b)
	s.suite(tokens[len(header):], l.cut)
}

// headsBlock reports whether a line that begins with word is, or may be, the
// header of a block.
func headsBlock(word string) bool {
	switch word {
	case "case", "class", "def", "elif", "else", "except", "finally", "for", "if", "match", "try", "while", "with":
		return true
	}
	return false
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

// headsMatch reports whether a header that begins with "match" or "case" is that
// of such a block: both are names elsewhere.
func (s *scanner) headsMatch(header []token) bool {
	n := len(header)
	if n < 3 || s.lx.char(header[n-1]) != ':' {
		return false
	}
	switch s.lx.char(header[1]) {
	case '.', '=', ',', ')', ';':
		return false
	}
	return true
}

// function reads the header of a function, with tokens from "def" on.
func (s *scanner) function(l line, tokens, header []token) {
	if len(header) < 2 || header[1].kind != nameToken || isKeyword(s.lx.bytes(header[1])) {
		s.open(block{header: l.indent, scope: s.scope()})
		return
	}
	body := tokens[len(header):]
	if s.lx.char(header[len(header)-1]) != ':' {
		// Being typed: what is below its first line may be anything.
		n := 2
		for n < len(header) && !header[n].first {
			n++
		}
		header = header[:n]
	}
	function := s.identifier(header[1])
	b := block{header: l.indent, scope: &scope{parent: s.scope(), name: function, function: &value{}}}
	if len(s.waiting) > 0 || s.others {
		b.def = &decorated{
			function: header[1], start: int(l.tokens[0].start), end: int(header[len(header)-1].end),
			scope: s.scope(), decorators: s.waiting,
		}
		s.found = append(s.found, b.def)
	}
	s.bind(function, b.scope.function)
	s.open(b)
	s.parameters(header[2:])
	s.suite(body, l.cut)
}

// class reads the header of a class.
func (s *scanner) class(l line, tokens, header []token) {
	b := block{header: l.indent, scope: s.scope()}
	if len(header) > 1 && header[1].kind == nameToken {
		name := s.identifier(header[1])
		s.bind(name, nil)
		b.scope = &scope{parent: s.scope(), class: true, name: name}
	}
	s.open(b)
	s.suite(tokens[len(header):], l.cut)
}

// suite reads simple statements with semicolons between them.
func (s *scanner) suite(tokens []token, cut bool) {
	for statement, last := range s.split(tokens, ';') {
		s.simple(statement, last && cut)
	}
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
	case "return":
		if !cut {
			s.returns(tokens[1:])
		}
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
