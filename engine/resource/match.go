package resource

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// SplitKey splits a kernel's key "<relative directory>::<name>" into its
// halves. A key without "::" is a bare name. The first "::" is the one: kernels
// in C++ namespaces are common, directories with "::" are not. Where the record
// is at hand its Name is sure.
func SplitKey(key string) (dir, name string) {
	if dir, name, found := strings.Cut(key, "::"); found {
		return dir, name
	}
	return "", key
}

// NameIn returns the kernel's name of a key, given the file that it stands in:
// the directory of the file is that of the key, whatever it holds.
func NameIn(key, source string) string {
	dir := path.Dir(source)
	if dir == "." {
		dir = ""
	}
	if name, found := strings.CutPrefix(key, dir+"::"); found {
		return name
	}
	_, name := SplitKey(key)
	return name
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
	glob   string
	halves [][2]string // folder and name of a pattern with "::", for each place to cut it
	bare   bool        // match the bare name, too
	where  string      // see From
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
	for i := range len(glob) - 1 {
		dir, name, found := glob[:i], strings.TrimPrefix(glob[i:], "::"), strings.HasPrefix(glob[i:], "::")
		if found && doublestar.ValidatePattern(dir) && doublestar.ValidatePattern(name) {
			m.halves = append(m.halves, [2]string{dir, flat(name)})
		}
	}
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

// Match reports whether the kernel of this record is selected.
func (m *Matcher) Match(r *Record) bool {
	if m.glob == "" {
		return true
	}
	name := flat(r.Name)
	if len(m.halves) > 0 {
		dir := strings.TrimSuffix(strings.TrimSuffix(r.Key, r.Name), "::")
		return slices.ContainsFunc(m.halves, func(half [2]string) bool {
			return doublestar.MatchUnvalidated(half[0], dir) && doublestar.MatchUnvalidated(half[1], name)
		})
	}
	return m.bare && doublestar.MatchUnvalidated(m.glob, name) || doublestar.MatchUnvalidated(m.glob, r.Key)
}

// From returns m with the place where its glob was set, as messages name it:
// "isadiff.toml:3", "--kernels".
func (m *Matcher) From(where string) *Matcher {
	from := *m
	from.where = where
	return &from
}

// Where returns the place where the glob was set; "" if nobody said it.
func (m *Matcher) Where() string { return m.where }

// All reports whether m selects every kernel, whatever its key.
func (m *Matcher) All() bool {
	return m.glob == "" || m.glob == "*" || m.glob == "**" || m.glob == "**::*"
}

// String returns the glob as it was given.
func (m *Matcher) String() string { return m.glob }

// flat takes the meaning of a folder from the slashes of a kernel's name: a
// symbol is one word, even where a compiler lets it hold a slash.
func flat(name string) string { return strings.ReplaceAll(name, "/", "\x00") }
