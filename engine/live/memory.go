package live

import "slices"

// A Memory is what only watching could tell a session that has ended: how its sources
// changed, what was overwritten, and which runs there were. A session of the same
// project under another configuration goes on with it.
type Memory struct {
	dumps   string
	folders map[string]*folder
	ran     pastRuns
	edits   edits
}

// Memory returns what a session knew when it ended. It waits for the end.
func (s *Session) Memory() *Memory {
	<-s.done
	return s.memory
}

// remember makes the memory of a session that ends.
func (o *owner) remember() *Memory {
	m := &Memory{dumps: o.dumps.root, folders: o.dumps.removed, ran: *o.dumps.ran, edits: o.sources.edits}
	for dir, f := range o.dumps.folders {
		if f.read != nil {
			m.folders[dir] = f
		}
	}
	return m
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
	if m.dumps == o.dumps.root {
		o.dumps.removed = m.folders
		o.dumps.ran.list = slices.Clone(m.ran.list)
	}
}
