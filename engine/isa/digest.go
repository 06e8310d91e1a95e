package isa

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"sync"
)

// Digest returns a hash of a body's instructions in the text that it was read
// from: equal digests mean the same instructions and block labels in the same
// order. Directives, comments, labels of debug information and the kernel's own
// name are left out, so debug information and a new name change nothing. It
// returns "" for a body that could not be bounded.
func (b *Body) Digest(data []byte) string {
	if b.Stop <= b.Start || b.Stop > len(data) {
		return ""
	}
	d := digests.Get().(*digest)
	defer digests.Put(d)
	d.hash.Reset()
	d.begun = false
	d.body(data[b.Start:b.Stop])
	return d.sum()
}

// A digest is what [Body.Digest] has hashed so far.
type digest struct {
	hash   hash.Hash
	buffer []byte // what is to be hashed next
	begun  bool   // the first statement, the kernel's label, was passed over
}

var digests = sync.Pool{New: func() any { return &digest{hash: sha256.New(), buffer: make([]byte, 0, 16<<10)} }}

// body takes in the statements of a text, as a [Lexer] cuts it. Most lines hold
// nothing that may begin a string, a character constant or another comment than one
// that ';' or '#' begins, and no other line end: these are cut here.
func (d *digest) body(text []byte) {
	const special = "/\"'\r\x00"
	next := func(pos int, c byte) int {
		if n := bytes.IndexByte(text[pos:], c); n >= 0 {
			return pos + n
		}
		return len(text)
	}
	var at [len(special)]int // where each of those bytes is next
	first, comment := -1, -1 // the first of these, and the next ';'
	for pos := 0; pos < len(text); {
		if first < pos {
			first = len(text)
			for i := range at {
				if at[i] < pos || pos == 0 {
					at[i] = next(pos, special[i])
				}
				first = min(first, at[i])
			}
		}
		end := next(pos, '\n')
		if first < end {
			l := Lexer{data: text, pos: pos, loneCR: true}
			d.statement(bytes.TrimSpace(l.next()))
			pos = l.pos
			continue
		}
		if comment < pos {
			comment = next(pos, ';')
		}
		from, to := pos, min(end, comment)
		for from < to && (text[from] == '\t' || text[from] == ' ') {
			from++
		}
		if from < to && text[from] == '#' {
			to = from
		}
		d.statement(bytes.TrimSpace(text[from:to]))
		pos = end + 1
	}
}

// statement takes in a statement without blanks around it.
func (d *digest) statement(s []byte) {
	first := !d.begun
	d.begun = true
	if first || len(s) == 0 || s[0] == '.' && !hasPrefix(s, ".LBB") {
		return
	}
	if len(d.buffer) > 0 && len(d.buffer)+len(s) >= cap(d.buffer) {
		d.hash.Write(d.buffer)
		d.buffer = d.buffer[:0]
	}
	d.buffer = append(append(d.buffer, s...), '\n')
}

func (d *digest) sum() string {
	d.hash.Write(d.buffer)
	d.buffer = d.buffer[:0]
	return hex.EncodeToString(d.hash.Sum(nil)[:16])
}
