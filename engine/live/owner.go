package live

import (
	"crypto/sha256"
	"slices"
	"time"

	"isadiff/engine/accept"
	"isadiff/engine/gate"
	"isadiff/engine/problem"
)

// An owner holds all that a session knows. Only the session's goroutine touches
// it.
type owner struct {
	session *Session
	cfg     Config

	dumps    *tree
	baseline *baseline
	sources  *sources

	mode       Dumps           // how the dumps are watched
	orders     map[*Order]bool // that have not ended
	compared   comparison
	dirty      bool              // something changed since the last State
	invalid    []problem.Problem // see [Session.Distrust]
	failed     []problem.Problem // see [Order.End]
	failedFrom time.Time         // when that run began
	undone     [sha256.Size]byte // of the baseline that the last undo took away; zero if that was put back
	crash      *problem.Problem  // why what the owner knows cannot be relied on; nil if it can
	alarm      func()            // stops the timer that looks after compiles under way
	dayEnd     func()            // stops the one that reads the rules again the next day
}

func newOwner(cfg Config, s *Session) *owner {
	after := cfg.After
	cfg.After = nil // which would hold all sessions before
	o := &owner{
		session:  s,
		orders:   map[*Order]bool{},
		cfg:      cfg,
		dumps:    newTree(cfg.Project.Dumps, cfg),
		baseline: newBaseline(cfg),
		sources:  newSources(cfg),
	}
	o.resume(after)
	o.dumps.edits, o.dumps.look = &o.sources.edits, o.sources.look
	o.compared.orders = cfg.Project.Pairs
	o.loadRules()
	return o
}

// loadRules reads what the project allows: accepted regressions and budgets. Some
// of it ends with a day, and then so does the State that rests on it.
func (o *owner) loadRules() {
	now := o.cfg.Clock.Now()
	rules := gate.Load(o.cfg.Project, accept.DateOf(now))
	o.compared.judge(rules)
	o.dirty = true
	stop(&o.dayEnd)
	ends := func(e accept.Entry) bool { return e.Until != "" && !e.Expired(rules.Today) }
	if slices.ContainsFunc(rules.Accepted.Entries, ends) {
		year, month, day := now.Date()
		tomorrow := time.Date(year, month, day+1, 0, 0, 0, 0, now.Location())
		o.dayEnd = o.cfg.Clock.AfterFunc(tomorrow.Sub(now), func() { o.session.post((*owner).loadRules) })
	}
}

func (o *owner) close() {
	stop(&o.alarm)
	stop(&o.dayEnd)
}

// stop stops a timer, if one is set.
func stop(timer *func()) {
	if *timer != nil {
		(*timer)()
		*timer = nil
	}
}

// ready reports whether every input was heard of: before that a verdict would
// be about a part.
func (o *owner) ready() bool {
	return (o.cfg.Refused || o.dumps.heard && o.baseline.heard) && (o.sources.heard || o.cfg.NoSources)
}

func (o *owner) dumpsChanged(c Batch) {
	o.dumps.apply(c)
	o.dirty = true
	o.watchCompiles()
}

func (o *owner) baselineChanged(c Batch) {
	o.baseline.apply(c)
	o.dirty = true
	o.watchCompiles()
}

func (o *owner) sourcesChanged(c Batch) {
	o.sources.apply(c)
	o.retell()
}

// retell judges again what depends on when the sources changed.
func (o *owner) retell() {
	o.dumps.retell()
	if o.baseline.dumps != nil {
		o.baseline.dumps.retell()
	}
	o.dirty = true
}

func (o *owner) setMode(polling bool, reason string) {
	if o.mode.Polling != polling || o.mode.Reason != reason {
		o.mode.Polling, o.mode.Reason = polling, reason
		o.dirty = true
	}
}

func (o *owner) reload(force bool) {
	if !o.cfg.Refused {
		o.dumps.reload(force)
		o.baseline.reload(force)
	}
	o.sources.reload(force)
	o.loadRules()
	o.retell()
	o.watchCompiles()
}

// watchCompiles sets the timer for the next moment at which a compile under way
// would count as failed, in the dumps or in a baseline that is a tree.
func (o *owner) watchCompiles() {
	stop(&o.alarm)
	now := o.cfg.Clock.Now()
	again := soonest(o.dumps.expire(now), o.baseline.expire(now))
	if again.IsZero() {
		return
	}
	o.alarm = o.cfg.Clock.AfterFunc(again.Sub(now), func() {
		o.session.post(func(o *owner) {
			o.dirty = true
			o.watchCompiles()
		})
	})
}
