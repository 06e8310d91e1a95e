package pysource

import (
	"slices"
	"strings"
)

// A Decorator turns a function into a kernel or a launcher of kernels.
type Decorator struct {
	Path     string // its absolute dotted name: "flydsl.compiler.kernel"
	Launcher bool   // it launches kernels and does not define any
	Naming   Naming // how the symbol of a kernel follows from its function
}

// Decorators are the decorators to look for: those of one producer of kernels, or
// of several.
type Decorators struct {
	Known []Decorator
	// Usual holds names under which packages are nearly always imported. They
	// count where a text uses such a name and binds it nowhere: while the
	// import is being typed, or when a star import from elsewhere brings it.
	Usual map[string]string
}

// find returns the decorator with an absolute name, or nil.
func (d *Decorators) find(path string) *Decorator {
	for i := range d.Known {
		if d.Known[i].Path == path {
			return &d.Known[i]
		}
	}
	return nil
}

// imports reports whether a module is one of a known decorator's package.
func (d *Decorators) imports(module string) bool {
	root, _, _ := strings.Cut(module, ".")
	return slices.ContainsFunc(d.Known, func(k Decorator) bool { return strings.HasPrefix(k.Path, root+".") })
}

// A decorated is a function with its decorators, of which it is not yet known what
// they mean.
type decorated struct {
	function   token // its name
	start, end int   // from "def" or "async" to the end of the header
	bodyEnd    int
	scope      *scope // in which it is defined
	decorators []decorator
}

// top is where the first decorator begins, or the def if there is none.
func (f *decorated) top() int {
	if len(f.decorators) > 0 {
		return f.decorators[0].start
	}
	return f.start
}

// A decorator is one line above a function.
type decorator struct {
	start, end int
	callee     *reference // nil if it is no dotted name
}

// decorator reads a decorator line.
func (s *scanner) decorator(l line) decorator {
	d := decorator{start: int(l.tokens[0].start), end: int(l.tokens[len(l.tokens)-1].end)}
	callee, rest := s.reference(l.tokens[1:], 0)
	if callee != nil && s.breaksOff(rest) {
		d.callee = callee
		if l.cut {
			callee.argument = argument{given: true} // for all that is known
		}
	}
	return d
}

// breaksOff reports whether the tokens behind an expression do not belong to it:
// there are none, or the line is being typed and what follows continues nothing.
func (s *scanner) breaksOff(rest []token) bool {
	if len(rest) == 0 {
		return true
	}
	switch t := rest[0]; t.kind {
	case nameToken:
		return !joinsOperands(s.lx.bytes(t))
	case opToken:
		c := s.lx.char(t)
		return c == '.' && len(rest) == 1 || strings.IndexByte(",;:)]}=$?!`", c) >= 0 && c != 0
	}
	return true
}

// maxLookups bounds how many values are looked at to find out what a decorator is.
const maxLookups = 64

// A meaning is what a decorator turned out to be.
type meaning struct {
	known    *Decorator
	argument argument
}

// mean finds out which known decorator a reference means.
func (s *scanner) mean(r *reference) (meaning, bool) {
	lookups := maxLookups
	return s.follow(r, "", &lookups)
}

// returns notes that a function returns what may be a decorator or what one made, as
// a decorator of the project's own does. A call outranks a mere name, which may be
// the function that is decorated.
func (s *scanner) returns(tokens []token) {
	f := s.scope().function
	if f == nil || f.returns != nil && len(tokens) == 1 || !s.mayDecorate(tokens) {
		return
	}
	if r, rest := s.reference(tokens, 0); r != nil && (len(rest) == 0 || s.lx.char(rest[0]) == '(') {
		f.returns = r
	}
}

// makes reports whether a reference is a function of the text that returns a known
// decorator of kernels or what one made. How that names its kernels is not known.
func (s *scanner) makes(r *reference) bool {
	s.own = true
	m, ok := s.mean(r)
	s.own = false
	return ok && !m.known.Launcher
}

// follow is mean for a reference with attributes behind it.
func (s *scanner) follow(r *reference, attributes string, lookups *int) (meaning, bool) {
	head, tail := r.path, attributes
	if i := strings.IndexByte(head, '.'); i >= 0 {
		head, tail = head[:i], head[i:]+attributes
	}
	values, bound := r.near, r.bound
	if !bound {
		values, bound = r.scope.outer(head)
	}
	if !bound {
		module := s.imports[head]
		if module == "" {
			module = s.table.Usual[head]
		}
		values = []*value{{module: module}}
	}
	for _, v := range values {
		if *lookups--; *lookups < 0 || v == nil {
			continue
		}
		if v.module != "" {
			if known := s.known(head, v.module, tail); known != nil {
				return meaning{known, r.argument}, true
			}
			continue
		}
		callee := v.callee
		if callee == nil && s.own {
			callee = v.returns
		}
		if callee != nil {
			if m, ok := s.follow(callee, tail, lookups); ok {
				if r.argument.given {
					m.argument = r.argument
				}
				return m, true
			}
		}
	}
	return meaning{}, false
}

// known returns the known decorator that local+attributes means if local was
// imported as module, or nil.
func (s *scanner) known(local, module, attributes string) *Decorator {
	if known := s.table.find(module + attributes); known != nil {
		return known
	}
	usual := s.table.Usual[local]
	if usual == "" {
		return nil
	}
	// "import flydsl.comp as flyc" is being typed; "from .prelude import flyc"
	// passes the usual name on.
	if s.table.imports(module) || strings.HasSuffix(module, "."+local) {
		return s.table.find(usual + attributes)
	}
	return nil
}
