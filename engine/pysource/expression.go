package pysource

import "strings"

// maxParens is how deep parentheses around a string or decorator are followed.
const maxParens = 16

// template returns what is known of the string that an expression yields.
func (s *scanner) template(tokens []token, parens int) template {
	if len(tokens) == 0 || parens == maxParens || tokens[0].kind == numberToken {
		return nil
	}
	var terms []template
	var depth nesting
	start := 0
	for i, t := range tokens {
		c := s.lx.char(t)
		if depth == 0 {
			if c == '+' {
				terms = append(terms, s.term(tokens[start:i], parens))
				start = i + 1
				continue
			}
			if s.bindsLoosely(t, c) {
				return nil
			}
		}
		depth.track(c)
	}
	last := s.term(tokens[start:], parens)
	if terms == nil {
		return last
	}
	return join(append(terms, last)...)
}

// bindsLoosely reports whether a token is an operator that binds less tightly
// than "+" does, or as tightly, so that the expression is no sum of strings.
func (s *scanner) bindsLoosely(t token, c byte) bool {
	switch t.kind {
	case nameToken:
		return isKeyword(s.lx.bytes(t))
	case opToken:
		return c == 0 || strings.IndexByte("-<>|^&,:;=~", c) >= 0
	}
	return false
}

// term returns what is known of one summand: a literal, a name or an expression
// in parentheses, perhaps with "%" or format behind it.
func (s *scanner) term(tokens []token, parens int) template {
	if len(tokens) == 0 {
		return nil
	}
	var t template
	n := 1
	switch {
	case tokens[0].kind == strToken:
		for n < len(tokens) && tokens[n].kind == strToken {
			n++
		}
		parts := make([]template, n)
		for i := range parts {
			if parts[i] = s.literal(tokens[i]); parts[i] == nil {
				return nil // bytes, or a t-string: no string at all
			}
		}
		t = join(parts...)
	case tokens[0].kind == nameToken:
		if len(tokens) > 1 {
			return nil
		}
		return s.variable(s.identifier(tokens[0]))
	case s.lx.char(tokens[0]) == '(':
		n = s.matching(tokens)
		if n == 0 {
			return nil
		}
		t = s.template(tokens[1:n-1], parens+1)
	default:
		return nil
	}
	switch rest := tokens[n:]; {
	case len(rest) == 0:
		return t
	case s.lx.is(rest[0], "%"):
		return t.percent()
	case len(rest) > 2 && s.lx.is(rest[0], ".") && s.lx.is(rest[1], "format") &&
		s.lx.is(rest[2], "(") && s.matching(rest[2:]) == len(rest)-2:
		return t.format()
	}
	return nil
}

// matching returns the number of tokens up to the one that closes the bracket
// that the first one opens, or 0 if none does.
func (s *scanner) matching(tokens []token) int {
	var depth nesting
	for i, t := range tokens {
		depth.track(s.lx.char(t))
		if depth == 0 {
			return i + 1
		}
	}
	return 0
}

// variable returns what is known of a variable as a string.
func (s *scanner) variable(name string) template {
	if name == "None" || name == "True" || name == "False" {
		return nil
	}
	values, bound := s.reaching(name)
	if !bound {
		return template{{name: name, scope: s.scope()}}
	}
	var t template
	for i, v := range values {
		if v == nil || v.text == nil {
			return nil
		}
		if i == 0 {
			t = v.text
		} else {
			t = merge(t, v.text)
		}
	}
	return t
}

// A reference is an expression that may name a decorator: a dotted name, perhaps
// called.
type reference struct {
	path     string   // "flyc.kernel"
	scope    *scope   // where it stands
	near     []*value // what the scope itself bound the path's first name to
	bound    bool     // the scope itself has bound that name
	argument argument // the call's name=
}

// An argument is the name= argument of a call.
type argument struct {
	given bool
	text  template
}

// maxPath bounds dotted names; no import is that long.
const maxPath = 256

// reference reads a dotted name with at most one call at the beginning of the
// tokens and returns it with the tokens behind it; nil if there is none.
func (s *scanner) reference(tokens []token, parens int) (*reference, []token) {
	if len(tokens) == 0 || parens == maxParens {
		return nil, nil
	}
	var r *reference
	called := false
	switch {
	case s.lx.char(tokens[0]) == '(':
		inner, rest := s.reference(tokens[1:], parens+1)
		if inner == nil || len(rest) == 0 || s.lx.char(rest[0]) != ')' {
			return nil, nil
		}
		r, tokens = inner, rest[1:]
		called = r.argument.given
	case tokens[0].kind == nameToken && !isKeyword(s.lx.bytes(tokens[0])):
		head := s.identifier(tokens[0])
		r = &reference{path: head, scope: s.scope()}
		r.near, r.bound = s.reaching(head)
		tokens = tokens[1:]
	default:
		return nil, nil
	}
	for len(tokens) > 1 && s.lx.char(tokens[0]) == '.' && tokens[1].kind == nameToken && !called {
		if r.path += "." + s.identifier(tokens[1]); len(r.path) > maxPath {
			return nil, nil
		}
		tokens = tokens[2:]
	}
	if len(tokens) == 0 || s.lx.char(tokens[0]) != '(' || called {
		return r, tokens
	}
	argument, first, rest := s.arguments(tokens)
	if r.path == "partial" || strings.HasSuffix(r.path, ".partial") {
		inner, more := s.reference(first, parens+1)
		if inner == nil || len(more) > 0 {
			return nil, nil
		}
		r = inner
	}
	r.argument = argument
	return r, rest
}

// arguments reads the call that begins with tokens[0], "(", and returns what its
// name= says, its first argument, and the tokens behind it. The call may be cut
// short.
func (s *scanner) arguments(tokens []token) (name argument, first, rest []token) {
	var depth nesting
	start, n := 1, 0
	for i, t := range tokens {
		c := s.lx.char(t)
		depth.track(c)
		closed := depth == 0
		if closed || depth == 1 && c == ',' {
			name.read(s, tokens[start:i])
			if n == 0 {
				first = tokens[start:i]
			}
			start = i + 1
			n++
		}
		if closed {
			return name, first, tokens[i+1:]
		}
	}
	name.read(s, tokens[min(start, len(tokens)):])
	return name, first, nil
}

// read takes note of one argument of a call.
func (a *argument) read(s *scanner, tokens []token) {
	lx := s.lx
	switch {
	case len(tokens) < 2:
	case lx.is(tokens[0], "*") && lx.is(tokens[1], "*"):
		a.given = true // perhaps a name is among them
	case lx.is(tokens[0], "repr") && lx.is(tokens[1], "="):
		// A function that makes the symbol of each specialization (Triton).
		a.given = a.given || len(tokens) != 3 || !lx.is(tokens[2], "None")
	case lx.is(tokens[0], "name") && lx.is(tokens[1], "="):
		if len(tokens) == 3 && lx.is(tokens[2], "None") {
			return // the default
		}
		*a = argument{given: true, text: s.template(tokens[2:], 0)}
	}
}
