package pysource

import (
	"bytes"
	"cmp"
	"slices"
)

// Rescan scans the new text of a file that was scanned before, for the same
// decorators. It is Scan, but while the quotes of the text do not pair up, as when
// a docstring is being typed, it keeps the old definitions in what did not change
// and moves them by the edit. It also keeps a definition whose decorator is being
// typed. Without an old File it is Scan.
func (d *Decorators) Rescan(old *File, oldText, newText []byte) *File {
	if old == nil || !old.sound {
		return d.Scan(newText)
	}
	if bytes.Equal(oldText, newText) {
		return old
	}
	f := d.Scan(newText)
	e := editBetween(oldText, newText)
	if !f.Doubtful {
		e.keepTyped(f, old, oldText, newText)
		return f
	}
	oldLines, newLines := LineStarts(oldText), LineStarts(newText)
	var kept []Definition
	touched := map[int]bool{} // old definitions whose headers were edited, by where they begin now
	for _, d := range old.Definitions {
		if at := topmost(d, oldText, oldLines); overlaps(e.start, e.oldEnd, at, d.Def.End.Offset) {
			touched[e.begin(d.Def.Start.Offset)] = true
		} else {
			kept = append(kept, e.move(d, at, newLines))
		}
	}
	for _, d := range f.Definitions {
		// A header whose end was lost may end before the edit now.
		if touched[d.Def.Start.Offset] || overlaps(e.start, e.newEnd, topmost(d, newText, newLines), d.Def.End.Offset) {
			kept = append(kept, d)
		}
	}
	slices.SortFunc(kept, func(a, b Definition) int {
		return cmp.Compare(a.Def.Start.Offset, b.Def.Start.Offset)
	})
	f.Definitions = kept
	f.Kernels = f.Kernels || len(kept) > 0
	f.sound = true
	return f
}

// An edit replaced the text from start to oldEnd by that from start to newEnd.
type edit struct {
	start, oldEnd, newEnd int
}

// editBetween returns the smallest edit that makes one text of the other.
func editBetween(oldText, newText []byte) edit {
	shorter := min(len(oldText), len(newText))
	start := 0
	for start < shorter && oldText[start] == newText[start] {
		start++
	}
	same := 0
	for same < shorter-start && oldText[len(oldText)-1-same] == newText[len(newText)-1-same] {
		same++
	}
	return edit{start, len(oldText) - same, len(newText) - same}
}

// overlaps reports whether an edit of the text from start to end touches what is
// between from and to.
func overlaps(start, end, from, to int) bool {
	return from < end && start < to || from < start && start < to
}

// topmost returns the offset of a definition's topmost decorator.
func topmost(d Definition, text []byte, lines Lines) int {
	return skipBlanks(text, lines[d.Topmost])
}

// begin returns where what began at an offset of the old text begins in the new
// one. What was typed exactly where something begins stands before it.
func (e edit) begin(offset int) int {
	switch {
	case offset >= e.oldEnd:
		return offset + e.newEnd - e.oldEnd
	case offset > e.start:
		return e.newEnd
	}
	return offset
}

// move returns a definition of the old text, whose header the edit left alone, as
// it stands in the new text.
func (e edit) move(d Definition, topmost int, lines Lines) Definition {
	begin := func(offset int) Position { return lines.Position(e.begin(offset)) }
	end := func(offset int) Position {
		if offset <= e.start {
			return lines.Position(offset)
		}
		return begin(offset)
	}
	span := func(r Range) Range { return Range{begin(r.Start.Offset), end(r.End.Offset)} }
	d.Topmost = begin(topmost).Line
	d.Decorator, d.Def, d.Ident, d.Body = span(d.Decorator), span(d.Def), span(d.Ident), span(d.Body)
	return d
}
