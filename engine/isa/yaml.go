package isa

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Limits on YAML that people wrote, so that reading takes bounded time and memory.
const (
	maxYAML      = 64 << 10 // bytes; the library takes time quadratic in the keys of a mapping
	maxYAMLDepth = 64
)

// anyYAML reads metadata that is not laid out as LLVM does: flow style, quotes,
// anchors, comments, other indentation, which LLVM's assembler takes as well. before
// is the number of the line before the text. It returns false for what the assembler
// refuses (a key twice, an alias) and for what may mean something else than it seems
// to.
func anyYAML(text []byte, before int) (meta metadata, ok bool) {
	if len(text) > maxYAML || yamlDepth(text) > maxYAMLDepth {
		return meta, false
	}
	defer func() {
		if recover() != nil { // the library met what it does not understand
			ok = false
		}
	}()
	file, err := parser.ParseBytes(text, 0)
	if err != nil || len(file.Docs) != 1 {
		return meta, false
	}
	y := yamlReader{before: before, meta: &meta}
	meta.line = before
	return meta, y.each(file.Docs[0].Body, y.topLevel)
}

// yamlDepth returns how deep the collections of a text may nest: that of its
// brackets, and on one line that of its indicators.
func yamlDepth(text []byte) (deepest int) {
	brackets := 0
	for line := range bytes.Lines(text) {
		indicators := 0
		for i, c := range line {
			switch c {
			case '[', '{':
				brackets++
			case ']', '}':
				brackets = max(brackets-1, 0)
			case '-', '?', ':', '!', '&', '*':
				if i+1 < len(line) && (c == '!' || c == '&' || c == '*' || isBlank(line[i+1])) && brackets == 0 {
					indicators++
				}
			}
			deepest = max(deepest, brackets, indicators)
		}
	}
	return deepest
}

// A yamlReader fills in the metadata from nodes.
type yamlReader struct {
	meta   *metadata
	before int // the number of the line before the text
}

// each calls f for each key of a mapping, and returns false if f does, if a key is
// there twice or if the node is no mapping.
func (y yamlReader) each(n ast.Node, f func(key string, value ast.Node, line int) bool) bool {
	m, ok := unanchored(n).(ast.MapNode)
	if !ok {
		return false
	}
	seen := map[string]bool{}
	for i := m.MapRange(); i.Next(); {
		key, ok := scalar(yamlText(i.Key()))
		if _, alias := unanchored(i.Value()).(*ast.AliasNode); !ok || seen[key] || alias || i.Key().IsMergeKey() {
			return false
		}
		seen[key] = true
		if !f(key, unanchored(i.Value()), y.before+i.Key().GetToken().Position.Line) {
			return false
		}
	}
	return true
}

func (y yamlReader) topLevel(key string, value ast.Node, line int) bool {
	switch key {
	case "amdhsa.kernels":
		y.meta.kernels = line
		list, ok := value.(*ast.SequenceNode)
		if !ok {
			return value.Type() == ast.NullType
		}
		for _, n := range list.Values {
			y.meta.entries = append(y.meta.entries, entry{line: y.before + n.GetToken().Position.Line})
			if !y.each(n, y.field) {
				return false
			}
		}
	case "amdhsa.target":
		s, ok := scalar(yamlText(value))
		y.meta.target = excerpt{[]byte(s), line}
		return ok && s != "" && isScalar(value)
	case "amdhsa.version":
		_, ok := numbers(value, func(i int, n int64) { y.meta.version[i] = int(n) }, len(y.meta.version))
		return ok
	}
	return true
}

// field reads a key of the last kernel.
func (y yamlReader) field(key string, value ast.Node, line int) bool {
	e := &y.meta.entries[len(y.meta.entries)-1]
	if key == ".reqd_workgroup_size" {
		_, ok := numbers(value, func(i int, n int64) { e.reqd[i] = n }, len(e.reqd))
		return ok
	}
	if key == ".args" {
		return y.arguments(e, value)
	}
	if i := entryField([]byte(key)); i >= 0 {
		e.fields[i] = excerpt{[]byte(yamlText(value)), line}
		return isScalar(value) || i != eName && i != eSymbol
	}
	return true
}

// arguments reads what a kernel's arguments say of LDS.
func (y yamlReader) arguments(e *entry, value ast.Node) bool {
	list, ok := value.(*ast.SequenceNode)
	if !ok {
		return value.Type() == ast.NullType
	}
	for _, n := range list.Values {
		read := y.each(n, func(key string, value ast.Node, _ int) bool {
			if s, ok := scalar(yamlText(value)); ok {
				e.lds = max(e.lds, LDSArgumentOf(key, s))
			}
			return true
		})
		if !read {
			return false
		}
	}
	return true
}

// numbers calls f for each of at most limit numbers of a list.
func numbers(n ast.Node, f func(i int, n int64), limit int) (count int, ok bool) {
	list, ok := n.(*ast.SequenceNode)
	if !ok || len(list.Values) > limit {
		return 0, false
	}
	for i, v := range list.Values {
		number, err := strconv.ParseInt(yamlText(v), 10, 64)
		if err != nil || number < 0 {
			return 0, false
		}
		f(i, number)
	}
	return len(list.Values), true
}

// unanchored returns the node that an anchor names. That nothing refers to it is
// LLVM's rule: it takes no alias.
func unanchored(n ast.Node) ast.Node {
	for {
		a, ok := n.(*ast.AnchorNode)
		if !ok {
			return n
		}
		n = a.Value
	}
}

func isScalar(n ast.Node) bool {
	if t, ok := n.(*ast.TagNode); ok {
		n = t.Value
	}
	_, ok := unanchored(n).(ast.ScalarNode)
	return ok
}

// yamlText returns a node as a line of LLVM's layout would have it: a number as it
// is written, a string in quotes if it is in quotes.
func yamlText(n ast.Node) string {
	switch n := unanchored(n).(type) {
	case *ast.NullNode:
		return ""
	case *ast.TagNode:
		return n.Start.Value + " " + yamlText(n.Value)
	case *ast.LiteralNode:
		return singleQuote(n.Value.Value)
	case *ast.StringNode:
		if n.Token.Type == token.SingleQuoteType || n.Token.Type == token.DoubleQuoteType {
			return singleQuote(n.Value)
		}
		return n.Value
	case ast.ScalarNode:
		return n.GetToken().Value
	case ast.MapKeyNode:
		return fmt.Sprint(n)
	default:
		return n.String()
	}
}

func singleQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
