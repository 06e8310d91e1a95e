package diff

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// An Order of the user says that kernels under two names are one: the kernel of the
// before side that Before selects is the one of the after side that After makes of
// it. "*" is any text within one folder, "**" any text; each stands for the same text
// on both sides, in turn. As with [resource.Matcher] what has neither "::" nor "/" is
// for names, anything else for keys. A backslash makes the next character a plain one.
type Order struct {
	Before, After string
	Where         string // the place that gave it: "pyproject.toml:12", "--pair"

	old, now pattern
}

// NewOrder compiles an order. The error says what is wrong with it, without its place.
func NewOrder(before, after, where string) (*Order, error) {
	o := &Order{Before: before, After: after, Where: where}
	var err error
	if o.old, err = compile(before); err != nil {
		return nil, err
	}
	if o.now, err = compile(after); err != nil {
		return nil, err
	}
	if b, a := len(o.old.stars), len(o.now.stars); b != a {
		return nil, fmt.Errorf("%q and %q differ in how many * they have: each stands for the same text on both sides", before, after)
	}
	return o, nil
}

// SplitOrder takes an order apart that is written OLD=NEW.
func SplitOrder(text string) (before, after string, err error) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '=':
			if before, after = text[:i], text[i+1:]; before != "" && after != "" {
				return before, after, nil
			}
		}
	}
	return "", "", fmt.Errorf("is %q, must be OLD=NEW, such as 'axpy_*_u2=axpy_*_u8'", text)
}

// String returns the order as messages name it: `"axpy_*_u2" = "axpy_*_u8" (pyproject.toml:12)`.
func (o *Order) String() string { return fmt.Sprintf("%q = %q (%s)", o.Before, o.After, o.Where) }

// A pattern is one half of an order.
type pattern struct {
	texts []string // the plain texts, one more than stars
	stars []bool   // whether the text of each may cross folders
	bare  bool     // it is for names
}

var errOrderGlob = errors.New("must be a name or key with * and ** alone: ?, [ and { stand for what the other half cannot repeat; a backslash makes them plain")

func compile(text string) (p pattern, err error) {
	if text == "" {
		return p, errors.New("is empty; name a kernel")
	}
	var plain []byte
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '?', '[', '{':
			return p, fmt.Errorf("%q %w", text, errOrderGlob)
		case '*':
			deep := false
			for ; i+1 < len(text) && text[i+1] == '*'; i++ {
				deep = true
			}
			p.texts, p.stars, plain = append(p.texts, string(plain)), append(p.stars, deep), nil
		case '\\':
			if i++; i == len(text) {
				return p, fmt.Errorf("%q ends with a backslash", text)
			}
			plain = append(plain, text[i])
		default:
			plain = append(plain, text[i])
		}
	}
	p.texts = append(p.texts, string(plain))
	p.bare = !strings.Contains(text, "::") && !strings.Contains(text, "/")
	for i := range p.stars {
		p.stars[i] = p.stars[i] || p.bare // a name is one word, whatever it holds
	}
	return p, nil
}

// subject returns what of a kernel a pattern is held against.
func (p *pattern) subject(r *resource.Record) string {
	if p.bare {
		return r.Name
	}
	return r.Key
}

// maxReadings bounds the ways in which stars are tried on one kernel: a pattern may
// come from a file that is not trusted.
const maxReadings = 1 << 12

// readings returns what the stars of p can stand for in a text. whole is false if
// there are too many ways to try all.
func (p *pattern) readings(text string) (found [][]string, whole bool) {
	rest, ok := strings.CutPrefix(text, p.texts[0])
	if !ok {
		return nil, true
	}
	if len(p.stars) == 0 {
		if rest != "" {
			return nil, true
		}
		return [][]string{nil}, true
	}
	tries := 0
	var read func(rest string, n int, said []string)
	read = func(rest string, n int, said []string) {
		end := p.texts[n+1]
		for i := 0; i+len(end) <= len(rest) && tries < maxReadings; i++ {
			last := n+1 == len(p.stars)
			if last {
				i = len(rest) - len(end)
			}
			tries++
			stands := rest[:i]
			if !p.stars[n] && strings.Contains(stands, "/") {
				return
			}
			if !strings.HasPrefix(rest[i:], end) {
				continue
			}
			reading := append(said[:len(said):len(said)], stands)
			if last {
				found = append(found, reading)
				return
			}
			read(rest[i+len(end):], n+1, reading)
		}
	}
	read(rest, 0, nil)
	return found, tries < maxReadings
}

// fill puts texts into the stars.
func (p *pattern) fill(stars []string) string {
	var b strings.Builder
	for i, text := range p.texts {
		b.WriteString(text)
		if i < len(stars) {
			b.WriteString(stars[i])
		}
	}
	return b.String()
}

// A proposal is that two kernels are one, by an order.
type proposal struct {
	before, after *resource.Record
	order         *Order
	near          bool // both are in one folder, or in folders that differ as the names do
}

// arrange pairs kernels that are on one side only as orders say. What an order can
// mean in several ways is not paired: those kernels are returned as one-sided pairs
// that say so. taken are all the kernels that pairs hold.
func arrange(lost, fresh []*resource.Record, orders []*Order) (pairs []Pair, taken map[*resource.Record]bool) {
	taken = map[*resource.Record]bool{}
	if len(lost) == 0 || len(fresh) == 0 || len(orders) == 0 {
		return nil, taken
	}
	var all []proposal
	of := map[*resource.Record][]int{} // places in all
	doubt := func(c Pair) {
		if r := c.record(); !taken[r] {
			taken[r] = true
			pairs = append(pairs, c)
		}
	}
	indexes := map[bool]map[string][]*resource.Record{} // by name if true, by key if not
	for _, o := range orders {
		index := indexes[o.now.bare]
		if index == nil {
			index = map[string][]*resource.Record{}
			for _, r := range fresh {
				index[o.now.subject(r)] = append(index[o.now.subject(r)], r)
			}
			indexes[o.now.bare] = index
		}
		for _, b := range lost {
			readings, whole := o.old.readings(o.old.subject(b))
			if !whole {
				doubt(Pair{Before: b, Order: o, Doubt: "can be read in too many ways; write fewer *"})
				continue
			}
			for _, stars := range readings {
				for _, a := range index[o.now.fill(stars)] {
					if slices.ContainsFunc(of[b], func(i int) bool { return all[i].after == a }) {
						continue
					}
					of[b], of[a] = append(of[b], len(all)), append(of[a], len(all))
					all = append(all, proposal{b, a, o, near(b, a)})
				}
			}
		}
	}
	// Of kernels that an order fits in several folders those of one folder belong together.
	isNear := func(i int) bool { return all[i].near }
	counts := func(i int) bool {
		p := &all[i]
		return !taken[p.before] && (p.near || !slices.ContainsFunc(of[p.before], isNear) && !slices.ContainsFunc(of[p.after], isNear))
	}
	kept := make([]bool, len(all))
	for i := range all {
		kept[i] = counts(i)
	}
	choices := func(r *resource.Record) (n int) {
		for _, i := range of[r] {
			if kept[i] {
				n++
			}
		}
		return n
	}
	others := func(r *resource.Record, other func(proposal) *resource.Record) string {
		var keys []string
		for _, i := range of[r] {
			if kept[i] {
				keys = append(keys, other(all[i]).Key)
			}
		}
		slices.Sort(keys)
		if more := len(keys) - 3; more > 0 {
			keys = append(keys[:3], fmt.Sprintf("%d more", more))
		}
		return strings.Join(keys, ", ")
	}
	before, after := func(p proposal) *resource.Record { return p.before }, func(p proposal) *resource.Record { return p.after }
	for i, p := range all {
		switch {
		case !kept[i]:
		case choices(p.before) == 1 && choices(p.after) == 1:
			taken[p.before], taken[p.after] = true, true
			pairs = append(pairs, Pair{Before: p.before, After: p.after, Order: p.order})
		default:
			several := p.before
			text := others(p.before, after)
			if choices(p.before) == 1 {
				several, text = p.after, others(p.after, before)
			}
			text = fmt.Sprintf("makes several kernels one with %s: %s", several.Key, text)
			doubt(Pair{Before: p.before, Order: p.order, Doubt: text})
			doubt(Pair{After: p.after, Order: p.order, Doubt: text})
		}
	}
	return pairs, taken
}

// near reports whether two kernels stand in one folder, or in folders of their own
// that differ as their names do.
func near(before, after *resource.Record) bool {
	b, a := folderOf(before), folderOf(after)
	return b == a || strings.ReplaceAll(b, before.Name, after.Name) == a || strings.ReplaceAll(b, stem(before.Name), stem(after.Name)) == a
}

func folderOf(r *resource.Record) string { return strings.TrimSuffix(r.Key, "::"+r.Name) }

// stem is a kernel's name without the number that FlyDSL gives each kernel of a module.
func stem(name string) string {
	if short := strings.TrimRight(name, "0123456789"); len(short) > 1 && len(short) < len(name) && short[len(short)-1] == '_' {
		return short[:len(short)-1]
	}
	return name
}

// doubted is the problem of a kernel whose order can mean several.
func doubted(c Pair) problem.Problem {
	r, side := c.record(), SideBefore
	if c.Before == nil {
		side = SideAfter
	}
	return problem.New(problem.PairAmbiguous, "%s: the pair %s %s", r.Key, c.Order, c.Doubt).In(r.Source).Of(r.Key).On(side)
}

// idle says which orders pair nothing, where both sides are known with all their
// kernels.
func idle(r *Result, orders []*Order) (warnings []string) {
	if len(orders) == 0 || r.Kernels != "" || len(r.Before.Records) == 0 || len(r.After.Records) == 0 || len(r.Before.Problems)+len(r.After.Problems) > 0 {
		return nil
	}
	used := map[*Order]bool{}
	for i := range r.Rows {
		used[r.Rows[i].Order] = true
	}
	for _, o := range orders {
		if used[o] {
			continue
		}
		why := fmt.Sprintf("no kernel before matches %q", o.Before)
		for i := range r.Rows {
			b := r.Rows[i].Before
			if b == nil {
				continue
			}
			if readings, _ := o.old.readings(o.old.subject(b)); len(readings) == 0 {
				continue
			}
			if r.Rows[i].After == nil {
				why = fmt.Sprintf("no kernel that is only on the after side fits %q, for %s", o.After, b.Key)
				break
			}
			why = fmt.Sprintf("%s is on both sides under its own key or by another pair", b.Key)
		}
		warnings = append(warnings, fmt.Sprintf("the pair %s pairs nothing: %s", o, why))
	}
	return warnings
}

// Literal returns the half of an order that is for one name or key and no other.
func Literal(text string) string {
	var b []byte
	for i := range len(text) {
		if strings.IndexByte(`*?[{\=`, text[i]) >= 0 {
			b = append(b, '\\')
		}
		b = append(b, text[i])
	}
	return string(b)
}
