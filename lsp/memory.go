package lsp

import (
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
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

// How long after the last scan, and after a collection that something else made
// necessary, the server rests: memory goes back to the system, which takes the
// processor for a moment, and then the collector is left alone.
const (
	restAfterScan = time.Second
	restAfterWork = 30 * time.Second
)

// How many bytes of garbage there may be in any case, while the server rests and
// while it reads a tree again.
const (
	leastAtRest   = 4 << 20
	leastOfRescan = 128 << 20
)

// memory sets how the collector works, unless the user did. The zero value is
// ready to use.
type memory struct {
	mu      sync.Mutex
	scans   int // under way
	soon    *time.Timer
	rests   int // so far
	resting bool
	ended   bool
}

// begin has the collector work as usual.
func (m *memory) begin() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.use(usualGarbage)
}

// rescan begins to read a whole tree again; done ends it.
func (m *memory) rescan() (done func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.scans++; m.scans == 1 {
		m.resting = false
		m.postpone(rescanGarbage, leastOfRescan)
	}
	m.stay()
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.scans--
		m.restIn(restAfterScan)
	}
}

// scanned tells that a whole tree was read for the first time.
func (m *memory) scanned() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.restIn(restAfterScan)
}

func (m *memory) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = true
	m.stay()
	m.use(usualGarbage)
}

// use lets the collector work by what is in use; m.mu is held.
func (m *memory) use(percent int) {
	if usersOwn() {
		return
	}
	m.resting = false
	debug.SetGCPercent(percent)
	debug.SetMemoryLimit(math.MaxInt64)
}

// postpone lets a limit of memory, and not what is in use, start the next
// collection: at so much garbage, in percent of what is in use and in bytes at
// least. m.mu is held.
func (m *memory) postpone(percent, least uint64) {
	if usersOwn() {
		return
	}
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(s)
	live, mapped := s[0].Value.Uint64(), s[1].Value.Uint64()-s[2].Value.Uint64()
	debug.SetMemoryLimit(int64(mapped + max(live/100*percent, least)))
	debug.SetGCPercent(-1)
}

// stay puts rest off until restIn; m.mu is held.
func (m *memory) stay() {
	if m.soon != nil {
		m.soon.Stop()
	}
}

// restIn begins to wait for rest, or begins anew; m.mu is held.
func (m *memory) restIn(d time.Duration) {
	m.stay()
	if m.scans == 0 && !m.ended {
		m.soon = time.AfterFunc(d, m.rest)
	}
}

// rest gives memory back. Then the runtime would collect every two minutes
// (forcegcperiod in runtime/proc.go), which with 10,000 dumps is more work than
// all else that an idle server does. It does not while a limit of memory and not
// what is in use starts the next collection, which is the end of the rest.
func (m *memory) rest() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.scans > 0 || m.ended {
		return
	}
	m.use(usualGarbage)
	debug.FreeOSMemory()
	if usersOwn() {
		return
	}
	m.resting = true
	m.rests++
	m.postpone(usualGarbage, leastAtRest)
	type sentinel [16]byte
	this := m.rests
	runtime.SetFinalizer(new(sentinel), func(*sentinel) { m.woken(this) }) // runs after the next collection
}

// woken ends a rest if that is still the one.
func (m *memory) woken(rest int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.resting && m.rests == rest {
		m.use(usualGarbage)
		m.restIn(restAfterWork)
	}
}

// usersOwn reports whether the user decided how the collector works.
func usersOwn() bool { return os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" }
