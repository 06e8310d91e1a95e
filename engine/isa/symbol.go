package isa

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"strconv"
	"strings"

	"isadiff/engine/gfx"
)

// assignments holds every symbol that the file sets. Expressions may refer to
// symbols that are set later, so they are evaluated when the whole file is read.
type assignments struct {
	list    []assignment
	target  gfx.Target // what totalnumvgprs and extrasgprs depend on
	private bool       // a name begins with ".L"

	// Where the names are: by hash the first of those that were set first, of the
	// first assignments of a name in list.
	heads   []int
	indexed int // how many of list are in heads
}

type assignment struct {
	name  []byte
	expr  []byte
	line  int
	state progress
	value value
	err   error

	// Indices in list, -1 if there is none.
	later  int // the next assignment of the name
	latest int // of a name's first assignment: its last one
	beside int // of a name's first assignment: that of another name of the same hash
}

// A progress tells how far the evaluation of an assignment is.
type progress uint8

const (
	unvisited progress = iota
	visiting
	visited
)

// A value is what an expression evaluates to.
type value struct {
	n     int64
	bound bool // it took in a maximum over the module, which stands for an unknown callee
}

// set reads the arguments of ".set name, expression".
func (p *Parser) set(args []byte) {
	name, n, ok := symbolName(args)
	if !ok {
		return
	}
	rest := trimBlanks(args[n:])
	if len(rest) == 0 || rest[0] != ',' {
		return
	}
	p.assign(name, rest[1:])
}

func (p *Parser) assign(name, expr []byte) {
	if string(name) == "." && p.section == p.home { // it fills what it passes over
		p.totals.data.add(p.line)
	}
	a := assignment{name: name, expr: expr, line: p.line}
	p.assignments.private = p.assignments.private || hasPrefix(name, ".L")
	if len(p.nested) > 0 {
		a.state, a.err = visited, errNested
	}
	p.assignments.list = append(p.assignments.list, a)
}

// find returns the index of the first assignment of a name, or -1.
func (a *assignments) find(name []byte) int {
	if a.indexed < len(a.list) {
		a.index()
	}
	if len(a.heads) == 0 {
		return -1
	}
	i := a.heads[a.bucket(name)]
	for i >= 0 && !bytes.Equal(a.list[i].name, name) {
		i = a.list[i].beside
	}
	return i
}

// hashSeed is that of the names of symbols, so that nobody can write a file whose
// names all have one hash.
var hashSeed = maphash.MakeSeed()

func (a *assignments) bucket(name []byte) uint64 {
	return maphash.Bytes(hashSeed, name) & uint64(len(a.heads)-1)
}

// index notes where each name is.
func (a *assignments) index() {
	size := 64
	for size < len(a.list) {
		size *= 2
	}
	a.heads = slices.Grow(a.heads[:0], size)[:size]
	for i := range a.heads {
		a.heads[i] = -1
	}
	a.indexed = len(a.list)
	for i := range a.list {
		s := &a.list[i]
		s.later, s.latest, s.beside = -1, i, -1
		head := &a.heads[a.bucket(s.name)]
		first := *head
		for first >= 0 && !bytes.Equal(a.list[first].name, s.name) {
			first = a.list[first].beside
		}
		if first < 0 {
			s.beside, *head = *head, i
			continue
		}
		a.list[a.list[first].latest].later, a.list[first].latest = i, i
	}
}

// resolve returns the value of a symbol, as the last assignment gives it.
func (a *assignments) resolve(name []byte, depth int) (value, error) {
	first := a.find(name)
	if first < 0 {
		return value{}, fmt.Errorf("symbol %s is not defined", quote(string(name)))
	}
	return a.last(first, depth)
}

// last returns the value of the symbol whose first assignment is given, as the last
// one gives it.
func (a *assignments) last(first, depth int) (value, error) {
	v, err := a.evaluate(a.list[first].latest, depth)
	v.bound = v.bound || hasPrefix(a.list[first].name, "amdgpu.max_num_")
	return v, err
}

// evaluate returns the value of one assignment.
func (a *assignments) evaluate(i, depth int) (value, error) {
	s := &a.list[i]
	switch s.state {
	case visiting:
		return value{}, fmt.Errorf("symbol %s refers to itself", quote(string(s.name)))
	case unvisited:
		s.state = visiting
		s.value, s.err = a.expression(s.expr, depth)
		s.state = visited
	}
	return s.value, s.err
}

// conflict returns the lines of two assignments of a symbol with different
// values, or zeros. i is its first assignment, or -1.
func (a *assignments) conflict(i int) (first, second int) {
	if i < 0 || a.list[i].later < 0 {
		return 0, 0
	}
	v, err := a.evaluate(i, 0)
	for j := a.list[i].later; j >= 0; j = a.list[j].later {
		w, werr := a.evaluate(j, 0)
		if v.n != w.n || (err == nil) != (werr == nil) {
			return a.list[i].line, a.list[j].line
		}
	}
	return 0, 0
}

// errNested is for assignments that may not be assembled.
var errNested = errors.New("it is set within a conditional or a repetition of the assembler")

// errDepth stops expressions that nest deeper than any compiler's.
var errDepth = errors.New("the expression is nested too deeply")

const maxDepth = 10_000

// expression evaluates an assembler expression: integers, symbols, the unary and
// binary operators with LLVM's precedences, and the functions of AMDGPUMCExpr.
func (a *assignments) expression(expr []byte, depth int) (value, error) {
	if n, ok := plainDecimal(trimBlanks(expr)); ok {
		return value{n: n}, nil
	}
	e := evaluator{a: a, s: expr, depth: depth}
	v, err := e.binary(1)
	if err != nil {
		return value{}, err
	}
	if e.skip(); len(e.s) > 0 {
		return value{}, fmt.Errorf("expression %s is not understood", quote(string(expr)))
	}
	return v, nil
}

type evaluator struct {
	a     *assignments
	s     []byte // what is left
	depth int
}

func (e *evaluator) skip() { e.s = trimBlanks(e.s) }

// operators with their precedence, longer spellings first (AsmParser.cpp,
// getGNUBinOpPrecedence).
var operators = []struct {
	spelling   string
	precedence int
	apply      func(a, b int64) (int64, bool)
}{
	{"&&", 2, func(a, b int64) (int64, bool) { return truth(a != 0 && b != 0), true }},
	{"||", 1, func(a, b int64) (int64, bool) { return truth(a != 0 || b != 0), true }},
	{"<<", 6, func(a, b int64) (int64, bool) { return a << uint64(b&63), b >= 0 && b < 64 }},
	{">>", 6, func(a, b int64) (int64, bool) { return a >> uint64(b&63), b >= 0 && b < 64 }},
	{"==", 3, func(a, b int64) (int64, bool) { return -truth(a == b), true }},
	{"!=", 3, func(a, b int64) (int64, bool) { return -truth(a != b), true }},
	{"<=", 3, func(a, b int64) (int64, bool) { return -truth(a <= b), true }},
	{">=", 3, func(a, b int64) (int64, bool) { return -truth(a >= b), true }},
	{"<", 3, func(a, b int64) (int64, bool) { return -truth(a < b), true }},
	{">", 3, func(a, b int64) (int64, bool) { return -truth(a > b), true }},
	{"+", 4, func(a, b int64) (int64, bool) { return a + b, true }},
	{"-", 4, func(a, b int64) (int64, bool) { return a - b, true }},
	{"|", 5, func(a, b int64) (int64, bool) { return a | b, true }},
	{"^", 5, func(a, b int64) (int64, bool) { return a ^ b, true }},
	{"&", 5, func(a, b int64) (int64, bool) { return a & b, true }},
	{"*", 6, func(a, b int64) (int64, bool) { return a * b, true }},
	{"/", 6, func(a, b int64) (int64, bool) { return quotient(a, b), b != 0 }},
	{"%", 6, func(a, b int64) (int64, bool) { return remainder(a, b), b != 0 }},
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func quotient(a, b int64) int64 {
	if b == 0 || a == math.MinInt64 && b == -1 {
		return 0
	}
	return a / b
}

func remainder(a, b int64) int64 {
	if b == 0 || b == -1 {
		return 0
	}
	return a % b
}

// binary reads operators of at least the given precedence, which bind from left
// to right.
func (e *evaluator) binary(precedence int) (value, error) {
	left, err := e.unary()
	if err != nil {
		return value{}, err
	}
next:
	for {
		if e.skip(); len(e.s) == 0 {
			return left, nil
		}
		for _, op := range operators {
			if !hasPrefix(e.s, op.spelling) {
				continue
			}
			if op.precedence < precedence {
				return left, nil
			}
			e.s = e.s[len(op.spelling):]
			right, err := e.binary(op.precedence + 1)
			if err != nil {
				return value{}, err
			}
			n, ok := op.apply(left.n, right.n)
			if !ok {
				return value{}, fmt.Errorf("%d %s %d has no value", left.n, op.spelling, right.n)
			}
			left = value{n, left.bound || right.bound}
			continue next
		}
		return left, nil
	}
}

func (e *evaluator) unary() (value, error) {
	if e.depth++; e.depth > maxDepth {
		return value{}, errDepth
	}
	defer func() { e.depth-- }()
	e.skip()
	if len(e.s) == 0 {
		return value{}, errors.New("the expression is cut short")
	}
	c := e.s[0]
	switch {
	case c == '-' || c == '~' || c == '!' || c == '+':
		e.s = e.s[1:]
		v, err := e.unary()
		switch c {
		case '-':
			v.n = -v.n
		case '~':
			v.n = ^v.n
		case '!':
			v.n = truth(v.n == 0)
		}
		return v, err
	case c == '(':
		e.s = e.s[1:]
		v, err := e.binary(1)
		if err != nil {
			return value{}, err
		}
		return v, e.expect(')')
	case c >= '0' && c <= '9':
		return e.integer()
	}
	name, n, ok := identifier(e.s)
	if !ok {
		return value{}, fmt.Errorf("expression is not understood at %s", quote(string(e.s)))
	}
	quoted := c == '"'
	e.s = e.s[n:]
	if e.skip(); !quoted && len(e.s) > 0 && e.s[0] == '(' {
		return e.call(string(name))
	}
	return e.a.resolve(name, e.depth)
}

func (e *evaluator) expect(c byte) error {
	if e.skip(); len(e.s) == 0 || e.s[0] != c {
		return fmt.Errorf("the expression lacks a %q", c)
	}
	e.s = e.s[1:]
	return nil
}

// integer reads a number, or a symbol whose name begins with a digit.
func (e *evaluator) integer() (value, error) {
	name, n, _ := symbolName(e.s)
	e.s = e.s[n:]
	if n, ok := plainDecimal(name); ok {
		return value{n: n}, nil
	}
	if bytes.IndexByte(name, '.') >= 0 {
		return e.a.resolve(name, e.depth)
	}
	digits := string(name)
	v, err := strconv.ParseInt(digits, 0, 64)
	if err != nil || strings.ContainsAny(digits, "_oO") {
		return value{}, fmt.Errorf("%s is no integer", quote(digits))
	}
	return value{n: v}, nil
}

// plainDecimal reads a number as LLVM prints it: its digits, the first of which is 0
// only if it is the only one. It returns false for more digits than any 63 bits have.
func plainDecimal(s []byte) (n int64, ok bool) {
	if len(s) == 0 || len(s) > 18 || s[0] == '0' && len(s) > 1 {
		return 0, false
	}
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}

// call evaluates a function of AMDGPUMCExpr.
func (e *evaluator) call(name string) (value, error) {
	e.s = e.s[1:]
	var args []int64
	bound := false
	for {
		v, err := e.binary(1)
		if err != nil {
			return value{}, err
		}
		args = append(args, v.n)
		bound = bound || v.bound
		if e.skip(); len(e.s) > 0 && e.s[0] == ',' {
			e.s = e.s[1:]
			continue
		}
		break
	}
	if err := e.expect(')'); err != nil {
		return value{}, err
	}
	n, err := e.a.function(name, args)
	return value{n, bound}, err
}

func (a *assignments) function(name string, args []int64) (int64, error) {
	switch {
	case name == "max":
		n := args[0]
		for _, arg := range args[1:] {
			n = max(n, arg)
		}
		return n, nil
	case name == "or":
		n := int64(0)
		for _, arg := range args {
			n |= arg
		}
		return n, nil
	case name == "alignto" && len(args) == 2 && args[1] > 0:
		return alignUp(args[0], args[1]), nil
	case name == "totalnumvgprs" && len(args) == 2:
		shape, _ := a.target.Shape()
		return shape.TotalVGPRs(args[1], args[0]), nil
	case name == "extrasgprs" && len(args) == 3:
		return a.target.ExtraSGPRs(args[0] != 0, args[1] != 0, args[2] != 0), nil
	case name == "occupancy" && len(args) == 7: // LLVM 20 and later
		waves, granule, total, generation, figure, sgprs, vgprs := args[0], args[1], args[2], args[3], args[4], args[5], args[6]
		return min(figure, gfx.OldSGPRWaves(generation, waves, sgprs), gfx.RegisterWaves(waves, granule, total, vgprs)), nil
	case name == "occupancy" && len(args) == 9: // LLVM 24: with the SGPRs of a SIMD, their granule and those of the trap handler
		waves, granule, total, figure, sgprTotal, sgprGranule, trap, sgprs, vgprs := args[0], args[1], args[2], args[3], args[4], args[5], args[6], args[7], args[8]
		if sgprs > 0 {
			figure = min(figure, gfx.RegisterWaves(waves, sgprGranule, sgprTotal, sgprs+trap))
		}
		return min(figure, gfx.RegisterWaves(waves, granule, total, vgprs)), nil
	}
	return 0, fmt.Errorf("function %s of %d arguments is not understood", quote(name), len(args))
}

func alignUp(n, to int64) int64 { return (n + to - 1) / to * to }
