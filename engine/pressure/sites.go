package pressure

import "bytes"

// site notes what an instruction counts for on its source line.
func (d *decoder) site(ins *instruction, r *role, o *operands, rest, comment []byte) {
	ins.site = r.site &^ ldsIfToLDS
	if r.site&ldsIfToLDS != 0 && o.mods&toLDS != 0 {
		ins.site = ins.site&^bufferLoad | ldsDirect
	}
	if ins.site&(scratchStore|scratchLoad|bufferStore|bufferLoad) == 0 || ins.site&ldsDirect != 0 {
		return // spill code goes to scratch, from and to registers
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

// spillSites decides which instructions are spill code, and tells how sure that
// is. Spill code goes to scratch at a constant address; the compiler's comments
// mark it, where they are printed, but for a bundle of several they stand on its
// first instruction only. What stores exactly the dwords that the metadata
// counts is taken; else the sites are at most so many.
func (c *code) spillSites(count int, counted bool) Bound {
	byAddress := func(i *instruction) bool { return i.offStack }
	byComment := func(i *instruction) bool { return i.spill }
	pick, bound := byAddress, Exact
	switch {
	case counted && count == 0:
		pick = func(*instruction) bool { return false }
	case counted && c.storedDwords(byAddress) == count:
	case counted && c.marked && c.storedDwords(byComment) == count:
		pick = byComment
	case c.storedDwords(byAddress) > 0:
		bound = AtMost
	}
	for i := range c.instructions {
		c.instructions[i].spill = pick(&c.instructions[i])
	}
	return bound
}

// storedDwords sums what the picked stores write to scratch.
func (c *code) storedDwords(pick func(*instruction) bool) (n int) {
	for i := range c.instructions {
		if ins := &c.instructions[i]; ins.site&(scratchStore|bufferStore) != 0 && pick(ins) {
			n += int(ins.dwords)
		}
	}
	return n
}
