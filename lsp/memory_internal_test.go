package lsp

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// A server that rests has no collections by time, but all others; the rest ends
// with them, and with a scan.
func TestMemory(t *testing.T) {
	if usersOwn() {
		t.Skip("GOGC or GOMEMLIMIT is set")
	}
	setting := func() (percent, limit uint64) {
		s := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/gomemlimit:bytes"}}
		metrics.Read(s)
		return s[0].Value.Uint64(), s[1].Value.Uint64()
	}
	before := debug.SetGCPercent(100)
	var m memory
	defer func() {
		m.end()
		debug.SetGCPercent(before)
	}()
	const off = math.MaxUint64
	check := func(what string, percent uint64) {
		t.Helper()
		p, limit := setting()
		if p != percent || (p == off) != (limit < math.MaxInt64) {
			t.Errorf("%s: %d %%, limit %d; want %d %%", what, p, limit, percent)
		}
	}
	m.begin()
	check("began", usualGarbage)
	m.rest()
	check("rests", off)
	done := m.rescan()
	check("reads again", off)
	m.rest()
	check("reads again, and its timer came late", off)
	done()
	check("was read a moment ago", off)
	m.rest()
	m.woken(1) // the one before, told late
	check("rests again", off)

	// The timer of what comes next must not hide that this ends the rest.
	var sink []byte
	for deadline := time.Now().Add(time.Minute); ; runtime.Gosched() {
		sink = make([]byte, 1<<20)
		if p, limit := setting(); p == usualGarbage && limit == math.MaxInt64 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("a rest does not end with a collection")
		}
	}
	_ = sink
	m.end()
	check("ended", usualGarbage)
	m.rest()
	check("ended, and its timer came late", usualGarbage)
}
