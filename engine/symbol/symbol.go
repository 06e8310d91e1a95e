package symbol

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Readable returns a symbol as a person would write it: demangled by the rules of
// the Itanium C++ ABI, with its template arguments and without its parameters. A
// symbol that is not mangled is returned as it is.
func Readable(symbol string) string {
	name, _ := demangled(symbol, demangle.NoParams, demangle.NoEnclosingParams)
	return name
}

// Function returns the bare name of the function that a symbol stands for,
// without namespaces, classes, template arguments and parameters: "scale" for
// "void ns::scale<float>(float*)".
func Function(symbol string) string {
	name, ok := demangled(symbol, demangle.NoParams, demangle.NoTemplateParams, demangle.NoEnclosingParams)
	if !ok {
		return symbol
	}
	if i := strings.LastIndex(name, "::"); i >= 0 {
		name = name[i+2:]
	}
	return name
}

// Qualified returns the name of the function with its named namespaces and classes
// alone: "ns::scale".
func Qualified(symbol string) string {
	name, ok := demangled(symbol, demangle.NoParams, demangle.NoTemplateParams, demangle.NoEnclosingParams)
	if !ok {
		return symbol
	}
	return strings.ReplaceAll(name, "(anonymous namespace)::", "")
}

// Parameters returns the types of a function's parameters as the demangler spells
// them: "float*", "int const*". ok is false for a symbol that tells none.
func Parameters(symbol string) (types []string, ok bool) {
	name, ok := demangled(symbol, demangle.NoTemplateParams, demangle.NoEnclosingParams)
	if !ok || !strings.HasSuffix(name, ")") {
		return nil, false
	}
	depth := 0
	for i := len(name) - 1; i >= 0; i-- {
		switch name[i] {
		case ')':
			depth++
		case '(':
			depth--
		}
		if depth == 0 {
			return SplitParameters(name[i+1 : len(name)-1]), i > 0
		}
	}
	return nil, false
}

// SplitParameters cuts a list of parameters at its commas; those within brackets
// belong to a parameter. None at all, and "void", are an empty list.
func SplitParameters(list string) (all []string) {
	depth, from := 0, 0
	for i := range len(list) {
		switch list[i] {
		case '(', '[', '{', '<':
			depth++
		case ')', ']', '}', '>':
			depth--
		case ',':
			if depth == 0 {
				all, from = append(all, strings.TrimSpace(list[from:i])), i+1
			}
		}
	}
	if last := strings.TrimSpace(list[from:]); len(all) > 0 || last != "" && last != "void" {
		all = append(all, last)
	}
	return all
}

// maxSymbol bounds what is demangled: a name of a hostile file could make work
// that has no end.
const maxSymbol = 16 << 10

// demangled demangles a symbol. One that is none of C++, or that is not understood, is
// returned as it is, and ok is false.
func demangled(symbol string, options ...demangle.Option) (name string, ok bool) {
	if !strings.HasPrefix(symbol, "_Z") || len(symbol) > maxSymbol {
		return symbol, false
	}
	name, err := demangle.ToString(symbol, append(options, demangle.NoRust, demangle.MaxLength(14))...)
	if err != nil || name == "" || strings.HasSuffix(name, "::") { // no name of C++ ends so
		return symbol, false
	}
	// The type that a template returns is a part of its name.
	if tail := strings.TrimPrefix(name, "void "); tail != "" {
		name = tail
	}
	return strings.ReplaceAll(name, "> >", ">>"), true
}
