package locate

import (
	"path/filepath"
	"strings"
)

// A Mapping maps paths of another machine or container to this machine: the prefix
// From becomes To.
type Mapping struct {
	From string // a folder as in debug locations: "/workspace", `C:\proj`
	To   string // the local folder, absolute
}

// apply returns the path here that p stands for, if the mapping fits it.
func (m Mapping) apply(p string) (string, bool) {
	rest, from := split(p), split(m.From)
	if len(from) > len(rest) || rooted(p) != rooted(m.From) {
		return "", false
	}
	fold := Drive(m.From)
	for i, name := range from {
		if name != rest[i] && !(fold && strings.EqualFold(name, rest[i])) {
			return "", false
		}
	}
	return filepath.Join(append([]string{m.To}, rest[len(from):]...)...), true
}

// Drive reports whether a path begins with a Windows drive, such as "C:\" or
// "c:/".
func Drive(p string) bool {
	return len(p) >= 3 && p[1] == ':' && (p[2] == '\\' || p[2] == '/') &&
		(p[0] >= 'a' && p[0] <= 'z' || p[0] >= 'A' && p[0] <= 'Z')
}

// windows reports whether backslashes separate the parts of a path: it has a
// drive or names a network share.
func windows(p string) bool { return Drive(p) || strings.HasPrefix(p, `\\`) }

// rooted reports whether a path is absolute on some system.
func rooted(p string) bool { return strings.HasPrefix(p, "/") || windows(p) }

// split returns the names that a path of any system is made of, without "."
// and resolving "..".
func split(p string) []string {
	if windows(p) {
		p = strings.ReplaceAll(p, `\`, "/")
	}
	names := make([]string, 0, 12)
	for name := range strings.SplitSeq(p, "/") {
		switch name {
		case "", ".":
		case "..":
			if len(names) > 0 {
				names = names[:len(names)-1]
			}
		default:
			names = append(names, name)
		}
	}
	return names
}

// base returns the last name of a path of this system, or of any if it is in a
// location.
func base(p string) string {
	if i := strings.LastIndexByte(p, '/'); i >= 0 {
		p = p[i+1:]
	}
	if filepath.Separator == '\\' || windows(p) {
		p = p[strings.LastIndexByte(p, '\\')+1:]
	}
	return p
}

// commonSuffix counts the names at the end that the names of a location and a
// path of this system have in common.
func commonSuffix(names []string, p string, fold bool) (n int) {
	for n < len(names) && p != "" {
		i := strings.LastIndexFunc(p, isSeparator)
		name := p[i+1:]
		if name != names[len(names)-1-n] && !(fold && strings.EqualFold(name, names[len(names)-1-n])) {
			break
		}
		n++
		p = p[:max(i, 0)]
	}
	return n
}

func isSeparator(r rune) bool { return r == '/' || r == filepath.Separator }
