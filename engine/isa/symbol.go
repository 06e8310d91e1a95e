package isa

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"isadiff/engine/gfx"
)

// assignments holds every symbol that the file sets. Expressions may refer to
// symbols that are set later, so they are evaluated when the whole file is read.
type assignments struct {
	list   []assignment
	target gfx.Target // what totalnumvgprs and extrasgprs depend on

	// Of a long list: the first and the last assignment of a name, and the next
	// one of the same name, -1 if there is none.
	first, latest map[string]int
	later         []int
}

// shortList is how many assignments are searched one by one.
const shortList = 48

type assignment struct {
	name  []byte
	expr  []byte
	line  int
	state progress
	value value
	err   error
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
	if len(p.nested) > 0 {
		a.state, a.err = visited, errNested
	}
	p.assignments.list = append(p.assignments.list, a)
}

// next returns the index of the first assignment of a name that comes after the
// index given, or -1.
func (a *assignments) next(name []byte, after int) int {
	if len(a.list) <= shortList {
		for i := after + 1; i < len(a.list); i++ {
			if bytes.Equal(a.list[i].name, name) {
				return i
			}
		}
		return -1
	}
	if a.first == nil {
		a.makeIndex()
	}
	if after >= 0 {
		return a.later[after]
	}
	if i, ok := a.first[string(name)]; ok {
		return i
	}
	return -1
}

func (a *assignments) makeIndex() {
	a.first = make(map[string]int, len(a.list))
	a.latest = make(map[string]int, len(a.list))
	a.later = make([]int, len(a.list))
	for i := len(a.list) - 1; i >= 0; i-- {
		name := string(a.list[i].name)
		a.later[i] = -1
		if j, ok := a.first[name]; ok {
			a.later[i] = j
		} else {
			a.latest[name] = i
		}
		a.first[name] = i
	}
}

// last returns the index of the last assignment of a name, or -1.
func (a *assignments) last(name []byte) int {
	i := a.next(name, -1)
	if i >= 0 && a.first != nil {
		return a.latest[string(name)]
	}
	for j := i; j >= 0; j = a.next(name, j) {
		i = j
	}
	return i
}

// resolve returns the value of a symbol, as the last assignment gives it.
func (a *assignments) resolve(name []byte, depth int) (value, error) {
	last := a.last(name)
	if last < 0 {
		return value{}, fmt.Errorf("symbol %s is not defined", quote(string(name)))
	}
	v, err := a.evaluate(last, depth)
	v.bound = v.bound || hasPrefix(name, "amdgpu.max_num_")
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
// values, or zeros.
func (a *assignments) conflict(name []byte) (first, second int) {
	i := a.next(name, -1)
	if i < 0 || a.next(name, i) < 0 {
		return 0, 0
	}
	v, err := a.evaluate(i, 0)
	for j := a.next(name, i); j >= 0; j = a.next(name, j) {
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
		e.skip()
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
