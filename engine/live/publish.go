package live

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"isadiff/engine/accept"
	"isadiff/engine/diff"
	"isadiff/engine/problem"
)

// publish makes the State of what the owner knows now and delivers it, unless it equals
// the last one.
func (o *owner) publish() {
	if !o.dirty || !o.ready() {
		return
	}
	o.dirty = false
	if today := accept.DateOf(o.cfg.Clock.Now()); o.compared.rules.Today != today {
		o.loadRules()
	}
	last := o.session.Current()
	next, changed := o.build(last)
	if !changed && sameFrame(last, next) {
		return
	}
	o.session.deliver(next)
}

// crashed is the State of a session after a crash: the last State, marked as not to be
// relied on.
func crashed(last *State, p problem.Problem) *State {
	s := *last
	s.Seq++
	s.distrust(p)
	return &s
}

// distrust adds problems that only a session knows.
func (s *State) distrust(ps ...problem.Problem) {
	if len(ps) == 0 {
		return
	}
	s.Problems = append(s.Problems[:len(s.Problems):len(s.Problems)], ps...)
	s.Verdict = diff.NotTrustworthy
	if s.Result != nil {
		r := *s.Result
		r.Problems, r.Verdict = s.Problems, s.Verdict
		s.Result = &r
	}
}

// build makes a State. changed reports whether a kernel or a source differs from
// the last one.
func (o *owner) build(last *State) (s *State, changed bool) {
	if o.cfg.Refused {
		return o.refused(last)
	}
	s = &State{Seq: last.Seq + 1, Ready: true, Live: o.dumps.side(), Dumps: o.mode, Baseline: o.baseline.state()}
	s.Dumps.Path, s.Dumps.Exists = o.cfg.Project.Dumps, !o.dumps.missing()
	s.Unread = o.compared.rules.Accepted.Faults
	before := o.baseline.side()
	if before != nil {
		o.compared.update(before.Records, s.Live.Records)
		compared := diff.Assemble(before, s.Live, o.compared.rows, diff.Options{Kernels: o.cfg.Project.Kernels, Pairs: o.cfg.Project.Pairs})
		s.Result = o.compared.rules.Apply(compared)
		s.Problems, s.Verdict = s.Result.Problems, s.Result.Verdict
		s.Warnings = slices.Clone(s.Result.Warnings)
	} else {
		o.compared.update(nil, s.Live.Records)
		standing := o.compared.rules.Side(o.shown(s.Live))
		s.Problems, s.Warnings, s.Verdict = standing.Problems, standing.Warnings, standing.Verdict
	}
	o.sources.age()
	s.Run = o.run()
	changes := o.renew(s.Result != nil && s.Result.Rows != nil, s.Run)
	s.Kernels = o.compared.kernels
	if s.Result != nil && len(o.compared.renamed) > 0 {
		paired := *s.Result
		paired.Renamed = o.compared.renamed
		s.Result = &paired
	}
	var moved bool
	s.Sources, moved = o.sources.attach(last.Sources, changes)
	for _, k := range s.Kernels {
		switch k.Status {
		case Pending:
			s.Pending++
		case Compiling:
			s.Compiling++
		}
		if len(k.Edited) > 0 {
			s.Edited++
		}
	}
	s.Warnings = slices.Concat(s.Warnings, otherSource(s.Kernels), o.dumps.displaced, o.sources.unread(), o.unwatched())
	s.distrust(o.edited(s)...)
	o.compiling(s, last)
	o.mark(s)
	return s, moved || len(changes) > 0
}

// unwatched warns of kernels whose edits the session cannot see.
func (o *owner) unwatched() []string {
	if o.cfg.NoSources || len(o.sources.files) == 0 {
		return nil // there is nothing to edit, as in a folder that only holds dumps
	}
	n, first := 0, ""
	for _, p := range o.compared.pairs {
		if p.unwatched {
			if n++; n == 1 {
				first = p.key()
			}
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("edits of %s are not noticed, such as of %s: its source is not found in the project; see the keys sources and path-map", problem.Count(n, "kernel"), first)}
}

// edited returns a problem for each source that was saved after kernels were compiled
// from it: their current figures are not known.
func (o *owner) edited(s *State) (ps []problem.Problem) {
	if s.Edited == 0 {
		return nil
	}
	kernels := map[string]int{}
	for _, k := range s.Kernels {
		for _, source := range k.Edited {
			kernels[source]++
		}
	}
	for _, source := range slices.Sorted(maps.Keys(kernels)) {
		p := problem.New(problem.SourceEdited, "%s was saved after the compile of %s, whose figures are those of the code before",
			source, problem.Count(kernels[source], "kernel")).In(source)
		if again := o.cfg.Project.Producer.Again; again != "" {
			p = p.Mended("%s", again)
		}
		ps = append(ps, p)
	}
	return ps
}

// sameFrame reports whether two States are equal apart from their kernels and sources.
func sameFrame(a, b *State) bool {
	return a.Ready == b.Ready && a.Verdict == b.Verdict && a.Dumps == b.Dumps &&
		reflect.DeepEqual(a.Baseline, b.Baseline) && reflect.DeepEqual(a.Run, b.Run) && slices.Equal(a.Problems, b.Problems) && slices.Equal(a.Invalid, b.Invalid) && slices.Equal(a.Warnings, b.Warnings) && slices.Equal(a.Unread, b.Unread) &&
		(a.Result == nil) == (b.Result == nil)
}
