package accept

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// preamble begins a new file.
const preamble = `# Regressions that were looked at and accepted. This file is reviewed like code;
# "isadiff accept" writes it, and comments above an entry stay with it.`

// Edit returns the text of a file with entries put in: one that stands for the
// same kernels and metric is replaced, and all are sorted by kernel and metric.
// Comments stay. A text that cannot be read as a whole is refused, as something
// would be lost.
func Edit(data []byte, entries []Entry) ([]byte, error) {
	d := parse(data)
	for _, f := range d.faults {
		return nil, fmt.Errorf("line %d %s", f.Line, f.Message)
	}
	for _, e := range entries {
		text := render(&e)
		i := slices.IndexFunc(d.blocks, func(b block) bool { return compare(&b.entry, &e) == 0 })
		if i < 0 {
			d.blocks = append(d.blocks, block{entry: e, raw: text})
			continue
		}
		d.blocks[i].raw = append(comments(d.blocks[i].raw), text...)
		d.blocks[i].entry = e
	}
	slices.SortStableFunc(d.blocks, func(a, b block) int { return compare(&a.entry, &b.entry) })
	pieces := [][]byte{d.head}
	if len(bytes.TrimSpace(data)) == 0 {
		pieces[0] = []byte(preamble)
	}
	for _, b := range d.blocks {
		pieces = append(pieces, b.raw)
	}
	pieces = slices.DeleteFunc(pieces, func(p []byte) bool { return len(p) == 0 })
	return append(bytes.Join(pieces, []byte("\n\n")), '\n'), nil
}

// comments returns the lines of a block that are comments.
func comments(raw []byte) (kept []byte) {
	for line := range bytes.Lines(raw) {
		if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("#")) {
			kept = append(append(kept, bytes.TrimRight(line, "\r\n")...), '\n')
		}
	}
	return kept
}

// render returns an entry as the file has it.
func render(e *Entry) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "[[%s]]\nkernel = %s\nmetric = %s\nvalue = %d", table, quote(e.Kernels.String()), quote(e.Metric.String()), e.Value)
	if e.Reason != "" {
		fmt.Fprintf(&b, "\nreason = %s", quote(e.Reason))
	}
	if e.Until != "" {
		fmt.Fprintf(&b, "\nuntil = %s", e.Until)
	}
	return b.Bytes()
}

// quote returns a TOML string.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == utf8.RuneError || r >= ' ' && r != 0x7f && strconv.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
