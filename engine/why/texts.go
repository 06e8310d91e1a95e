package why

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"isadiff/engine/pressure"
)

// A TextLine is a line of a body as [Comparison.Texts] writes it.
type TextLine struct {
	Text string
	Line int // of the assembly, 1-based
}

// Texts returns the bodies of both sides as texts that differ where the instructions
// do: a line for each label and each instruction, without comments and directives.
// In the text before, an instruction that is paired has the registers of its partner
// wherever kind and width agree, and a label has the name of the label that stands
// before the partner of its instruction. What has no partner keeps its own names, and
// so does an instruction that reads one register where its partner reads two, or two
// where it reads one. Which value a register holds is not looked at.
func (c *Comparison) Texts() (before, after []TextLine) {
	after = write(c.After, func(i int) string { return textOf(&c.After.Body[i]).String() }, func(name string) string { return name })
	labels := c.labels()
	partner := none(len(c.Before.Body))
	c.pairs(func(i, j int) { partner[i] = int32(j) })
	before = write(c.Before, func(i int) string {
		t := textOf(&c.Before.Body[i])
		if j := partner[i]; j >= 0 {
			t.rename(textOf(&c.After.Body[j]))
		}
		t.relabel(labels)
		return t.String()
	}, func(name string) string { return renamed(labels, name) })
	return before, after
}

func renamed(labels map[string]string, name string) string {
	if other, ok := labels[name]; ok {
		return other
	}
	return name
}

// write writes a body, a line for each label and each instruction.
func write(l *pressure.Listing, instruction func(i int) string, label func(name string) string) []TextLine {
	lines := make([]TextLine, 0, len(l.Body)+len(l.Labels))
	next := 0
	labels := func(until int) {
		for ; next < len(l.Labels) && l.Labels[next].Index <= until; next++ {
			lines = append(lines, TextLine{label(l.Labels[next].Name) + ":", l.Labels[next].Line})
		}
	}
	for i := range l.Body {
		labels(i)
		lines = append(lines, TextLine{"\t" + instruction(i), l.Body[i].Line})
	}
	labels(len(l.Body))
	return lines
}

// labels returns for labels before which label after is the same: it stands before
// the partner of the same instruction. Where that instruction is new or gone, it is
// the one that all paired branches to either of them agree on.
func (c *Comparison) labels() map[string]string {
	same, taken := map[string]string{}, map[string]bool{}
	pair := func(before, after string) {
		if _, known := same[before]; !known && !taken[after] {
			same[before], taken[after] = after, true
		}
	}
	at := func(l *pressure.Listing) map[int][]string {
		names := map[int][]string{}
		for _, label := range l.Labels {
			names[label.Index] = append(names[label.Index], label.Name)
		}
		return names
	}
	old, now := at(c.Before), at(c.After)
	meet := func(i, j int) {
		for k := range min(len(old[i]), len(now[j])) {
			pair(old[i][k], now[j][k])
		}
	}
	type vote struct{ before, after string }
	var votes []vote
	to, from := map[string]string{}, map[string]string{} // what branches to a label became; "" if they do not agree
	cast := func(votes map[string]string, name, other string) {
		if known, voted := votes[name]; voted && known != other {
			other = ""
		}
		votes[name] = other
	}
	for _, s := range c.Steps {
		if s.Before < 0 || s.After < 0 || s.Op == Moved {
			continue
		}
		meet(s.Before, s.After)
		if c.Before.Body[s.Before].Class != pressure.Branch {
			continue
		}
		b, a := textOf(&c.Before.Body[s.Before]), textOf(&c.After.Body[s.After])
		if b.target() != "" && a.target() != "" {
			v := vote{b.target(), a.target()}
			votes = append(votes, v)
			cast(to, v.before, v.after)
			cast(from, v.after, v.before)
		}
	}
	meet(len(c.Before.Body), len(c.After.Body))
	for _, v := range votes {
		if to[v.before] == v.after && from[v.after] == v.before {
			pair(v.before, v.after)
		}
	}
	return same
}

// A text is an instruction cut into pieces.
type text []piece

// A piece of an instruction: a register, a label, or what stands between them.
type piece struct {
	text    string
	label   bool
	named   named // if it is a register
	operand int   // the operand that it is in, from 0; of the second half of a dual-issue pair, from secondHalf
	written bool  // it is the operand that is written
}

// secondHalf is more than a half has operands.
const secondHalf = 1000

// writesFirst reports whether an instruction writes its first operand.
func writesFirst(mnemonic string) bool {
	return !strings.Contains(mnemonic, "store") && !strings.HasPrefix(mnemonic, "ds_write") &&
		!strings.HasPrefix(mnemonic, "s_cmp") && !strings.HasPrefix(mnemonic, "s_bitcmp") && mnemonic != "exp"
}

func (p *piece) register() bool { return p.named.size > 0 }

func (t text) String() string {
	var b []byte
	for i := range t {
		b = append(b, t[i].text...)
	}
	return string(b)
}

// target is the label that a branch names; "" if it names none, or several.
func (t text) target() (name string) {
	for i := range t {
		if t[i].label {
			if name != "" {
				return ""
			}
			name = t[i].text
		}
	}
	return name
}

// textOf cuts an instruction into pieces, each blank of it one space, and one behind
// each comma.
func textOf(ins *pressure.Instruction) text {
	t := text{{text: ins.Mnemonic}}
	var plain []byte
	operand, blank, writes := 0, true, writesFirst(ins.Mnemonic)
	flush := func() {
		if len(plain) > 0 {
			t = append(t, piece{text: string(plain), operand: operand})
			plain = plain[:0]
		}
	}
	for b := ins.Operands; len(b) > 0; {
		c, n := b[0], 1
		if isBlank(c) {
			blank, b = true, b[1:]
			continue
		}
		switch {
		case c == ',':
			flush()
			operand++
			blank = false
		case c == ':' && len(b) > 1 && b[1] == ':' && operand < secondHalf:
			flush()
			operand = secondHalf
		}
		if blank {
			plain = append(plain, ' ')
		}
		blank = c == ','
		switch {
		case c == '"':
			n = quoted(b)
		case c == '/' && len(b) > 1 && b[1] == '*':
			if n = bytes.Index(b, []byte("*/")) + 2; n < 2 {
				n = len(b)
			}
		case isName(c):
			for n < len(b) && isName(b[n]) {
				n++
			}
			w := b[:n]
			reg := registerAt(b, n)
			isLabel := len(w) > 2 && w[0] == '.' && w[1] == 'L' || ins.Class == pressure.Branch && reg.size == 0 && !isDigit(w[0])
			if reg.size > 0 || isLabel {
				flush()
				if n = max(n, reg.size); !isLabel {
					reg, n = behind(b, reg, n)
				}
				t = append(t, piece{text: string(b[:n]), label: isLabel, named: reg, operand: operand, written: writes && operand%secondHalf == 0})
				b = b[n:]
				continue
			}
		}
		plain = append(plain, b[:n]...)
		b = b[n:]
	}
	flush()
	return t
}

// behind returns the register that a comment behind a printed one names, "v0 /*v256*/",
// and where the comment ends; the printed one if there is none.
func behind(b []byte, printed named, end int) (named, int) {
	i := end
	for i < len(b) && isBlank(b[i]) {
		i++
	}
	if !bytes.HasPrefix(b[i:], []byte("/*")) {
		return printed, end
	}
	size := bytes.Index(b[i:], []byte("*/"))
	if size < 0 {
		return printed, end
	}
	inside := b[i+2 : i+size]
	n := 0
	for n < len(inside) && isName(inside[n]) {
		n++
	}
	if n == 0 {
		return printed, end
	}
	if real := registerAt(inside, n); real.size > 0 {
		return real, i + size + 2
	}
	return printed, end
}

// rename gives the registers of t the names of those at the same places of another
// instruction, if that says the same of them.
func (t text) rename(other text) {
	type place struct{ operand, n int }
	at := func(t text) map[place]int {
		count, places := map[int]int{}, map[place]int{}
		for i := range t {
			if p := &t[i]; p.register() {
				places[place{p.operand, count[p.operand]}] = i
				count[p.operand]++
			}
		}
		return places
	}
	own, its := at(t), at(other)
	names := map[int]string{}
	reads, back := map[string]string{}, map[string]string{}
	for place, i := range own {
		j, ok := its[place]
		if !ok || !alike(t[i].named, other[j].named) {
			continue
		}
		names[i] = other[j].text
		if t[i].written {
			continue // it may take the place of an operand on one side only
		}
		for k := range t[i].named.width {
			x, y := t[i].named.at(k), other[j].named.at(k)
			if to, known := reads[x]; known && to != y {
				return
			}
			if from, known := back[y]; known && from != x {
				return
			}
			reads[x], back[y] = y, x
		}
	}
	for i, name := range names {
		t[i].text = name
	}
}

// alike reports whether registers are of one kind and width.
func alike(a, b named) bool {
	return string(a.kind) == string(b.kind) && a.width == b.width && string(a.half) == string(b.half)
}

// at names the k-th of the registers.
func (n named) at(k int) string {
	return string(append(strconv.AppendInt(slices.Clone(n.kind), int64(n.first+k), 10), n.half...))
}

// relabel gives labels other names.
func (t text) relabel(labels map[string]string) {
	for i := range t {
		if t[i].label {
			t[i].text = renamed(labels, t[i].text)
		}
	}
}
