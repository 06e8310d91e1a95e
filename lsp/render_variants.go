package lsp

import (
	"fmt"
	"strings"

	"isadiff/engine/facts"
	"isadiff/engine/live"
	"isadiff/engine/locate"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// variantLabels returns what names each of the kernels of one definition by what
// tells their keys apart: of test_8192-f32_/k::k and test_2048-f32_/k::k that is
// 8192 and 2048.
func variantLabels(ks []*live.Kernel) func(*live.Kernel) string {
	if len(ks) == 0 {
		return func(k *live.Kernel) string { return oneLine(k.Key) }
	}
	prefix, suffix := ks[0].Key, ks[0].Key
	shortest := len(ks[0].Key)
	for _, k := range ks[1:] {
		prefix = prefix[:commonPrefix(prefix, k.Key)]
		suffix = suffix[len(suffix)-commonSuffix(suffix, k.Key):]
		shortest = min(shortest, len(k.Key))
	}
	from := len(strings.TrimRightFunc(prefix, wordRune))
	to := len(strings.TrimLeftFunc(suffix, wordRune))
	to = min(to, shortest-from)
	return func(k *live.Kernel) string {
		label := strings.TrimFunc(k.Key[from:len(k.Key)-to], func(r rune) bool { return !wordRune(r) })
		if label == "" {
			label = k.Key
		}
		return oneLine(label)
	}
}

// wordRune reports whether a label may not be cut beside r.
func wordRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80
}

func commonPrefix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// variantsLens: "6 variants · ▲ 2048-f32 vgpr 42→58 · ? 1".
func (c lensContext) variantsLens(ks []*live.Kernel) lens {
	label := variantLabels(ks)
	count := map[live.Status]int{}
	for _, k := range ks {
		count[k.Status]++
	}
	parts := []string{fmt.Sprintf("%d variants", len(ks))}
	first := func(s live.Status) *live.Kernel {
		for _, k := range ks {
			if k.Status == s {
				return k
			}
		}
		return nil
	}
	stale, saved, ambiguous, fits := false, false, 0, 0
	for _, k := range ks {
		stale = stale || k.Stale && k.Live != nil
		saved = saved || len(k.Edited) > 0
		if k.Place.Match == locate.Ambiguous {
			ambiguous, fits = ambiguous+1, max(fits, len(k.Place.Candidates))
		}
	}
	var refused []*live.Kernel
	for _, k := range ks {
		if facts.Unlaunchable(k) != "" && k.Status != live.Worse {
			refused = append(refused, k)
		}
	}
	if len(refused) > 0 {
		parts = append(parts, fmt.Sprintf("▲ %d cannot be launched: %s %s", len(refused), label(refused[0]), refused[0].Live.Occupancy.Unlaunchable))
	}
	told := false // the worst is, so that the others are only counted, and what is as it was not at all
	for _, row := range variantWords {
		n := count[row.status]
		switch {
		case n == 0 || told && row.quiet || saved && row.status == live.Edited && n == len(ks):
		case row.detail == nil:
			parts = append(parts, fmt.Sprintf("%d %s", n, row.word))
		case told:
			parts = append(parts, fmt.Sprintf("%s %d", row.mark, n))
		default:
			text, k := "", first(row.status)
			if n > 1 || row.mark == "" {
				text = fmt.Sprintf("%d %s: ", n, row.word)
			}
			room := 20
			if row.mark != "" { // several figures follow
				room = 12
			}
			text += short(label(k), room) + " " + strings.TrimPrefix(row.detail(k), row.mark+" ")
			parts = append(parts, strings.TrimLeft(row.mark+" "+text, " "))
			told = row.mark != ""
		}
	}
	if broken := breaking(ks); len(broken) > 0 {
		parts = append(parts, fmt.Sprintf("▲ %d over budget: %s %s", len(broken), label(broken[0]), strings.Join(budgets(broken[0]), " · ")))
	}
	if p := c.state.Baseline.Problem; p != nil {
		parts = append(parts, problemTitle(*p))
	}
	if count[live.Unchanged]+count[live.Changed] == len(ks) {
		parts = append(parts, "vgpr "+span(ks, resource.VGPR))
	}
	switch {
	case ambiguous == len(ks):
		parts = append(parts, fmt.Sprintf("ambiguous: fit %d definitions", fits))
	case ambiguous > 0:
		parts = append(parts, fmt.Sprintf("%d ambiguous: fit %d definitions", ambiguous, fits))
	}
	l := lens{Title: strings.Join(parts, " · ")}
	if saved {
		l.Title = edited("edited since the last compile", l.Title)
	} else if stale {
		l.Title = edited("older than this file", l.Title)
	}
	l.Actions = c.statusLens(worst(ks)).Actions
	return l
}

// short cuts a label that would leave no room for the figures to so many characters.
func short(label string, width int) string {
	if runes := []rune(label); len(runes) > width {
		return string(runes[:width-1]) + "…"
	}
	return label
}

// breaking are the kernels without a comparison that break a budget: that of
// those with one makes them worse.
func breaking(ks []*live.Kernel) (all []*live.Kernel) {
	for _, k := range ks {
		if k.Status == live.NoBaseline && len(k.Broken) > 0 {
			all = append(all, k)
		}
	}
	return all
}

// span is the range of a figure over kernels that all have one: "18–49".
func span(ks []*live.Kernel, m resource.Metric) string {
	low, high := ks[0].Live.Cells[m], ks[0].Live.Cells[m]
	for _, k := range ks {
		c := k.Live.Cells[m]
		if c.State != resource.Known {
			return c.String()
		}
		if c.Value < low.Value {
			low = c
		}
		if c.Value > high.Value {
			high = c
		}
	}
	if low == high {
		return low.String()
	}
	return low.String() + "–" + high.String()
}

// variantWords are the parts of a line of several kernels, in order. What has a mark is
// told of its worst kernel, if nothing before it was, else counted.
var variantWords = []struct {
	status     live.Status
	mark, word string
	quiet      bool
	detail     func(*live.Kernel) string
}{
	{live.Worse, "▲", "worse", false, func(k *live.Kernel) string { return moves(k.Row, lensFigures-1, budgets(k)...) }},
	{live.Untrustworthy, "?", "untrustworthy", false, func(k *live.Kernel) string {
		if len(k.Problems) == 0 {
			return "a figure could not be read"
		}
		return untrustworthyTitle(k, problem.Gravest(k.Problems))
	}},
	{live.OneSided, "?", "one-sided", false, oneSidedTitle},
	{live.Compiling, "", "compiling …", false, nil},
	{live.Edited, "", "edited since", false, nil},
	{live.Better, "▼", "better", false, func(k *live.Kernel) string { return moves(k.Row, lensFigures-1) }},
	{live.Changed, "", "changed", true, nil},
	{live.Unchanged, "", "unchanged", true, nil},
	{live.NoBaseline, "", "without baseline", true, func(k *live.Kernel) string { return figures(k.Live, false) }},
	{live.Pending, "", pendingWords, false, nil},
}

// worst is the kernel that the commands of a line are for; live puts it first.
func worst(ks []*live.Kernel) *live.Kernel { return ks[0] }
