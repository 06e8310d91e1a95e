package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// economyLimit is how much memory a command that reads a tree and ends may take
// before collecting garbage is worth the time. It leaves room for the files being
// read below 64 MiB in all.
const economyLimit = 44 << 20

// shortLived sets the garbage collector up for a command that reads a tree and
// ends: a tree of a thousand directories is read without collecting anything. If
// what is held comes near the limit, which takes tens of thousands of kernels,
// the limit would mean collecting all the time, so it is lifted.
func shortLived() {
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(economyLimit)
	type sentinel [16]byte
	var collected func(*sentinel)
	collected = func(*sentinel) { // after each collection
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		if live[0].Value.Uint64() > economyLimit*3/4 {
			debug.SetMemoryLimit(math.MaxInt64)
			debug.SetGCPercent(50)
			return
		}
		runtime.SetFinalizer(new(sentinel), collected)
	}
	runtime.SetFinalizer(new(sentinel), collected)
}
