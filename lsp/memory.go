package lsp

import (
	"os"
	"runtime/debug"
	"sync"
	"time"
)

// How much garbage there may be for what is in use, in percent. A server that
// idles in an editor all day keeps little. While a whole tree is read, the
// collector would take a processor from the requests for some milliseconds at a
// time, again and again: it waits for the end.
const (
	idleGarbage = 60
	scanGarbage = 250
)

// tidyTime is how long after the last scan the memory that it left goes back to
// the system, which takes a processor for a moment.
const tidyTime = 3 * time.Second

// memory sets how the collector works. The zero value is ready to use.
type memory struct {
	mu    sync.Mutex
	scans int // under way
	tidy  *time.Timer
	ended bool
}

// scan begins to read a whole tree; done ends it.
func (m *memory) scan() (done func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.scans++; m.scans == 1 {
		setGarbage(scanGarbage)
	}
	if m.tidy != nil {
		m.tidy.Stop()
	}
	return sync.OnceFunc(m.scanned)
}

func (m *memory) scanned() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.scans--; m.scans > 0 {
		return
	}
	setGarbage(idleGarbage)
	if !m.ended {
		m.tidy = time.AfterFunc(tidyTime, debug.FreeOSMemory)
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
