package locate

import (
	"bytes"
	"strconv"
	"strings"
)

// symbolAt reads "@name" or "@\"name\"" at offset i.
func symbolAt(text []byte, i int) (symbol string, end int, ok bool) {
	if i+1 >= len(text) || text[i] != '@' {
		return "", i, false
	}
	if text[i+1] == '"' {
		end, ok = stringEnd(text, i+1)
		return unescape(text[i+2 : max(i+2, end-1)]), end, ok
	}
	end = i + 1
	for end < len(text) && isWord(text[end]) {
		end++
	}
	return string(text[i+1 : end]), end, end > i+1
}

// isWord reports whether c is part of an MLIR identifier.
func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '.' || c == '-' || c == '#' || c == '%'
}

// lineEnd returns the offset of the end of the line that i is in.
func lineEnd(text []byte, i int) int {
	if n := bytes.IndexByte(text[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(text)
}

// stringEnd returns the offset behind the string that begins at i, which ends
// with its line at the latest.
func stringEnd(text []byte, i int) (end int, ok bool) {
	for j := i + 1; j < len(text); j++ {
		switch text[j] {
		case '\\':
			j++
		case '"':
			return j + 1, true
		case '\n':
			return j, false
		}
	}
	return len(text), false
}

// leadingInt reads the non-negative decimal number that b starts with.
func leadingInt(b []byte) (int64, bool) {
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' {
		n++
	}
	v, err := strconv.ParseInt(string(b[:n]), 10, 64)
	return v, err == nil
}

// unescape resolves the escapes of an MLIR string: \22 and \C3\A9 are bytes in
// hexadecimal, \\ \" \n \t as everywhere.
func unescape(b []byte) string {
	if bytes.IndexByte(b, '\\') < 0 {
		return string(b)
	}
	var out strings.Builder
	out.Grow(len(b))
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' || i+1 >= len(b) {
			out.WriteByte(b[i])
			continue
		}
		i++
		switch hi, ok := hexDigit(b[i]); {
		case ok && i+1 < len(b) && isHex(b[i+1]):
			lo, _ := hexDigit(b[i+1])
			out.WriteByte(hi<<4 | lo)
			i++
		case b[i] == 'n':
			out.WriteByte('\n')
		case b[i] == 't':
			out.WriteByte('\t')
		default:
			out.WriteByte(b[i])
		}
	}
	return out.String()
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

func isHex(c byte) bool {
	_, ok := hexDigit(c)
	return ok
}
