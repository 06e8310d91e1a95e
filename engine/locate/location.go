package locate

import (
	"bytes"
	"slices"
	"sort"
	"strings"
)

// maxLocationSteps bounds the parts of one location that are looked at: call
// sites can refer to one another, and each alias to two.
const maxLocationSteps = 256

// resolveLocation returns the places in files that an MLIR location names, the
// innermost call first. The forms are those of MLIR's LangRef, "Location
// Attributes": "file":line:column (also as a range), #alias, "name"(loc),
// callsite(loc at loc), fused<…>[loc, …] and unknown.
func resolveLocation(body []byte, aliases *aliases) []Location {
	p := locationParser{text: body, aliases: aliases}
	steps := maxLocationSteps
	p.steps = &steps
	p.one()
	return p.found
}

// aliases are the named locations of a text, "#loc1 = loc(…)". A module has
// hundreds and looks up a few: they are put in order when the first is asked for.
type aliases struct {
	list   []alias
	sorted bool
}

// An alias is one of them, as slices of the text.
type alias struct {
	name []byte // with the "#"
	body []byte // what stands between "loc(" and ")"
}

func (a *aliases) add(name, body []byte) {
	a.list, a.sorted = append(a.list, alias{name, body}), false
}

// find returns the body of the alias of that name, of several the last one.
func (a *aliases) find(name []byte) (body []byte, ok bool) {
	if !a.sorted {
		slices.SortStableFunc(a.list, func(x, y alias) int { return bytes.Compare(x.name, y.name) })
		a.sorted = true
	}
	i := sort.Search(len(a.list), func(i int) bool { return bytes.Compare(a.list[i].name, name) > 0 })
	if i == 0 || !bytes.Equal(a.list[i-1].name, name) {
		return nil, false
	}
	return a.list[i-1].body, true
}

// A locationParser reads one location.
type locationParser struct {
	text    []byte
	at      int
	aliases *aliases
	steps   *int
	found   []Location
}

// one reads one location at the current offset and whatever it is made of.
func (p *locationParser) one() {
	if *p.steps--; *p.steps < 0 {
		p.at = len(p.text)
		return
	}
	p.blanks()
	switch {
	case p.at >= len(p.text):
	case p.text[p.at] == '#':
		start := p.at
		for p.at < len(p.text) && isWord(p.text[p.at]) {
			p.at++
		}
		body, _ := p.aliases.find(p.text[start:p.at])
		inner := locationParser{text: body, aliases: p.aliases, steps: p.steps}
		inner.one()
		p.found = append(p.found, inner.found...)
	case p.text[p.at] == '"':
		p.named()
	case p.take("callsite("):
		p.one()
		p.blanks()
		if p.take("at") {
			p.one()
		}
		p.take(")")
	case p.take("fused"):
		p.fused()
	case p.take("loc("):
		p.one()
		p.take(")")
	case p.take("unknown"):
	default: // a form that is not known
		p.at = len(p.text)
	}
}

// named reads "file":line:column, or "name" with an inner location.
func (p *locationParser) named() {
	end, ok := stringEnd(p.text, p.at)
	if !ok {
		p.at = len(p.text)
		return
	}
	name := unescape(p.text[p.at+1 : end-1])
	p.at = end
	if p.take("(") {
		p.one()
		p.take(")")
		return
	}
	line, ok := p.number()
	if !ok {
		return // a name without an inner location
	}
	column, _ := p.number()
	if p.blanks(); p.take("to") { // the end of a range: "to 3:4" or "to :4"
		p.blanks()
		for p.at < len(p.text) && (p.text[p.at] == ':' || p.text[p.at] >= '0' && p.text[p.at] <= '9') {
			p.at++
		}
	}
	if line > 0 && isFileName(name) {
		p.found = append(p.found, Location{Path: name, Line: line, Column: column})
	}
}

// fused reads [loc, loc, …] with an optional <attribute> before it.
func (p *locationParser) fused() {
	if p.take("<") {
		depth := 1
		for p.at < len(p.text) && depth > 0 {
			switch p.text[p.at] {
			case '"':
				p.at, _ = stringEnd(p.text, p.at)
				continue
			case '<':
				depth++
			case '>':
				if p.at > 0 && p.text[p.at-1] != '-' {
					depth--
				}
			}
			p.at++
		}
	}
	if !p.take("[") {
		return
	}
	for {
		p.one()
		p.blanks()
		if !p.take(",") {
			p.take("]")
			return
		}
	}
}

// number reads ":123".
func (p *locationParser) number() (int, bool) {
	if p.at >= len(p.text) || p.text[p.at] != ':' {
		return 0, false
	}
	n, ok := leadingInt(p.text[p.at+1:])
	if !ok || n > 1<<31 {
		return 0, false
	}
	p.at++
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		p.at++
	}
	return int(n), true
}

// take skips word if it stands at the current offset.
func (p *locationParser) take(word string) bool {
	if !bytes.HasPrefix(p.text[p.at:], []byte(word)) {
		return false
	}
	p.at += len(word)
	return true
}

func (p *locationParser) blanks() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
}

// isFileName reports whether the name in a location can be a file: "-" stands
// for the module's own text, "<string>" and the like for code without a file.
func isFileName(name string) bool {
	return name != "" && name != "-" && !(strings.HasPrefix(name, "<") && strings.HasSuffix(name, ">"))
}
