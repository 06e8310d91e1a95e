package pressure

import "isadiff/engine/isa"

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isBlank(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == 0
}

// isName reports whether c can stand in a symbol, label, directive or mnemonic.
func isName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '$' || c == '@'
}

func skipBlanks(b []byte) []byte {
	for i, c := range b {
		if !isBlank(c) {
			return b[i:]
		}
	}
	return nil
}

// A token kind tells what a statement starts with.
type token uint8

const (
	endOfStatement token = iota
	label                // a symbol and a colon
	directive            // a word that starts with a dot
	mnemonic             // any other word
	assignment           // a symbol and an equals sign
	unreadable
)

// lead splits the first word off a statement. For a label the name is without
// its quotes and the rest starts after the colon.
func lead(b []byte) (kind token, name, rest []byte) {
	b = skipBlanks(b)
	if len(b) == 0 || b[0] == '#' {
		return endOfStatement, nil, nil
	}
	if b[0] == '"' {
		n := isa.QuotedLen(b)
		if after := skipBlanks(b[n:]); len(after) > 0 && after[0] == ':' {
			return label, []byte(isa.Unquote(b[:n])), after[1:]
		}
		return unreadable, b[:n], nil
	}
	n := 0
	for n < len(b) && isName(b[n]) {
		n++
	}
	if n == 0 {
		return unreadable, b[:1], nil
	}
	name, rest = b[:n], b[n:]
	after := rest
	if len(after) > 0 && isBlank(after[0]) {
		after = skipBlanks(after)
	}
	if len(after) > 0 {
		switch {
		case after[0] == ':' && (len(after) == 1 || after[1] != ':'):
			return label, name, after[1:]
		case after[0] == '=' && (len(after) == 1 || after[1] != '='):
			return assignment, name, after[1:]
		}
	}
	if name[0] == '.' {
		return directive, name, rest
	}
	return mnemonic, name, rest
}
