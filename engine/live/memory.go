package live

import (
	"slices"
	"time"

	"isadiff/engine/problem"
)

// A Memory is what only watching could tell a session that has ended: how its sources
// changed, what was overwritten, and which runs there were. A session of the same
// project under another configuration goes on with it.
type Memory struct {
	dumps      *tree
	edits      edits
	failed     []problem.Problem
	failedFrom time.Time
}

// Memory returns what a session knew when it ended. It waits for the end.
func (s *Session) Memory() *Memory {
	<-s.done
	return s.memory
}

// resume takes over what an earlier session knew. What stands in the dumps now took the
// place of what stood there.
func (o *owner) resume(m *Memory) {
	if m == nil {
		return
	}
	m.edits.name, m.edits.clock, m.edits.timeless = o.cfg.Project.Relative, o.cfg.Clock, o.cfg.IgnoreTimes
	m.edits.disconnect()
	o.sources.edits = m.edits
	if m.dumps.root != o.dumps.root {
		return
	}
	o.failed, o.failedFrom = m.failed, m.failedFrom
	// One that is under way is found again.
	o.dumps.ran = slices.DeleteFunc(slices.Clone(m.dumps.ran), func(r pastRun) bool { return r.until.IsZero() })
	for dir, d := range m.dumps.dirs {
		if d.read != nil && len(d.read.Records) > 0 {
			was := o.dumps.at(dir)
			was.read, was.expected, was.alone, was.variants = d.read, d.expected, d.alone, d.variants
			o.dumps.dirs[dir] = &was
		}
	}
}
