package pysource

import (
	"slices"
	"strings"
)

// A template is what is known of a string: constant pieces around holes. The nil
// template is a string of which nothing is known.
type template []piece

// A piece is a part of a template: constant text, the value of a name, or a hole.
type piece struct {
	text  string
	hole  bool
	name  string // a name that an enclosing scope of in binds; "" if none
	scope *scope
}

var hole = piece{hole: true}

// A template that is longer than any symbol is no longer followed.
const (
	maxTemplateText   = 1 << 9
	maxTemplatePieces = 1 << 7
)

// constant returns the template of a constant.
func constant(text string) template { return template{{text: text}} }

// known reports whether anything is known of the string.
func (t template) known() bool {
	return slices.ContainsFunc(t, func(p piece) bool { return p.text != "" || p.name != "" }) ||
		len(t) > 0 && !slices.ContainsFunc(t, func(p piece) bool { return p.hole })
}

// join returns the concatenation of templates: text beside text and a hole
// beside a hole become one.
func join(parts ...template) template {
	var joined template
	size := 0
	for _, t := range parts {
		if t == nil {
			t = template{hole}
		}
		for _, p := range t {
			if p == (piece{}) {
				continue
			}
			size += len(p.text)
			if n := len(joined); n > 0 && p.name == "" && joined[n-1].name == "" && p.hole == joined[n-1].hole {
				joined[n-1].text += p.text
				continue
			}
			joined = append(joined, p)
		}
		if size > maxTemplateText || len(joined) > maxTemplatePieces {
			return nil
		}
	}
	if joined == nil {
		return constant("")
	}
	if !joined.known() {
		return nil
	}
	return joined
}

// merge returns a template that fits every string that a or b fits: what both
// begin with, a hole, and what both end in.
func merge(a, b template) template {
	if slices.Equal(a, b) {
		return a
	}
	x, y := a.runes(), b.runes()
	shorter := min(len(x), len(y))
	begin := 0
	for begin < shorter && x[begin] == y[begin] {
		begin++
	}
	end := 0
	for end < shorter-begin && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	return join(fromRunes(x[:begin]), template{hole}, fromRunes(x[len(x)-end:]))
}

// holeRune stands for a hole among the characters of a template.
const holeRune = -1

// runes returns the characters of a template.
func (t template) runes() []rune {
	if t == nil {
		return []rune{holeRune}
	}
	var runes []rune
	for _, p := range t {
		if p.hole || p.name != "" {
			runes = append(runes, holeRune)
		} else {
			runes = append(runes, []rune(p.text)...)
		}
	}
	return runes
}

// fromRunes returns the template with the given characters.
func fromRunes(runes []rune) template {
	t := template{{}}
	for len(runes) > 0 {
		n := slices.Index(runes, holeRune)
		if n < 0 {
			return append(t, piece{text: string(runes)})
		}
		t = append(t, piece{text: string(runes[:n])}, hole)
		runes = runes[n+1:]
	}
	return t
}

// percent returns the template with its "%" conversions as holes.
func (t template) percent() template {
	return t.fill(func(text string) (plain string, n int) {
		switch {
		case text[0] != '%':
			return text[:1], 1
		case strings.HasPrefix(text, "%%"):
			return "%", 2
		}
		n = 1
		if strings.HasPrefix(text, "%(") {
			n = strings.IndexByte(text, ')') + 1
		}
		for n > 0 && n < len(text) && strings.IndexByte("-+ #0123456789.*", text[n]) >= 0 {
			n++
		}
		return "", min(max(n, 1)+1, len(text))
	})
}

// format returns the template with its replacement fields as holes.
func (t template) format() template {
	return t.fill(func(text string) (plain string, n int) {
		switch {
		case text[0] != '{' && text[0] != '}':
			return text[:1], 1
		case strings.HasPrefix(text, "{{"), strings.HasPrefix(text, "}}"):
			return text[:1], 2
		}
		depth := 0
		for i := range len(text) {
			switch text[i] {
			case '{':
				depth++
			case '}':
				depth--
			}
			if depth <= 0 {
				return "", i + 1
			}
		}
		return "", len(text)
	})
}

// fill replaces parts of a template's constant text by holes. The function reads
// the beginning of a text and returns what it stands for, "" for a hole, and its
// length. A template that still holds names cannot be filled.
func (t template) fill(read func(text string) (plain string, n int)) template {
	var filled []template
	for _, p := range t {
		if p.name != "" {
			return nil
		}
		if p.hole {
			filled = append(filled, template{hole})
			continue
		}
		var text strings.Builder
		for rest := p.text; rest != ""; {
			plain, n := read(rest)
			if plain == "" {
				filled = append(filled, template{{text: text.String()}, hole})
				text.Reset()
			}
			text.WriteString(plain)
			rest = rest[n:]
		}
		filled = append(filled, constant(text.String()))
	}
	return join(filled...)
}

// maxChain is how many variables that name one another are followed.
const maxChain = 32

// resolve returns the template without names: those are replaced by what the
// enclosing scopes bind them to.
func (t template) resolve(chain int) template {
	if !slices.ContainsFunc(t, func(p piece) bool { return p.name != "" }) {
		return t
	}
	parts := make([]template, len(t))
	for i, p := range t {
		parts[i] = template{p}
		if p.name != "" {
			values, _ := p.scope.outer(p.name)
			parts[i] = oneOf(values, chain+1)
		}
	}
	return join(parts...)
}

// oneOf returns what is known of a string that is one of the values.
func oneOf(values []*value, chain int) template {
	var t template
	for i, v := range values {
		if v == nil || chain == maxChain {
			return nil
		}
		if !v.resolved {
			v.resolved = true
			unresolved := v.text
			v.text = nil // what refers to itself is unknown
			v.text = unresolved.resolve(chain)
		}
		if i == 0 {
			t = v.text
		} else {
			t = merge(t, v.text)
		}
	}
	return t
}

// asName returns a resolved template as the name= argument of a kernel.
func (t template) asName() Name {
	if !t.known() {
		return Name{Kind: NameUnknown}
	}
	n := Name{Kind: NameConstant, Parts: []string{""}}
	for _, p := range t {
		if p.hole {
			n.Kind = NamePattern
			n.Parts = append(n.Parts, "")
		}
		n.Parts[len(n.Parts)-1] += p.text
	}
	return n
}
