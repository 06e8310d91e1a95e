package project

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A stray is a table that is most likely meant to be ours and is not: of another
// spelling, or in the wrong file. Nothing in it is used.
type stray struct {
	setting
	budgets bool // it has, or may have, limits
	decides bool // it has a key that decides what is compared or allowed
}

// stray records a path that leads into a stray table, and reports whether it does.
func (r *tomlReader) stray(path []string, offset int) bool {
	table := strayTable(path)
	if table == nil || slices.Equal(table, r.prefix) {
		return false
	}
	i := slices.IndexFunc(r.strays, func(s stray) bool { return slices.Equal(s.path, table) })
	if i < 0 {
		if len(r.strays) == maxStrays {
			r.refuse(offset, "there are more than %d tables that may be meant to be [tool.isadiff]; remove them", maxStrays)
			return true
		}
		s := stray{setting: r.at(offset)}
		s.path = table
		r.strays, i = append(r.strays, s), len(r.strays)
	}
	r.strays[i].budgets = r.strays[i].budgets || limits(path)
	if key, _ := lookup(path[len(table):]); key != nil && ignored(key.Name) == "" {
		r.strays[i].decides = true
	}
	return true
}

// strayTable returns the first names of a path, those of a table that is ours or
// nearly so; else nil.
func strayTable(path []string) []string {
	switch {
	case len(path) > 1 && slip(path[0], "tool") && slip(path[1], "isadiff"):
		return path[:2]
	case len(path) > 0 && slip(path[0], "isadiff"):
		return path[:1]
	}
	return nil
}

// fault says where the keys of a stray table belong.
func (s stray) fault(l *loader) {
	key, name := "", strings.Join(s.path, ".")
	if s.budgets {
		key = budgetsKey // a limit is lost, which nobody may take for kept
	}
	if filepath.Base(s.origin.File) == ownFile {
		l.fault(s.setting, key, "in %s keys stand at the top level: remove [%s]; until then it is ignored", ownFile, name)
	} else {
		l.fault(s.setting, key, "[%s] is ignored; did you mean [tool.isadiff]?", name)
	}
	l.config.Faults[len(l.config.Faults)-1].Whole = s.decides
}

// slip reports whether a name is another one, or a slip of the pen away from it: a
// letter added, left out or changed, or two that changed places.
func slip(name, meant string) bool {
	name = strings.ToLower(name)
	switch editDistance(name, meant) {
	case 0, 1:
		return true
	case 2:
		a, b := []byte(name), []byte(meant)
		slices.Sort(a)
		slices.Sort(b)
		return slices.Equal(a, b)
	}
	return false
}

// limits reports whether one of some names is that of budgets, or nearly so.
func limits(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return editDistance(strings.ToLower(name), budgetsKey) <= 2
	})
}

var (
	words  = regexp.MustCompile(`[A-Za-z]{4,10}`)
	header = regexp.MustCompile(`^\s*\[+\s*["']?(\w+)["']?\s*(?:\.\s*["']?([\w-]+))?`)
)

// mentionsTable reports whether a text that is no TOML has a line that may be of
// our table: what it says of us cannot be known.
func mentionsTable(data []byte) bool {
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		if strings.Contains(line, "isadiff") {
			return true
		}
		if m := header.FindStringSubmatch(line); m != nil && strayTable(m[1:]) != nil {
			return true
		}
	}
	return false
}
