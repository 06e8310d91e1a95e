package live

import (
	"errors"
	"fmt"
	"slices"

	"isadiff/engine/diff"
	"isadiff/engine/dump"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// Distrust says why nothing of the session can be called OK, as while its
// configuration cannot be used: what it shows stays, marked. With no reason all is
// well again.
func (s *Session) Distrust(reasons []problem.Problem) {
	s.post(func(o *owner) {
		if !slices.Equal(o.invalid, reasons) {
			o.invalid, o.dirty = reasons, true
		}
	})
}

// refused is the State of a session that compares nothing, since it is not known
// what: its sources, and why.
func (o *owner) refused(last *State) (s *State, changed bool) {
	s = &State{Seq: last.Seq + 1, Ready: true, Refused: true, Live: &resource.Side{}, Verdict: diff.NotTrustworthy}
	s.Sources, changed = o.sources.attach(last.Sources, nil)
	o.mark(s)
	return s, changed
}

// mark adds to a State why it cannot be relied on.
func (o *owner) mark(s *State) {
	s.Invalid = o.invalid
	for _, p := range o.invalid {
		if !slices.Contains(s.Problems, p) { // budgets may be among them already
			s.distrust(p)
		}
	}
	if len(o.failed) > 0 && dump.WholeSince(o.cfg.Project.Dumps, o.failedFrom) {
		o.failed = nil // by the capture of another process
	}
	if s.Run == nil && len(o.failed) > 0 { // else it may have been mended
		s.Failed = o.failed
		// The mark that the run left says the same again.
		s.Problems = slices.DeleteFunc(slices.Clone(s.Problems), func(p problem.Problem) bool {
			return p.Code == problem.CaptureIncomplete && p.File == dump.IncompleteName && p.Side != diff.SideBefore
		})
		s.distrust(o.failed...)
	}
	if o.crash != nil {
		s.distrust(*o.crash)
	}
}

// ErrInvalid is why a command refuses while the configuration cannot be used.
var ErrInvalid = errors.New("the configuration cannot be used")

// valid returns an error while the configuration cannot be used: what a command
// would read or write is not known then.
func (o *owner) valid() error {
	if len(o.invalid) > 0 {
		return fmt.Errorf("%w: %w", ErrInvalid, o.invalid[0])
	}
	return nil
}

// shown is the live side as what it says alone rests on: one without a kernel that
// counts is no side without a problem.
func (o *owner) shown(s *resource.Side) *resource.Side {
	if len(s.Records) > 0 || len(s.Problems) > 0 {
		return s
	}
	empty := *s
	empty.Problems = []problem.Problem{o.cfg.Project.Kernels.Unmatched(s.Origin, s).In(s.Origin)}
	return &empty
}
