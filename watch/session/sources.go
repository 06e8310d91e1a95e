package session

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"isadiff/engine/live"
	"isadiff/engine/project"
	"isadiff/watch"
)

// sourcesOf is the interest in a project's sources: the files that
// [project.Config.FindSources] lists, and what decides which they are.
func sourcesOf(c *project.Config) watch.Interest {
	interest := watch.Sources(c.Producers)
	tools := interest.SkipDir
	interest.SkipDir = func(dir string) bool {
		return tools(dir) || dir == c.Dumps || dir == c.Baseline || !c.IsSourceFolder(dir)
	}
	interest.Rules = append(interest.Rules, watch.Rule{Name: project.IgnoreFile, Empty: true})
	return interest
}

// sources joins what the watchers of a project's sources say, so that the session
// hears of its sources when all roots were looked at.
type sources struct {
	session *Session
	project *project.Config
	begin   func(context.Context, string, watch.Interest) *pump
	looked  func()        // see Options; may be nil
	saved   func()        // see Options; may be nil
	ignored chan struct{} // holds one token after what git ignores has changed

	turn   sync.RWMutex // held to replace the pumps, shared to use them
	pumps  []*pump
	cancel context.CancelFunc
	wait   sync.WaitGroup // for the pumps

	mu      sync.Mutex
	due     bool           // what git ignores has changed, and the roots are not being looked at anew yet
	look    int            // how often the roots were looked at anew
	missing int            // roots that were not heard of in this look
	heard   live.Batch     // what is handed on when none is missing
	known   map[string]int // the files that were handed on, with the look that showed them
}

func newSources(s *Session, o Options, begin func(context.Context, string, watch.Interest) *pump) *sources {
	return &sources{session: s, project: o.Project, begin: begin, looked: o.Looked, saved: o.Saved, ignored: make(chan struct{}, 1), known: map[string]int{}}
}

// watch starts a watcher of each root.
func (s *sources) watch(ctx context.Context) {
	ctx, s.cancel = context.WithCancel(ctx)
	// What was found in a look that was broken off is found again, what is gone is not.
	s.look, s.missing, s.heard, s.pumps = s.look+1, len(s.project.Sources), live.Batch{Removed: s.heard.Removed}, nil
	for _, root := range s.project.Sources {
		p, take := s.begin(ctx, root, sourcesOf(s.project)), s.take()
		s.pumps = append(s.pumps, p)
		s.wait.Go(func() { p.run(take) })
	}
}

// run looks at the roots anew when what git ignores has changed. It ends with ctx,
// after the pumps.
func (s *sources) run(ctx context.Context) {
	for {
		select {
		case <-s.ignored:
			s.turn.Lock()
			s.cancel()
			s.wait.Wait()
			s.mu.Lock()
			s.due = false
			s.mu.Unlock()
			s.watch(ctx)
			s.turn.Unlock()
		case <-ctx.Done():
			s.cancel()
			s.wait.Wait()
			return
		}
	}
}

// rescan lets the watchers look at everything and waits for what they say, also of
// what git no longer ignores.
func (s *sources) rescan(ctx context.Context) error {
	for {
		due, err := s.rescanned(ctx)
		if err != nil || !due {
			return err
		}
	}
}

// rescanned is one rescan; due says that the roots are to be looked at anew after it.
func (s *sources) rescanned(ctx context.Context) (due bool, err error) {
	s.turn.RLock()
	defer s.turn.RUnlock()
	for _, p := range s.pumps {
		if err := p.rescan(ctx); err != nil {
			return false, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.due, nil
}

// take returns what takes the batches of one root.
func (s *sources) take() func(watch.Batch) {
	first := true
	return func(b watch.Batch) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !first && ignores(b) {
			s.lookAgain()
		}
		if !first && s.saved != nil && s.tells(b) {
			s.saved()
		}
		s.enter(b)
		if first {
			first = false
			if s.missing--; s.missing == 0 {
				if s.looked != nil && s.look > 1 {
					s.looked()
				}
				s.forget()
			}
		}
		if s.missing == 0 {
			c := s.heard
			s.heard = live.Batch{}
			s.session.SourcesChanged(c)
		}
	}
}

// again lets run look at the roots anew.
func (s *sources) again() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lookAgain()
}

// lookAgain is again with s.mu held.
func (s *sources) lookAgain() {
	s.due = true
	select {
	case s.ignored <- struct{}{}:
	default: // it will
	}
}

// ignores reports whether a batch tells of what git ignores. Files become sources by
// that, or are none any longer, without an event of their own.
func ignores(b watch.Batch) bool {
	return slices.ContainsFunc(b.Settled, func(f watch.Settled) bool { return filepath.Base(f.Path) == project.IgnoreFile }) ||
		slices.ContainsFunc(b.Removed, func(path string) bool { return filepath.Base(path) == project.IgnoreFile })
}

// tells reports whether a batch tells of a source that changed, came or went.
func (s *sources) tells(b watch.Batch) bool {
	return slices.ContainsFunc(b.Settled, func(f watch.Settled) bool { return s.project.IsSource(f.Path) }) ||
		slices.ContainsFunc(b.Removed, func(path string) bool { return s.known[path] != 0 })
}

// enter adds what a batch says of sources to what is handed on next.
func (s *sources) enter(b watch.Batch) {
	c := change(b)
	for _, path := range c.Removed {
		delete(s.known, path)
	}
	s.heard.Settled = slices.DeleteFunc(s.heard.Settled, func(f live.Settled) bool { return s.known[f.Path] == 0 })
	s.heard.Removed = append(s.heard.Removed, c.Removed...)
	for _, f := range c.Settled {
		if s.project.IsSource(f.Path) {
			s.known[f.Path] = s.look
			s.heard.Settled = append(s.heard.Settled, f)
		}
	}
	s.heard.Removed = slices.DeleteFunc(s.heard.Removed, func(path string) bool { return s.known[path] != 0 })
	for _, f := range c.Touched {
		if s.project.IsSource(f.Path) {
			s.heard.Touched = append(s.heard.Touched, f)
		}
	}
	s.heard.Problems = append(s.heard.Problems, c.Problems...)
}

// forget removes the files that are no sources any longer, or went while nobody
// watched.
func (s *sources) forget() {
	for path, look := range s.known {
		if look == s.look {
			continue
		}
		if _, err := os.Lstat(path); err == nil && s.project.IsSource(path) {
			continue // it is being written
		}
		delete(s.known, path)
		s.heard.Removed = append(s.heard.Removed, path)
	}
	slices.Sort(s.heard.Removed)
}
