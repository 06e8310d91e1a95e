package lsp

import (
	"os"
	"runtime/debug"
	"sync"
	"time"
)

// How much garbage there may be for what is in use, in percent. A server that
// idles in an editor all day keeps little. While a whole tree is read again, the
// collector would take the processor from requests for some milliseconds at a
// time, so it is to wait for the end.
const (
	usualGarbage  = 60
	rescanGarbage = 200
)

// tidyTime is how long after the last scan the memory that it left goes back to
// the system, which takes the processor for a moment.
const tidyTime = time.Second

// memory sets how the collector works. The zero value is ready to use.
type memory struct {
	mu    sync.Mutex
	scans int // under way
	tidy  *time.Timer
	ended bool
}

// rescan begins to read a whole tree again; done ends it. The collector goes on as
// usual when nothing more was read for a while.
func (m *memory) rescan() (done func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.scans++; m.scans == 1 {
		setGarbage(rescanGarbage)
	}
	if m.tidy != nil {
		m.tidy.Stop()
	}
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.scans--; m.scans == 0 {
			m.tidySoon()
		}
	}
}

// scanned gives back what reading a whole tree left.
func (m *memory) scanned() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tidySoon()
}

// tidySoon begins to wait, or begins anew; m.mu is held.
func (m *memory) tidySoon() {
	if m.tidy != nil {
		m.tidy.Stop()
	}
	if !m.ended && m.scans == 0 {
		m.tidy = time.AfterFunc(tidyTime, func() {
			setGarbage(usualGarbage)
			debug.FreeOSMemory()
		})
	}
}

func (m *memory) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = true
	if m.tidy != nil {
		m.tidy.Stop()
	}
}

// setGarbage leaves alone what the user decided.
func setGarbage(percent int) {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent)
	}
}
