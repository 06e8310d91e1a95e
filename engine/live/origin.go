package live

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
)

// OriginDigest returns a hash of the text of a 00_origin.mlir, the module as the
// DSL handed it to the compiler, without its debug locations: modules with the
// same digest ask the compiler for the same kernels, wherever their source stood
// and whatever path it had. Equal digests beside different instructions mean
// that the compiler changed and the kernel did not.
//
// Locations are MLIR's `loc(...)` at the end of an operation or behind an
// argument, and the aliases `#loc7 = loc(...)` on lines of their own (MLIR
// LangRef, "Location Attributes").
func OriginDigest(text []byte) string {
	h := sha256.New()
	for len(text) > 0 {
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = nil
		}
		if !bytes.HasPrefix(line, []byte("#loc")) {
			hashLine(h, line)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// hashLine adds a line without its locations to h.
func hashLine(h hash.Hash, line []byte) {
	line = bytes.TrimRight(line, " \t\r")
	rest := line
	for {
		at := locationStart(rest)
		if at < 0 {
			break
		}
		h.Write(bytes.TrimRight(rest[:at], " "))
		rest = rest[at+locationLength(rest[at:]):]
	}
	h.Write(rest)
	h.Write([]byte{'\n'})
}

// locationStart returns the offset of the first `loc(` outside of a string, or
// -1.
func locationStart(s []byte) int {
	for i := 0; ; {
		at := bytes.Index(s[i:], []byte("loc("))
		if at < 0 {
			return -1
		}
		if quote := bytes.IndexByte(s[i:i+at], '"'); quote >= 0 {
			i += quote + stringLength(s[i+quote:])
			continue
		}
		if at += i; at == 0 || s[at-1] == ' ' || s[at-1] == '>' {
			return at
		}
		i = at + 1
	}
}

// locationLength returns the length of the `loc(...)` that s starts with, up to
// its closing bracket, or to the end of s if it is not closed.
func locationLength(s []byte) int {
	depth := 0
	for i := len("loc"); i < len(s); {
		switch s[i] {
		case '"':
			i += stringLength(s[i:])
			continue
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(s)
}

// stringLength returns the length of the string literal that s starts with.
func stringLength(s []byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}
