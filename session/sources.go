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

// ignoreFile names what git ignores in a folder. Where one changes, files become
// sources or are none any longer without an event of their own.
const ignoreFile = ".gitignore"

// sourcesOf is the interest in a project's sources: the files that
// [project.Config.FindSources] lists, and what decides which they are.
func sourcesOf(c *project.Config) watch.Interest {
	interest := watch.Sources(c.Producers)
	tools := interest.SkipDir
	interest.SkipDir = func(dir string) bool {
		return tools(dir) || dir == c.Dumps || dir == c.Baseline || !c.IsSource(filepath.Join(dir, "isadiff_probe.py"))
	}
	interest.Rules = append(interest.Rules, watch.Rule{Name: ignoreFile, Empty: true})
	return interest
}

// sources joins what the watchers of a project's sources say, so that the session
// hears of its sources when all roots were looked at.
type sources struct {
	session *Session
	project *project.Config
	begin   func(context.Context, string, watch.Interest) *pump
	ignored chan struct{} // holds one token after an ignoreFile has changed

	turn   sync.RWMutex // held to replace the pumps, shared to use them
	pumps  []*pump
	cancel context.CancelFunc
	wait   sync.WaitGroup // for the pumps

	mu      sync.Mutex
	look    int            // how often the roots were looked at anew
	missing int            // roots that were not heard of in this look
	heard   live.Change    // what is handed on when none is missing
	known   map[string]int // the files that were handed on, with the look that showed them
}

func newSources(s *Session, p *project.Config, begin func(context.Context, string, watch.Interest) *pump) *sources {
	return &sources{session: s, project: p, begin: begin, ignored: make(chan struct{}, 1), known: map[string]int{}}
}

// watch starts a watcher of each root.
func (s *sources) watch(ctx context.Context) {
	ctx, s.cancel = context.WithCancel(ctx)
	s.look, s.missing, s.heard, s.pumps = s.look+1, len(s.project.Sources), live.Change{}, nil
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
			s.watch(ctx)
			s.turn.Unlock()
		case <-ctx.Done():
			s.cancel()
			s.wait.Wait()
			return
		}
	}
}

// rescan lets the watchers look at everything and waits for what they say.
func (s *sources) rescan(ctx context.Context) error {
	s.turn.RLock()
	defer s.turn.RUnlock()
	for _, p := range s.pumps {
		if err := p.rescan(ctx); err != nil {
			return err
		}
	}
	return nil
}

// take returns what takes the batches of one root.
func (s *sources) take() func(watch.Batch) {
	first := true
	return func(b watch.Batch) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !first && ignores(b) {
			s.again()
		}
		s.enter(b)
		if first {
			first = false
			if s.missing--; s.missing == 0 {
				s.forget()
			}
		}
		if s.missing == 0 {
			c := s.heard
			s.heard = live.Change{}
			s.session.SourcesChanged(c)
		}
	}
}

// again lets run look at the roots anew.
func (s *sources) again() {
	select {
	case s.ignored <- struct{}{}:
	default: // it will
	}
}

// ignores reports whether a batch tells of an ignoreFile.
func ignores(b watch.Batch) bool {
	return slices.ContainsFunc(b.Settled, func(f watch.Settled) bool { return filepath.Base(f.Path) == ignoreFile }) ||
		slices.ContainsFunc(b.Removed, func(path string) bool { return filepath.Base(path) == ignoreFile })
}

// enter adds what a batch says of sources to what is handed on next.
func (s *sources) enter(b watch.Batch) {
	c := change(b)
	for _, path := range c.Removed {
		delete(s.known, path)
	}
	s.heard.Settled = slices.DeleteFunc(s.heard.Settled, func(f live.File) bool { return s.known[f.Path] == 0 })
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
// watched. What an editor holds of a file that git ignores does not count either.
func (s *sources) forget() {
	for path, look := range s.known {
		if look == s.look {
			continue
		}
		if !s.project.IsSource(path) {
			s.session.ClearOverlay(path)
		} else if _, err := os.Lstat(path); err == nil {
			continue // it is being written
		}
		delete(s.known, path)
		s.heard.Removed = append(s.heard.Removed, path)
	}
	slices.Sort(s.heard.Removed)
}
