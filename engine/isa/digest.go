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
	l := Lexer{data: data[:b.Stop], pos: b.Start, loneCR: true}
	for first := true; l.pos < len(l.data); first = false {
		statement := bytes.TrimSpace(l.next())
		if first || len(statement) == 0 || statement[0] == '.' && !hasPrefix(statement, ".LBB") {
			continue
		}
		h.Write(statement)
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
