package live

import (
	"maps"
	"slices"
	"time"

	"isadiff/engine/dump"
)

// A phase is how far the compile into a directory has come.
type phase uint8

const (
	absent    phase = iota // nothing of a compile is there
	beginning              // a first compile is under way: there is nothing to show
	compiling              // another compile is under way: the figures are those of the last one
	standing               // the figures are those of what was read
	failed                 // a compile began and left nothing: the figures are those of the one before
)

// underWay reports whether a compile may still write.
func (p phase) underWay() bool { return p == beginning || p == compiling }

// shown reports whether there are figures of the directory.
func (p phase) shown() bool { return p >= compiling }

// An event is what happened to a directory.
type event struct {
	happening
	settled times        // which files settled, and when they were written
	folder  *dump.Folder // of wasRead: what the directory holds; nil for nothing
	origin  bool         // of wasRead: the first file of a compile is there
	written time.Time    // when something was last written into it, if that matters; else zero
	rest    bool         // of wasRead: nothing is being written, whatever has settled
	whole   bool         // of wasRead: nothing was known of the tree before
}

type happening uint8

const (
	hasChanged happening = iota // files settled or went, or what is there is not known
	wasRead
	timePassed
)

// An action is what to do about a directory.
type action struct {
	doing
	until time.Time // of waiting
}

type doing uint8

const (
	doNothing doing = iota // nothing
	doRead                 // read it, as far as it has settled
	doReadAll              // read it as it is
	doWait                 // look at it again at until
	doShow                 // show what it holds now
	doForget               // show nothing of it
)

// step returns what becomes of a directory, and what to do about it. It reads no file
// and no clock.
func step(cfg *Config, d directory, e event, now time.Time) (next directory, do action) {
	switch e.happening {
	case hasChanged:
		d.expect(cfg, e.settled)
		told := times{}
		maps.Copy(told, d.told)
		maps.Copy(told, e.settled)
		d.told = told
		return d, action{doing: doRead}
	case timePassed:
		if !d.underWay() {
			return d, action{}
		}
		if end := d.lastWritten(e.written, now).Add(cfg.Quiet); end.After(now) {
			return d, action{doWait, end}
		}
		return d, action{doing: doReadAll}
	}

	if e.whole {
		// Only a session before saw it being written.
		d.told, d.expected = e.settled, d.expected && d.phase == absent
	}
	active := now.Sub(d.lastWritten(e.written, now)) < cfg.Quiet
	if e.folder == nil {
		if e.origin && active {
			d.phase = beginning
			return d, action{doing: doShow}
		}
		d.phase, d.told, d.expected = absent, nil, d.expected && e.origin
		return d, action{doing: doForget}
	}
	if !e.rest && !d.hasSettled(e.folder) {
		if d.shown() {
			d.phase = compiling
		} else {
			d.phase = beginning
		}
		return d, action{doing: doShow}
	}
	was := d.phase
	d.phase, d.read = standing, e.folder
	newer := e.folder.Origin.Sub(e.folder.LastAssembly())
	begun := !e.folder.Origin.IsZero() && newer > 0
	switch {
	case (begun && (newer > dump.Tolerance || d.expected) || e.folder.Missing() != "") && active:
		// Something was written a short while ago. A first file that the session saw
		// being written counts to the moment, another one with the tolerance that copied
		// trees need.
		d.phase = compiling
	case e.whole && len(e.folder.Problems) > 0 && !d.told.all(e.folder):
		d.phase = compiling // it is damaged, and the watcher waits for its end
	case !begun:
		d.expected = false
	case d.expected && (was == compiling || was == failed || was == absent && e.whole):
		d.phase = failed // reading it again does not tell: the times are too near to each other
	}
	if !d.underWay() {
		d.told = nil
	}
	return d, action{doing: doShow}
}

// expect notes that a compile has begun whose assembly is not there yet: its
// 00_origin.mlir settled by itself. Where both settled together the compile has
// ended, or the directory was copied, and which is newer says little.
func (d *directory) expect(cfg *Config, settled times) {
	for name := range settled {
		if cfg.Project.Producers.IsAssembly(name) {
			d.expected = false
			return
		}
		d.expected = d.expected || cfg.Project.Producers.IsOrigin(name)
	}
}

// lastWritten returns when a directory was last written into. A time of the future
// says no more than that it was before it was found.
func (d *directory) lastWritten(at, now time.Time) time.Time {
	if !at.After(now) {
		return at
	}
	if !d.future.Equal(at) {
		d.future, d.found = at, now
	}
	return d.found
}

// hasSettled reports whether all assembly files that count are such as have settled,
// now or before. A file that no batch has named is still being written.
func (d *directory) hasSettled(read *dump.Folder) bool {
	return read.Missing() == "" && !slices.ContainsFunc(read.Counting(), func(s dump.Stage) bool {
		return !s.ModTime.IsZero() && !(d.shown() && d.has(s)) && !d.told.has(s)
	})
}

// times are the modification times of files of one directory that settled.
type times map[string]time.Time

// has reports whether a file settled as it is.
func (ts times) has(s dump.Stage) bool {
	at, ok := ts[s.Name]
	return ok && at.Equal(s.ModTime)
}

// all reports whether all assembly files of a directory that count have settled once.
func (ts times) all(read *dump.Folder) bool {
	return !slices.ContainsFunc(read.Counting(), func(s dump.Stage) bool { _, ok := ts[s.Name]; return !ok })
}
