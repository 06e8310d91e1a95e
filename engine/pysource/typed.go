package pysource

import (
	"cmp"
	"slices"
	"strings"
)

// keepTyped keeps the definitions of the old text whose decorator the edit left
// unfinished: what is there of its name is the beginning of the one that it had. The
// next edit somewhere else finds it unknown.
func (e edit) keepTyped(f, old *File, oldText, newText []byte) {
	for _, d := range old.Definitions {
		at := d.Decorator.Start.Offset
		def := d.Def.Start.Offset + e.newEnd - e.oldEnd
		if e.start <= at || e.oldEnd > d.Def.Start.Offset || def > len(newText) {
			continue // the decorator, and nothing behind it, was edited
		}
		name, whole := decoratorName(newText, at), old.typed[d.Def.Start.Offset]
		if whole == "" {
			whole = decoratorName(oldText, at)
		}
		if len(name) >= len(whole) || !strings.HasPrefix(whole, name) {
			continue
		}
		if slices.ContainsFunc(f.Definitions, func(n Definition) bool { return n.Def.Start.Offset == def }) {
			continue
		}
		kept := e.move(d, topmost(d, oldText, LineStarts(oldText)), LineStarts(newText))
		f.Definitions, f.Kernels = append(f.Definitions, kept), true
		if f.typed == nil {
			f.typed = map[int]string{}
		}
		f.typed[def] = whole
	}
	slices.SortStableFunc(f.Definitions, func(a, b Definition) int {
		return cmp.Compare(a.Def.Start.Offset, b.Def.Start.Offset)
	})
}

// decoratorName returns the dotted name behind the "@" at an offset; "" if none
// stands there.
func decoratorName(text []byte, at int) string {
	if at >= len(text) || text[at] != '@' {
		return ""
	}
	end := at + 1
	for end < len(text) && (text[end] == '.' || text[end] == '_' || text[end] >= 0x80 || text[end] >= '0' && text[end] <= '9' || text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z') {
		end++
	}
	return string(text[at+1 : end])
}
