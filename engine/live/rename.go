package live

import (
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/locate"
	"isadiff/engine/resource"
)

// A renaming is a probable pair of one-sided kernels, by key.
type renaming struct {
	to   map[string]string // key in the baseline -> key in the dumps
	from map[string]string // and back
}

// of returns the counterparts of a couple.
func (r renaming) of(c diff.Couple) (to, from string) {
	if len(r.to) == 0 {
		return "", ""
	}
	if c.Before != nil {
		to = r.to[c.Before.Key]
	}
	if c.After != nil {
		from = r.from[c.After.Key]
	}
	return to, from
}

// renames looks for kernels that are only in the baseline and kernels that are
// only in the dumps and are probably the same under another name: those that
// came from one line of one file or from one definition, or else have the same
// instructions for the same target. Whatever fits more than one kernel of a side
// is not named.
func renames(rows []*diff.Row, s *sources) renaming {
	var lost, fresh []*resource.Record
	for _, row := range rows {
		switch {
		case row.After == nil:
			lost = append(lost, row.Before)
		case row.Before == nil:
			fresh = append(fresh, row.After)
		}
	}
	r := renaming{map[string]string{}, map[string]string{}}
	if len(lost) == 0 || len(fresh) == 0 {
		return r
	}
	sameDefinition := s.sameDefinition(fresh)
	for _, feature := range []func(*resource.Record) (likeness, bool){sameLine, sameDefinition, sameInstructions} {
		a, b := unique(lost, r.to, feature), unique(fresh, r.from, feature)
		for like, before := range a {
			if after := b[like]; before != nil && after != nil {
				r.to[before.Key], r.from[after.Key] = after.Key, before.Key
			}
		}
	}
	return r
}

// A likeness is what two kernels share that are the same under two names.
type likeness struct {
	processor string
	text      string // a source path or a digest
	line      int
}

// sameLine likens kernels whose topmost decorator stood on one line of one file.
func sameLine(r *resource.Record) (likeness, bool) {
	return likeness{r.Target.Processor, r.Origin.Path, r.Origin.Line}, r.Origin.Path != "" && r.Origin.Line > 0
}

// sameDefinition likens kernels that one definition stands for, whatever machine
// compiled them. It looks only for what can be defined in the files of the fresh
// ones, as most of what is pending cannot.
func (s *sources) sameDefinition(fresh []*resource.Record) func(*resource.Record) (likeness, bool) {
	name := func(r *resource.Record) string { return strings.ToLower(lastName(r.Origin.Path)) }
	files := make(map[string]bool, len(fresh))
	for _, r := range fresh {
		files[name(r)] = true
	}
	resolver := s.resolver()
	return func(r *resource.Record) (likeness, bool) {
		if r.Origin.Path == "" || r.Origin.Line <= 0 || !files[name(r)] {
			return likeness{}, false
		}
		at, ok := resolver.At(locate.Location{Path: r.Origin.Path, Line: r.Origin.Line})
		return likeness{r.Target.Processor, at.Path, at.Definition.Topmost + 1}, ok
	}
}

// sameInstructions likens kernels with equal bodies.
func sameInstructions(r *resource.Record) (likeness, bool) {
	return likeness{processor: r.Target.Processor, text: r.Digest}, r.Digest != ""
}

// unique finds the records that alone have their likeness; nil stands for those
// that share it. Records that are paired already are left out.
func unique(records []*resource.Record, paired map[string]string, feature func(*resource.Record) (likeness, bool)) map[likeness]*resource.Record {
	m := make(map[likeness]*resource.Record, len(records))
	for _, r := range records {
		like, ok := feature(r)
		if _, done := paired[r.Key]; done || !ok {
			continue
		}
		if _, shared := m[like]; shared {
			m[like] = nil
		} else {
			m[like] = r
		}
	}
	return m
}
