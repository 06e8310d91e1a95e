package isa

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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
	h := sha256.New()
	text := data[b.Start:b.Stop]
	p := Parser{scanner: scanner{comments: bytes.Contains(text, []byte("/*"))}}
	for first := true; len(text) > 0; first = false {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		text = rest
		line = bytes.TrimSpace(p.code(line))
		if first || len(line) == 0 || line[0] == '.' && !hasPrefix(line, ".LBB") {
			continue
		}
		h.Write(line)
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
