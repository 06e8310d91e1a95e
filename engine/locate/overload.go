package locate

import (
	"slices"
	"strings"

	"isadiff/engine/pysource"
	"isadiff/engine/symbol"
)

// overloads leaves out the functions of C++ whose parameters cannot be those of a
// mangled symbol, as long as another one is left: of "copy(float *)" and "copy(int
// *)" only one is _Z4copyPi. It knows the types of the language itself; a name that
// a header may give to any type contradicts nothing.
func overloads(refs []ref, name string) []ref {
	if len(refs) < 2 {
		return refs
	}
	types, ok := symbol.Parameters(name)
	if !ok {
		return refs
	}
	fitting := slices.DeleteFunc(slices.Clone(refs), func(r ref) bool {
		d := r.definition()
		return d.Naming == pysource.Mangled && contradicts(d.Parameters, types)
	})
	if len(fitting) == 0 {
		return refs
	}
	return fitting
}

// contradicts reports whether the parameters of a definition cannot have these
// types.
func contradicts(written string, types []string) bool {
	if strings.ContainsAny(written, "#") || strings.Contains(written, "...") || strings.Contains(written, "/*") || strings.Contains(written, "//") {
		return false // what is left of it only a preprocessor knows, or a pack
	}
	parameters := symbol.SplitParameters(written)
	sure := true
	for i, p := range parameters {
		t, named, ok := typeOf(p)
		if !ok {
			sure = sure && named // a single word can be a macro for any number of parameters
			continue
		}
		if len(parameters) == len(types) {
			if other, _, ok := typeOf(types[i]); ok && other != t {
				return true
			}
		}
	}
	return sure && len(parameters) != len(types)
}

// qualifiers change no type that a parameter is mangled as, or stand where that
// does not matter for telling apart what is otherwise different.
var qualifiers = map[string]bool{
	"const": true, "volatile": true, "restrict": true, "__restrict": true, "__restrict__": true, "register": true,
}

// builtins are the words of the types of the language itself.
var builtins = map[string]bool{
	"void": true, "bool": true, "char": true, "short": true, "int": true, "long": true, "float": true, "double": true,
	"signed": true, "unsigned": true, "wchar_t": true, "char8_t": true, "char16_t": true, "char32_t": true, "_Float16": true, "__bf16": true, "__fp16": true,
}

// typeOf returns the type of a parameter in one spelling, if it is made of the
// language's own types, pointers and references: "float *x" and "float const*" are
// "float*". named tells that the text is a type and a name, whatever the type is.
func typeOf(parameter string) (t string, named, ok bool) {
	parameter, _, _ = strings.Cut(parameter, "=")
	var words, others []string
	var marks strings.Builder
	for rest := strings.TrimSpace(parameter); rest != ""; rest = strings.TrimSpace(rest) {
		n := 0
		for n < len(rest) && wordByte(rest[n]) {
			n++
		}
		switch {
		case n == 0 && (rest[0] == '*' || rest[0] == '&'):
			marks.WriteByte(rest[0])
			n = 1
		case n == 0:
			return "", false, false // a template, an array, a function
		case qualifiers[rest[:n]]:
		case builtins[rest[:n]]:
			words = append(words, rest[:n])
		default:
			others = append(others, rest[:n])
		}
		rest = rest[n:]
	}
	if len(words) == 0 || len(others) > 1 {
		return "", len(others) > 1 || marks.Len() > 0 && len(others) > 0, false
	}
	return canonical(words) + marks.String(), true, true
}

// canonical spells a type of the language itself in one way: "unsigned long" for
// "long unsigned int".
func canonical(words []string) string {
	count := map[string]int{}
	for _, w := range words {
		count[w]++
	}
	var parts []string
	switch {
	case count["unsigned"] > 0:
		parts = append(parts, "unsigned")
	case count["signed"] > 0 && count["char"] > 0:
		parts = append(parts, "signed")
	}
	for range count["long"] {
		parts = append(parts, "long")
	}
	for _, w := range words {
		switch w {
		case "signed", "unsigned", "long":
		case "int":
			if count["long"] == 0 && count["short"] == 0 {
				parts = append(parts, w)
			}
		default:
			parts = append(parts, w)
		}
	}
	if len(parts) == 0 || len(parts) == 1 && parts[0] == "unsigned" {
		parts = append(parts, "int") // "unsigned" and "signed" alone
	}
	return strings.Join(parts, " ")
}

func wordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}
