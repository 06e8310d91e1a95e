package pressure

import (
	"path"
	"strings"

	"isadiff/engine/producer"
)

// A SourceLine is a line of the program that a kernel was compiled from. The zero
// SourceLine means that the text names none.
type SourceLine struct {
	File string // as the debug information names it
	Line int    // 1-based
}

// framework reports whether a source file belongs to the framework or the
// standard library rather than to the author of a kernel. Kernels are traced
// through functools wrappers, whose lines explain nothing.
func framework(file string) bool {
	file = strings.ReplaceAll(file, `\`, "/")
	if path.Base(file) == "functools.py" || strings.HasPrefix(path.Base(file), "<frozen ") {
		return true
	}
	if producer.Builtin().IsLibrary(path.Dir(file)) {
		return true
	}
	parts := strings.Split(path.Dir(file), "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "python3") && i > 0 && (parts[i-1] == "lib" || parts[i-1] == "lib64") &&
			(i+1 == len(parts) || parts[i+1] != "site-packages" && parts[i+1] != "dist-packages") {
			return true // the standard library
		}
	}
	return false
}

// userSources returns for each source the same index if it is the user's, else
// 0. If none is the user's, all count: a kernel of the framework itself.
func (c *code) userSources() []int32 {
	user := make([]int32, len(c.sources))
	found := false
	for i, s := range c.sources {
		if i > 0 && !framework(s.File) {
			user[i], found = int32(i), true
		}
	}
	if !found {
		for i := range user {
			user[i] = int32(i)
		}
	}
	return user
}

// nearestSources puts every instruction on the nearest line of the user: its
// own, else the last one before it, else the first one after it.
func (c *code) nearestSources() {
	user := c.userSources()
	var last int32
	leading := 0 // instructions on framework lines before any user line
	for i := range c.instructions {
		ins := &c.instructions[i]
		if own := user[ins.source]; own != 0 {
			if last == 0 {
				for j := range leading {
					c.instructions[j].source = own
				}
			}
			last = own
		} else if last == 0 && ins.source != 0 {
			leading = i + 1
		}
		ins.source = last
	}
}

// A Line is what the instructions on one source line amount to.
type Line struct {
	Source        SourceLine
	Instructions  int
	SpillStores   int // sites of spill code near this line: it has no line of its own
	SpillLoads    int
	ScratchStores int // scratch_store* sites, spill code among them
	ScratchLoads  int
	LDSReads      int // ds_read*, ds_load*
	LDSWrites     int // ds_write*, ds_store*
	LDSDirect     int // loads that go straight to LDS
	VGPRs         int // the most live VGPRs at any of its instructions; 0 if they cannot be counted
	first         int
}

func (l *Line) add(ins *instruction) {
	l.Instructions++
	switch {
	case ins.site&scratchStore != 0:
		l.ScratchStores++
	case ins.site&scratchLoad != 0:
		l.ScratchLoads++
	case ins.site&ldsRead != 0:
		l.LDSReads++
	case ins.site&ldsWrite != 0:
		l.LDSWrites++
	}
	if ins.site&ldsDirect != 0 {
		l.LDSDirect++
	}
	switch ins.spillKind() {
	case SpillStore:
		l.SpillStores++
	case SpillLoad:
		l.SpillLoads++
	}
}

// A Spill tells whether an instruction is spill code.
type Spill uint8

// The kinds of spill code.
const (
	NoSpill Spill = iota
	SpillStore
	SpillLoad
)

func (ins *instruction) spillKind() Spill {
	switch {
	case !ins.spill:
	case ins.site&(scratchStore|bufferStore) != 0:
		return SpillStore
	case ins.site&(scratchLoad|bufferLoad) != 0:
		return SpillLoad
	}
	return NoSpill
}
