package pressure

// An instruction is what liveness needs to know about one, and where it stands.
type instruction struct {
	line, source int32  // of the assembly; index into the body's sources
	spans        uint32 // where its spans start in the pool: those written, then those read
	defs, uses   uint32 // how many of each
	call         int32  // index into the body's calls, -1 if it is none
	flow         flow
	site         site
	dwords       uint8 // that a store to or a load from scratch moves; 0 if unknown
	made         bool  // by the compiler, for no source line of its own
	spill        bool  // marked as spill code by the compiler's comment
	offStack     bool  // its address is a constant or the stack pointer's offset
}

// assign appends the registers that an instruction of role r with operands o
// writes and reads, and returns how many of each.
func assign(pool []span, r *role, o *operands) (_ []span, defs, uses int) {
	start := len(pool)
	written, readFrom := 1, 1 // operands 0..written are written, those from readFrom on read
	form := r.form
	if r.load && o.mods&toLDS != 0 {
		form = noneWritten
	}
	merge := r.accumulate
	switch n := o.len(); form {
	case noneWritten:
		written, readFrom = 0, 0
	case twoWritten:
		if n >= 4 {
			written, readFrom = 2, 2
		}
	case bothExchanged:
		written, readFrom = 2, 0
	case compare:
		if n < 3 {
			written, readFrom = 0, 0
		}
	case atomic:
		if o.mods&returnsOld == 0 {
			written, readFrom = 0, 0
		}
	case atomicInPlace:
		readFrom = 0
		if o.mods&returnsOld == 0 {
			written = 0
		}
	case stackPush:
		written = 2
	case interpolate:
		merge = n == 3
	}
	pool = append(pool, o.from(0, written)...)
	if form == rayStack {
		if list := o.at(1); len(list) >= 4 {
			pool = append(pool, list[2], list[3])
		}
	}
	if r.result != 0 || r.bySel {
		pool, merge = writeHalf(pool, start, r, o, merge)
	} else if partial(r, o) {
		merge = true
	}
	if written == 0 {
		merge = false
	}
	defs = len(pool) - start
	if merge && readFrom > 0 {
		pool = append(pool, o.at(0)...)
	}
	from := len(pool)
	pool = append(pool, o.rest(readFrom)...)
	if r.data != 0 {
		readHalf(pool[from:], r, o)
	}
	return pool, defs, len(pool) - start - defs
}

// partial reports whether lanes or bits of the first operand keep their value.
func partial(r *role, o *operands) bool {
	if o.mods&(statusWord|keepsUnused) != 0 {
		return true
	}
	if first := o.at(0); len(first) == 0 || first[0].file == sgpr {
		return false // a mask of lanes is written as a whole
	}
	return (r.dpp || o.mods&crossLane != 0) && (o.mods&boundControl == 0 || o.mods&lanesMasked != 0)
}

// writeHalf narrows the first written register to the half that is written. An
// AGPR is written as a whole, the other half merged in.
func writeHalf(pool []span, start int, r *role, o *operands, merge bool) ([]span, bool) {
	if start >= len(pool) || pool[start].count != 1 {
		return pool, merge
	}
	half := r.result
	if r.bySel {
		half = low
		if o.mods&opSelHigh != 0 {
			half = high
		}
	}
	switch first := &pool[start]; {
	case first.file == agpr:
		return pool, true
	case first.file == vgpr && first.half == both:
		first.half = half
	}
	return pool, merge
}

// readHalf narrows the stored data in the registers read to the half that is
// stored.
func readHalf(uses []span, r *role, o *operands) {
	before := len(o.from(0, int(r.dataAt)))
	if data := o.at(int(r.dataAt)); len(data) != 1 || before >= len(uses) {
		return
	}
	if data := &uses[before]; data.file == vgpr && data.count == 1 && data.half == both {
		data.half = r.data
	}
}
