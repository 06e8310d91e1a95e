package pysource

import (
	"iter"
	"slices"
	"strings"
)

// The statements that bind names.

// importModules reads what follows "import".
func (s *scanner) importModules(tokens []token) {
	for len(tokens) > 0 {
		module, rest := s.dotted(tokens)
		if module == "" {
			return
		}
		tokens = rest
		if len(tokens) > 1 && s.lx.is(tokens[0], "as") && tokens[1].kind == nameToken {
			s.bindImport(s.identifier(tokens[1]), module)
			tokens = tokens[2:]
		} else {
			root, _, _ := strings.Cut(module, ".")
			s.bindImport(root, root)
		}
		if len(tokens) == 0 || s.lx.char(tokens[0]) != ',' {
			return
		}
		tokens = tokens[1:]
	}
}

// importNames reads what follows "from".
func (s *scanner) importNames(tokens []token) {
	module, tokens := s.dotted(tokens)
	if len(tokens) == 0 || !s.lx.is(tokens[0], "import") {
		return
	}
	tokens = tokens[1:]
	if len(tokens) > 0 && s.lx.char(tokens[0]) == '(' {
		tokens = tokens[1:]
	}
	for len(tokens) > 0 {
		if s.lx.char(tokens[0]) == '*' {
			s.importAll(module)
			return
		}
		if tokens[0].kind != nameToken || isKeyword(s.lx.bytes(tokens[0])) {
			return
		}
		imported := s.identifier(tokens[0])
		local := imported
		tokens = tokens[1:]
		if len(tokens) > 1 && s.lx.is(tokens[0], "as") && tokens[1].kind == nameToken {
			local = s.identifier(tokens[1])
			tokens = tokens[2:]
		}
		s.bindImport(local, strings.TrimSuffix(module, ".")+"."+imported)
		if len(tokens) == 0 || s.lx.char(tokens[0]) != ',' {
			return
		}
		tokens = tokens[1:]
	}
}

// importAll binds what a star import brings of the known decorators.
func (s *scanner) importAll(module string) {
	for _, known := range s.table.Known {
		if rest, ok := strings.CutPrefix(known.Path, module+"."); ok {
			local, _, _ := strings.Cut(rest, ".")
			s.bindImport(local, module+"."+local)
		}
	}
	s.uses = s.uses || s.table.imports(module)
}

func (s *scanner) bindImport(local, module string) {
	s.bind(local, &value{module: module})
	s.imports[local] = module
	s.uses = s.uses || s.table.imports(module)
}

// dotted reads a dotted name, with leading dots if it is relative, and returns it
// with the tokens behind it.
func (s *scanner) dotted(tokens []token) (string, []token) {
	var path strings.Builder
	for len(tokens) > 0 && s.lx.char(tokens[0]) == '.' {
		path.WriteByte('.')
		tokens = tokens[1:]
	}
	for len(tokens) > 0 && tokens[0].kind == nameToken && !isKeyword(s.lx.bytes(tokens[0])) {
		path.WriteString(s.identifier(tokens[0]))
		tokens = tokens[1:]
		if len(tokens) < 2 || s.lx.char(tokens[0]) != '.' {
			break
		}
		path.WriteByte('.')
		tokens = tokens[1:]
	}
	return path.String(), tokens
}

// assignment reads a statement that may bind names to values: "a = b = value",
// "a: str = value", "a += value".
func (s *scanner) assignment(tokens []token, cut bool) {
	lx := s.lx
	var depth nesting
	start := 0
	var targets [][]token
	for i, t := range tokens {
		if t.kind != opToken {
			continue
		}
		if depth == 0 {
			switch operator := lx.bytes(t); {
			case string(operator) == "=":
				targets = append(targets, tokens[start:i])
				start = i + 1
			case len(targets) > 0:
			case augments(operator):
				s.augment(tokens[:i], operator, tokens[i+1:], cut)
				return
			}
		}
		depth.track(lx.char(t))
	}
	if targets == nil {
		return
	}
	expression := tokens[start:]
	var v *value
	if !cut {
		v = s.value(expression)
	}
	for _, target := range targets {
		if len(target) > 1 && lx.char(target[1]) == ':' {
			target = target[:1] // with an annotation
		}
		switch {
		case len(target) == 1 && target[0].kind == nameToken && !isKeyword(lx.bytes(target[0])):
			s.bind(s.identifier(target[0]), v)
		case len(targets) == 1 && !cut:
			s.unpack(target, expression)
		default:
			s.targets(target)
		}
	}
}

// augments reports whether an operator is one of "+=" and its kind.
func augments(operator []byte) bool {
	n := len(operator)
	return n > 1 && operator[n-1] == '=' && strings.IndexByte("=!:", operator[0]) < 0 &&
		(n > 2 || operator[0] != '<' && operator[0] != '>')
}

// unpack binds the names in the targets "a, b" to the values "x, y".
func (s *scanner) unpack(target, expression []token) {
	names, values := s.items(target), s.items(expression)
	if len(names) != len(values) {
		s.targets(target)
		return
	}
	known := make([]*value, len(values))
	for i := range values {
		known[i] = s.value(values[i])
	}
	for i, t := range names {
		if len(t) == 1 && t[0].kind == nameToken && !isKeyword(s.lx.bytes(t[0])) {
			s.bind(s.identifier(t[0]), known[i])
		} else {
			s.targets(t)
		}
	}
}

// items splits tokens at the commas outside brackets.
func (s *scanner) items(tokens []token) [][]token {
	var items [][]token
	for item := range s.split(tokens, ',') {
		items = append(items, item)
	}
	if last := len(items) - 1; len(items[last]) == 0 {
		items = items[:last]
	}
	return items
}

// split yields what stands between separators outside brackets, and which is the last.
func (s *scanner) split(tokens []token, separator byte) iter.Seq2[[]token, bool] {
	return func(yield func([]token, bool) bool) {
		var depth nesting
		start := 0
		for i, t := range tokens {
			c := s.lx.char(t)
			if c == separator && depth == 0 {
				if !yield(tokens[start:i], false) {
					return
				}
				start = i + 1
			}
			depth.track(c)
		}
		yield(tokens[start:], true)
	}
}

// value returns what is known of an expression that a name is bound to.
func (s *scanner) value(tokens []token) *value {
	var v value
	if s.mayDecorate(tokens) {
		if callee, rest := s.reference(tokens, 0); callee != nil && len(rest) == 0 {
			v.callee = callee
		}
	}
	v.text = s.template(tokens, 0)
	if v.callee == nil && v.text == nil {
		return nil
	}
	return &v
}

// mayDecorate reports whether an expression is worth a closer look: it is a single
// name, or a dotted one that ends like a known decorator's, or a partial call.
func (s *scanner) mayDecorate(tokens []token) bool {
	i := 0
	for i < len(tokens) && s.lx.char(tokens[i]) == '(' {
		i++
	}
	if i == len(tokens) || tokens[i].kind != nameToken {
		return false
	}
	for i+2 < len(tokens) && s.lx.char(tokens[i+1]) == '.' && tokens[i+2].kind == nameToken {
		i += 2
	}
	last := s.identifier(tokens[i])
	return len(tokens) == 1 || last == "partial" || slices.ContainsFunc(s.table.Known, func(d Decorator) bool {
		return strings.HasSuffix(d.Path, last)
	})
}

// augment reads "target operator= operand".
func (s *scanner) augment(target []token, operator []byte, operand []token, cut bool) {
	if len(target) != 1 || target[0].kind != nameToken {
		return
	}
	variable := s.identifier(target[0])
	var t template
	if string(operator) == "+=" && !cut {
		added := s.template(operand, 0)
		if s.blocks[len(s.blocks)-1].repeats {
			added = nil // who knows how often
		}
		t = join(s.variable(variable), added)
	}
	if t == nil {
		s.bind(variable, nil)
	} else {
		s.bind(variable, &value{text: t})
	}
}

// targets binds the names in an assignment target, the header of a for loop or a
// pattern to values that are not known.
func (s *scanner) targets(tokens []token) {
	for i, t := range tokens {
		if t.kind != nameToken || i > 0 && s.lx.char(tokens[i-1]) == '.' {
			continue
		}
		word := s.lx.bytes(t)
		if string(word) == "in" {
			return
		}
		if i+1 < len(tokens) {
			if c := s.lx.char(tokens[i+1]); c == '.' || c == '(' || c == '[' {
				continue // an attribute or item of it, or the class of a pattern
			}
		}
		if !isKeyword(word) {
			s.bind(s.identifier(t), nil)
		}
	}
}

// asTargets binds the names behind "as" in the header of a with or except.
func (s *scanner) asTargets(tokens []token) {
	for i := 0; i+1 < len(tokens); i++ {
		if !s.lx.is(tokens[i], "as") {
			continue
		}
		n := 1
		if c := s.lx.char(tokens[i+1]); c == '(' || c == '[' {
			n = s.matching(tokens[i+1:])
		}
		s.targets(tokens[i+1 : i+1+n])
	}
}

// walruses binds the names of assignment expressions.
func (s *scanner) walruses(tokens []token) {
	for i := 1; i < len(tokens); i++ {
		if tokens[i-1].kind == nameToken && s.lx.is(tokens[i], ":=") {
			s.bind(s.identifier(tokens[i-1]), nil)
		}
	}
}

// parameters binds the parameters of a function, type parameters included.
func (s *scanner) parameters(tokens []token) {
	var depth nesting
	expected := false
	for _, t := range tokens {
		c := s.lx.char(t)
		opened := depth
		depth.track(c)
		switch {
		case depth == 1 && (opened == 0 || c == ','):
			expected = true
		case c == '*':
		case expected && t.kind == nameToken:
			s.bind(s.identifier(t), nil)
			expected = false
		default:
			expected = false
		}
	}
}
