package pysource

import (
	"cmp"
	"slices"
)

// A NameKind tells what is known about a kernel's name= argument.
type NameKind uint8

// The kinds of name= arguments.
const (
	NameNone     NameKind = iota // no name= argument: the symbol is <function>_<id>
	NameConstant                 // a string constant, or a variable of the same or an enclosing scope that is assigned one
	NamePattern                  // an f-string: constant parts around holes
	NameUnknown                  // an expression that is not understood
)

// A Name is the name= argument of a kernel's decorator.
type Name struct {
	Kind  NameKind
	Parts []string // NameConstant: one part; NamePattern: the constant parts, between each two a hole for any text or none
}

// A Naming tells how the symbol of a kernel follows from its function's name.
type Naming uint8

// The namings.
const (
	Numbered Naming = iota // <function>_<id>, or what name= says
	Verbatim               // the name itself
	Mangled                // by the rules of the Itanium C++ ABI
)

// A Definition is one decorated function that compiles to a kernel.
type Definition struct {
	Function  string // the def's name, NFKC-normalized as CPython does
	Qualified string // with the enclosing classes and functions: "build.<locals>.softmax_rows", "Quantizer.quantize"
	Name      Name
	Via       string // the decorator's absolute name, as in the table: "flydsl.compiler.kernel"; "" for one of File.Others
	Naming    Naming
	// Parameters are the parameters of a Mangled definition as written, without the
	// parentheses; "" for Python.
	Parameters string
	Made       bool  // of one of File.Others: a function of the text that returns a known decorator's kernels decorates it
	Launcher   bool  // decorated with @flyc.jit: it launches kernels and is none itself
	Decorator  Range // from the "@" of the kernel decorator to its end; empty and before the def if there is none
	Topmost    int   // 0-based line of the first decorator, which debug locations name
	Def        Range // from "def" or "async" to the colon that ends the header; while that is missing, to the end of the line
	Ident      Range // the name in the def: where diagnostics and lenses sit
	Body       Range // from the def to the end of its block
}

// Decorated reports whether a decorator stands above the def.
func (d *Definition) Decorated() bool { return d.Decorator.Start != d.Def.Start }

// A File is the result of scanning one source file. It is immutable.
type File struct {
	Definitions []Definition // in the order of the text
	// Others are the other functions of the text, in its order. A project's own
	// decorator, or a call, can make kernels of them; only the locations of a compile
	// tell which.
	Others   []Definition
	Kernels  bool // whether the text imports or uses the producer at all
	Doubtful bool // the text's triple quotes do not pair up, so which of it is code was judged by its looks

	sound bool           // the definitions are those of a text without doubt, perhaps moved by edits since
	typed map[int]string // by where a definition begins: the name that its decorator had, while that is being typed
}

// With returns the definitions of the file and those of its Others for which meant
// is true, in the order of the text.
func (f *File) With(meant func(*Definition) bool) []Definition {
	definitions := f.Definitions
	for i := range f.Others {
		if meant(&f.Others[i]) {
			definitions = append(slices.Clip(definitions), f.Others[i])
		}
	}
	if len(definitions) > len(f.Definitions) {
		slices.SortStableFunc(definitions, func(a, b Definition) int { return cmp.Compare(a.Ident.Start.Offset, b.Ident.Start.Offset) })
	}
	return definitions
}
