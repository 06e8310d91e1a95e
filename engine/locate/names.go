package locate

import (
	"cmp"
	"slices"
	"strings"

	"isadiff/engine/pysource"
	"isadiff/engine/symbol"
)

// A fit tells how a definition can have given a symbol. Of a [pysource.Numbered]
// definition a name= is taken verbatim; without one the symbol is <function>_<id>. The second use of a
// constant in one compile is <constant>_<id>, and a name that is taken already
// gets an id more: plain_0_1.
type fit uint8

// The fits, the less sure first.
const (
	noFit       fit = iota
	weakPattern     // a pattern that nearly every symbol fits
	byFunction      // <function>_<id>, of a definition whose name= is not known and may be missing
	withTakenID     // one id more, because the name was taken
	withID          // <function>_<id>, or the second use of a constant
	byPattern       // an f-string with enough constant text
	byConstant      // the constant itself
)

// fits tells how a definition can have given a symbol.
func fits(d *pysource.Definition, symbol string) fit {
	switch {
	case d.Launcher:
		return noFit
	case d.Naming == pysource.Verbatim:
		switch {
		case symbol != d.Function:
			return noFit
		case d.Name.Kind == pysource.NameUnknown:
			return byFunction
		}
		return byConstant
	case d.Naming == pysource.Mangled:
		return mangled(d, symbol)
	}
	stem, id := cutID(symbol)
	switch {
	case d.Name.Kind == pysource.NameNone, d.Name.Kind == pysource.NameUnknown:
		number, taken := withID, withTakenID
		if d.Name.Kind == pysource.NameUnknown {
			number, taken = byFunction, noFit
		}
		if stem == d.Function {
			return number
		}
		if stem, _ := cutID(stem); stem == d.Function && stem != "" {
			return taken
		}
	case d.Name.Kind == pysource.NameConstant && len(d.Name.Parts) == 1:
		switch {
		case symbol == d.Name.Parts[0]:
			return byConstant
		case stem == d.Name.Parts[0] && id != "0": // the first kernel of a compile has its name to itself
			return withID
		}
	case d.Name.Kind == pysource.NamePattern:
		switch {
		case matchParts(d.Name.Parts, symbol):
			if isWeak(d.Name.Parts) {
				return weakPattern
			}
			return byPattern
		case stem != "" && id != "0" && matchParts(d.Name.Parts, stem) && !isWeak(d.Name.Parts):
			return withTakenID
		}
	}
	return noFit
}

// mangled is fits for a definition in C++. Namespaces and classes around it tell
// functions of one name from each other.
func mangled(d *pysource.Definition, name string) fit {
	if !strings.Contains(name, d.Function) || symbolFunction(name) != d.Function {
		return noFit
	}
	if name != d.Function && symbol.Qualified(name) != d.Qualified {
		return withTakenID // in an anonymous namespace, or a class that is defined by parts
	}
	return byConstant
}

func symbolFunction(name string) string { return symbol.Function(name) }

// cutID splits "<stem>_<digits>"; the stem is "" if symbol has no such end.
func cutID(symbol string) (stem, id string) {
	i := len(symbol)
	for i > 0 && symbol[i-1] >= '0' && symbol[i-1] <= '9' {
		i--
	}
	if i == len(symbol) || i < 2 || symbol[i-1] != '_' {
		return "", ""
	}
	return symbol[:i-1], symbol[i:]
}

// matchParts reports whether symbol consists of the constant parts with anything
// in the holes between each two.
func matchParts(parts []string, symbol string) bool {
	if len(parts) == 0 {
		return false
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return symbol == first
	}
	rest, ok := strings.CutPrefix(symbol, first)
	if !ok {
		return false
	}
	if rest, ok = strings.CutSuffix(rest, last); !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		if _, rest, ok = strings.Cut(rest, part); !ok {
			return false
		}
	}
	return true
}

// isWeak reports whether a pattern has too little constant text to tell its
// symbols from others: f"{name}_{n}".
func isWeak(parts []string) bool {
	letters := 0
	for _, part := range parts {
		for _, c := range part {
			if c != '_' && c != '.' && c != '$' {
				letters++
			}
		}
	}
	return letters < 3
}

// byName returns the definitions of the project that fit a symbol best.
func (ix *Index) byName(symbol string) []ref {
	var refs []ref
	best := weakPattern // one that fits no better is no candidate
	consider := func(list []ref) {
		for _, r := range list {
			switch f := fits(r.definition(), symbol); {
			case f > best:
				best, refs = f, []ref{r}
			case f == best && f > weakPattern:
				refs = append(refs, r)
			}
		}
	}
	stem, _ := cutID(symbol)
	root, _ := cutID(stem)
	function := symbolFunction(symbol)
	if function == symbol {
		function = "" // it is asked for as it stands
	}
	for _, key := range []string{"=" + symbol, "=" + stem, stem, root, "==" + symbol, "==" + function} {
		if key != "" && key != "=" && key != "==" {
			consider(ix.names[key])
		}
	}
	consider(ix.patterns)
	return overloads(refs, symbol)
}

// candidates returns refs as places, in the order of path and line.
func candidates(refs []ref) []Candidate {
	list := make([]Candidate, len(refs))
	for i, r := range refs {
		list[i] = Candidate{Path: r.source.path, Definition: *r.definition()}
	}
	slices.SortFunc(list, func(a, b Candidate) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Definition.Topmost, b.Definition.Topmost))
	})
	return list
}
