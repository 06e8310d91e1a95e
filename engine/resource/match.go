package resource

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// SplitKey splits a kernel's key "<relative directory>::<name>" into its
// halves. A key without "::" is a bare name.
func SplitKey(key string) (dir, name string) {
	if i := strings.LastIndex(key, "::"); i >= 0 {
		return key[:i], key[i+2:]
	}
	return "", key
}

// A Matcher selects kernels by a glob: `*` and `?` stay within one folder of
// the key, `**` crosses folders, `[a-z]` and `{a,b}` choose.
//
//   - A pattern with neither "::" nor "/" matches the kernel's bare name or its
//     whole key: "softmax_*".
//   - With "::", the two halves match the folder and the name: "gemm/**::*_k32".
//   - With "/" alone it matches the whole key: "gfx950/**".
//
// The zero Matcher matches every kernel.
type Matcher struct {
	glob      string
	dir, name string // the halves of a pattern with "::"
	halves    bool
	whole     bool // match the key as a whole
	bare      bool // match the bare name
}

// NewMatcher compiles a glob. The empty glob matches every kernel. An error
// names the glob and what is wrong with it.
func NewMatcher(glob string) (*Matcher, error) {
	if glob == "" {
		return &Matcher{}, nil
	}
	if !doublestar.ValidatePattern(glob) {
		return nil, fmt.Errorf("kernel glob %q: %w; escape a literal *, ?, [ or { with a backslash", glob, errPattern)
	}
	if alternatives(glob) > maxAlternatives {
		return nil, fmt.Errorf("kernel glob: its braces make more than %d alternatives; use fewer braces", maxAlternatives)
	}
	m := &Matcher{glob: glob}
	if dir, name := SplitKey(glob); strings.Contains(glob, "::") &&
		doublestar.ValidatePattern(dir) && doublestar.ValidatePattern(name) {
		m.dir, m.name, m.halves = dir, flat(name), true
		return m, nil
	}
	m.whole = true
	m.bare = !strings.Contains(glob, "::") && !strings.Contains(glob, "/")
	return m, nil
}

// maxAlternatives bounds what braces multiply to, for each is tried: a glob can
// come from a file that is not trusted.
const maxAlternatives = 1000

// alternatives counts the globs without braces that a glob stands for, or more.
func alternatives(glob string) int {
	total := 1
	var open []int
	for i := 0; i < len(glob) && total <= maxAlternatives; i++ {
		switch top := len(open) - 1; {
		case glob[i] == '\\':
			i++
		case glob[i] == '{':
			open = append(open, 1)
		case glob[i] == ',' && top >= 0:
			open[top]++
		case glob[i] == '}' && top >= 0:
			total *= open[top]
			open = open[:top]
		}
	}
	return total
}

var errPattern = errors.New("a bracket or brace is not closed, or a backslash stands at the end")

// Match reports whether the kernel of this key is selected.
func (m *Matcher) Match(key string) bool {
	if m.glob == "" {
		return true
	}
	dir, name := SplitKey(key)
	switch {
	case m.halves:
		return doublestar.MatchUnvalidated(m.dir, dir) && doublestar.MatchUnvalidated(m.name, flat(name))
	case m.bare && doublestar.MatchUnvalidated(m.glob, flat(name)):
		return true
	default:
		return doublestar.MatchUnvalidated(m.glob, key)
	}
}

// All reports whether m selects every kernel, whatever its key.
func (m *Matcher) All() bool {
	return m.glob == "" || m.glob == "*" || m.glob == "**" || m.glob == "**::*"
}

// String returns the glob as it was given.
func (m *Matcher) String() string { return m.glob }

// flat takes the meaning of a folder from the slashes of a kernel's name: a
// symbol is one word, even where a compiler lets it hold a slash.
func flat(name string) string { return strings.ReplaceAll(name, "/", "\x00") }
