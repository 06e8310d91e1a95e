package live

import (
	"reflect"
	"slices"

	"isadiff/engine/accept"
	"isadiff/engine/diff"
	"isadiff/engine/problem"
)

// publish makes the State of what the owner holds now and delivers it, unless
// it says the same as the last one.
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

// crashed is the State of a session that met something it does not understand:
// what it showed last, and that it cannot be relied on.
func crashed(last *State, p problem.Problem) *State {
	s := *last
	s.Seq++
	s.distrust(p)
	return &s
}

// distrust adds a problem that is the tool's own.
func (s *State) distrust(p problem.Problem) {
	s.Problems = append(s.Problems[:len(s.Problems):len(s.Problems)], p)
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
	s = &State{Seq: last.Seq + 1, Ready: true, Live: o.dumps.side(), Dumps: o.mode, Baseline: o.baseline.state()}
	s.Dumps.Path, s.Dumps.Exists = o.cfg.Project.Dumps, !o.dumps.missing()
	s.Unread = o.compared.rules.Accepted.Faults
	before := o.baseline.side()
	if before != nil {
		o.compared.update(before.Records, s.Live.Records)
		compared := diff.Assemble(before, s.Live, o.compared.values, diff.Options{Kernels: o.cfg.Project.Kernels})
		s.Result = o.compared.rules.Apply(compared)
		s.Problems, s.Verdict = s.Result.Problems, s.Result.Verdict
		s.Warnings = slices.Clone(s.Result.Warnings)
	} else {
		o.compared.update(nil, s.Live.Records)
		standing := o.compared.rules.Side(s.Live)
		s.Problems, s.Warnings, s.Verdict = standing.Problems, standing.Warnings, standing.Verdict
	}
	changes := o.recast(s.Result != nil && s.Result.Rows != nil)
	s.Kernels = o.cast.kernels
	if s.Result != nil && len(o.cast.renamed) > 0 {
		paired := *s.Result
		paired.Renamed = o.cast.renamed
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
	}
	s.Warnings = append(append(s.Warnings, overwritten(s.Kernels)...), o.dumps.displacements()...)
	if o.crash != nil {
		s.distrust(*o.crash)
	}
	return s, moved || len(changes) > 0
}

// sameFrame reports whether two States say the same besides their kernels and
// sources.
func sameFrame(a, b *State) bool {
	return a.Ready == b.Ready && a.Verdict == b.Verdict && a.Dumps == b.Dumps &&
		reflect.DeepEqual(a.Baseline, b.Baseline) && slices.Equal(a.Problems, b.Problems) && slices.Equal(a.Warnings, b.Warnings) && slices.Equal(a.Unread, b.Unread) &&
		(a.Result == nil) == (b.Result == nil)
}
