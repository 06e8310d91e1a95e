package pressure

import "bytes"

// site notes what an instruction counts for on its source line.
func (d *decoder) site(ins *instruction, r *role, o *operands, rest, comment []byte) {
	ins.site = r.site &^ ldsIfToLDS
	if r.site&ldsIfToLDS != 0 && o.mods&toLDS != 0 {
		ins.site = ldsDirect
	}
	if ins.site&(scratchStore|scratchLoad|bufferStore|bufferLoad) == 0 {
		return
	}
	if bytes.Contains(comment, []byte("Folded ")) {
		ins.spill, d.marked = true, true
	}
	data := o.at(0)
	pieces := bytes.SplitN(rest, []byte(","), 4)
	address := 1
	if ins.site == scratchStore {
		data, address = o.at(1), 0
	}
	if len(pieces) > address {
		ins.offStack = string(bytes.TrimSpace(pieces[address])) == "off"
	}
	for _, s := range data {
		ins.dwords += uint8(min(s.count, 64))
	}
	if ins.site&(bufferStore|bufferLoad) != 0 {
		ins.offStack = ins.offStack && len(pieces) > 3 && isPrivate(pieces[3])
	}
}

// isPrivate reports whether the offset of a buffer access is that of spill code:
// a scalar register or 0, a constant, and no other modifiers.
func isPrivate(offset []byte) bool {
	words := bytes.Fields(offset)
	return len(words) == 1 || len(words) == 2 && bytes.HasPrefix(words[1], []byte("offset:"))
}

// spillSites marks the instructions of spill code and tells how sure that is.
// The compiler's comments tell it where they are printed. Else spill code is
// what goes to scratch at a constant address, if the metadata counts any; it is
// told exactly if the dwords that are stored are those of that count.
func (c *code) spillSites(count int, counted bool) Bound {
	if c.marked {
		return Exact
	}
	if counted && count == 0 {
		return Exact
	}
	stored := 0
	for i := range c.instructions {
		ins := &c.instructions[i]
		if ins.spill = ins.offStack; ins.spill && ins.site&(scratchStore|bufferStore) != 0 {
			stored += int(ins.dwords)
		}
	}
	if stored == 0 || counted && stored == count {
		return Exact
	}
	return AtMost
}
