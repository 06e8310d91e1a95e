package pysource

// What names mean, as far as kernels' decorators and their name= arguments need
// it. A name may be bound in several places; which of them count depends on
// where it is used.

// A value is what a name was bound to; nil is a value that nothing is known of.
type value struct {
	module   string     // the absolute dotted name of what was imported; "" if it was not
	callee   *reference // an expression that may be a decorator; nil if it cannot
	returns  *reference // of a function, what it returns that may be one; nil if that cannot
	text     template   // what is known of it as a string; nil if nothing
	resolved bool       // text holds no names any more
}

// A scope is what a module, class or function binds.
type scope struct {
	parent    *scope
	class     bool
	name      string
	function  *value // what the function is bound to that this is the scope of; nil for others
	variables map[string]*variable
	elsewhere map[string]*scope // names declared global or nonlocal
	qualifier string            // what stands before a name defined here, once it was asked for
	qualified bool
}

// A variable is a name of a scope with what is bound to it.
type variable struct {
	reaching []binding // what it may be at this point of the scope's own text, by block
	all      []*value  // what it may be when a nested function runs
	many     bool      // there were too many to keep

	// Most names are bound once: room for that.
	reachingOne [1]binding
	allOne      [1]*value
}

// A binding is a value given in a block.
type binding struct {
	block int
	value *value
}

// maxValues bounds the values that are kept for a name; more say nothing.
const maxValues = 8

// A block is the suite of a compound statement.
type block struct {
	header  int // indentation of the header: what is indented no further ends the block
	id      int // grows in the order of the text
	scope   *scope
	repeats bool // the body of a loop
	def     *decorated
}

// bind gives a name a value in the innermost block. Values from that block and
// from blocks inside it are lost by that; those of other branches remain.
func (s *scanner) bind(name string, v *value) {
	b := s.blocks[len(s.blocks)-1]
	sc := b.scope
	if to := sc.elsewhere[name]; to != nil {
		sc = to
	}
	if sc.variables == nil {
		sc.variables = map[string]*variable{}
	}
	x := sc.variables[name]
	if x == nil {
		x = &variable{}
		x.reaching, x.all = x.reachingOne[:0], x.allOne[:0]
		sc.variables[name] = x
	}
	n := len(x.reaching)
	for n > 0 && x.reaching[n-1].block >= b.id {
		n--
	}
	if n == maxValues { // then the oldest is as good as unknown
		copy(x.reaching, x.reaching[1:])
		x.reaching[0].value = nil
		n--
	}
	x.reaching = append(x.reaching[:n], binding{b.id, v})
	if len(x.all) < maxValues {
		x.all = append(x.all, v)
	} else {
		x.many = true
	}
}

// reaching returns what a name may be bound to here, and false if the scope
// itself has not bound it so far.
func (s *scanner) reaching(name string) ([]*value, bool) {
	sc := s.scope()
	if to := sc.elsewhere[name]; to != nil {
		return nil, false
	}
	x := sc.variables[name]
	if x == nil {
		return nil, false
	}
	var values []*value
	for i := len(x.reaching) - 1; i >= 0; i-- {
		values = append(values, x.reaching[i].value)
		if s.isOpen(x.reaching[i].block) {
			break // it was certainly given since the earlier ones
		}
	}
	return values, true
}

// isOpen reports whether the block with the given id encloses this line.
func (s *scanner) isOpen(id int) bool {
	low, high := 0, len(s.blocks)
	for low < high {
		mid := (low + high) / 2
		if s.blocks[mid].id < id {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low < len(s.blocks) && s.blocks[low].id == id
}

// outer returns what a name may be bound to when it is not bound in the scope
// itself: by the nearest enclosing function or module, at any time.
func (sc *scope) outer(name string) ([]*value, bool) {
	if sc.elsewhere[name] != nil {
		sc = sc.elsewhere[name]
	} else {
		sc = sc.parent
	}
	for ; sc != nil; sc = sc.parent {
		if x := sc.variables[name]; x != nil && !sc.class {
			if x.many {
				return []*value{nil}, true
			}
			return x.all, true
		}
	}
	return nil, false
}

// declare notes that names are those of another scope.
func (sc *scope) declare(names []string, global bool) {
	to := sc.parent
	for to != nil && to.parent != nil && (global || to.class) {
		to = to.parent
	}
	if to == nil {
		return
	}
	if sc.elsewhere == nil {
		sc.elsewhere = map[string]*scope{}
	}
	for _, name := range names {
		sc.elsewhere[name] = to
	}
}

// maxQualifier bounds what stands before a qualified name.
const maxQualifier = 4 << 10

// qualify returns the qualified name of a name defined in the scope.
func (sc *scope) qualify(name string) string {
	return sc.prefix() + name
}

func (sc *scope) prefix() string {
	if sc.parent == nil || sc.qualified {
		return sc.qualifier
	}
	sc.qualified = true
	sc.qualifier = sc.parent.prefix() + sc.name + "."
	if !sc.class {
		sc.qualifier += "<locals>."
	}
	if len(sc.qualifier) > maxQualifier {
		sc.qualifier = "….<locals>."
	}
	return sc.qualifier
}
