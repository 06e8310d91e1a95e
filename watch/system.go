package watch

import "time"

// A system is what the watcher asks of the operating system beyond plain files,
// and what tests put something else in place of.
type system struct {
	now func() time.Time
	// remote returns the name of the file system that path is on if that sends no
	// events for changes made on its far side, else "".
	remote func(path string) string
	// events makes the backend that needs no polling.
	events func(net time.Duration) (backend, error)
}

func (s system) withDefaults() system {
	if s.now == nil {
		s.now = time.Now
	}
	if s.remote == nil {
		s.remote = remoteFileSystem
	}
	if s.events == nil {
		s.events = newEventBackend
	}
	return s
}

// A pace is how often things are looked at.
type pace struct {
	settle  time.Duration // between two stats that must be equal
	recheck time.Duration // at most, of an incomplete file
	root    time.Duration // is the root still what is watched?
	net     time.Duration // sweep under events
	pollMin time.Duration // sweep without events
	pollMax time.Duration // the same, after a long time without changes
	suspend time.Duration // a root check that comes later than this: the machine was suspended
}

func (p pace) withDefaults() pace {
	orDefault(&p.settle, 50*time.Millisecond)
	orDefault(&p.recheck, time.Second)
	orDefault(&p.root, 2*time.Second)
	orDefault(&p.net, 30*time.Second)
	orDefault(&p.pollMin, time.Second)
	orDefault(&p.pollMax, 10*time.Second)
	orDefault(&p.suspend, 5*time.Second)
	return p
}
