package project

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"isadiff/engine/budget"
	"isadiff/engine/diff"
	"isadiff/engine/locate"
	"isadiff/engine/resource"
	"isadiff/engine/tolerance"
)

// A value is what was given for a key, in the field that its type uses.
type value struct {
	text      string
	truth     bool
	path      string
	paths     []string
	matcher   *resource.Matcher
	mapping   locate.Mapping
	severity  Severity
	command   Command
	order     *diff.Order
	budgets   []budget.Budget
	tolerance tolerance.Rule
	compiler  compiler
}

// A setting is a key with its value as some layer spelled it.
type setting struct {
	path   []string // the nested names
	raw    any      // string, bool, float64, int64, []any, map[string]any
	origin Origin
	column int
}

// A loader puts settings, layer by layer, into a Config.
type loader struct {
	config *Config
	home   string
	base   string // what relative paths of the current layer start from

	compilers []compiler // producers of the project's own, in the order in which they are named
}

// fault records why a setting is not used.
func (l *loader) fault(s setting, key, format string, args ...any) {
	l.config.Faults = append(l.config.Faults, Fault{
		Origin: s.origin, Column: s.column, Key: key, Message: fmt.Sprintf(format, args...),
	})
}

// whole records why nothing of a layer can be relied on.
func (l *loader) whole(s setting, format string, args ...any) {
	l.fault(s, "", format, args...)
	l.config.Faults[len(l.config.Faults)-1].Whole = true
}

// ignored says what becomes of a value that cannot be used: one that decides makes
// the answer untrustworthy, see [Config.Lost].
func ignored(key string) string {
	if slices.Contains(Comparing, key) || slices.Contains(Judging, key) {
		return ""
	}
	return "; it is ignored"
}

// defaults applies those defaults that are a plain function of the table.
func (l *loader) defaults() {
	for i := range Keys {
		switch k := &Keys[i]; k.Type {
		case Level:
			s, _ := severityOf(k.Default)
			k.set(l.config, value{severity: s})
		case Path:
			p, err := l.resolve(k.Default)
			if err != nil {
				l.fault(setting{}, k.Name, "%s %v", k.Name, err)
			}
			k.set(l.config, value{path: p})
		}
	}
}

// environment applies the variables of the table. An empty one is not set.
func (l *loader) environment(lookupEnv func(string) (string, bool)) {
	for i := range Keys {
		if name := Keys[i].Env; name != "" {
			if text, ok := lookupEnv(name); ok && text != "" {
				l.apply(setting{path: []string{Keys[i].Name}, raw: text, origin: Origin{Layer: Environment, Name: name}})
			}
		}
	}
}

// tree applies nested maps, as JSON makes them: {"severity": {"lds": "off"}} or
// {"severity.lds": "off"}. A null is not set.
func (l *loader) tree(settings map[string]any, origin Origin) {
	var walk func(path []string, v any)
	walk = func(path []string, v any) {
		if m, ok := v.(map[string]any); ok && len(path) < 8 && (len(m) > 0 || !lacking(path)) {
			for _, name := range slices.Sorted(maps.Keys(m)) {
				walk(append(slices.Clone(path), name), m[name])
			}
			return
		}
		if v != nil {
			l.apply(setting{path: path, raw: v, origin: origin})
		}
	}
	walk(nil, settings)
}

// lacking reports whether a table without names says nothing for the key that it
// stands for: dumps = {} is none, budgets = {} is.
func lacking(path []string) bool {
	key, rest := lookup(path)
	return key != nil && (!key.Type.Table() || (key.Type == Producers || key.Type == Tolerances) && len(rest) > 0)
}

// apply uses one setting, or says why it cannot be used.
func (l *loader) apply(s setting) {
	if s.origin.Layer == Client && len(s.path) == 1 && s.path[0] == settingsSection {
		l.whole(s, "%s must be a table of keys", settingsSection)
		return
	}
	key, rest := lookup(s.path)
	name := strings.Join(s.path, ".")
	if key == nil || len(rest) > 0 && !key.Type.Table() {
		l.unknown(s, name, key)
		return
	}
	if key.Scope == Editor {
		if s.origin.Layer != Client {
			l.fault(s, key.Name, "%s can only be set in an editor's settings; remove it here", key.Name)
		}
		return
	}
	v, err := l.read(key.Type, rest, s)
	if err != nil {
		l.fault(s, key.Name, "%s %v%s", strings.Join(append([]string{key.Name}, rest...), "."), err, ignored(key.Name))
		return
	}
	if key.Type == Tolerances && l.config.Tolerance.Repeats(v.tolerance) {
		l.fault(s, key.Name, "%s is set a second time for %q; remove one of them", key.Name, v.tolerance.Kernels)
		return
	}
	if key.Type == Pairs && len(l.config.Pairs) >= maxOrders || key.Type == Tolerances && len(l.config.Tolerance) >= maxOrders {
		if !slices.ContainsFunc(l.config.Faults, func(f Fault) bool { return f.Key == key.Name }) {
			l.fault(s, key.Name, "%s has more than %d lines; say it with fewer, by *", key.Name, maxOrders)
		}
		return
	}
	key.set(l.config, v)
	if key.Type == PathMap {
		delete(l.config.mapped, v.mapping) // a later layer may say the same
		if s.origin.Layer == File {
			l.config.mapped[v.mapping] = s.origin
		}
	}
	if key.Type == Producers {
		l.compiler(v.compiler)
	}
	l.config.Origins[key.Name] = s.origin
}

// maxOrders bounds the pairs and the tolerances of a project: each is held against all
// kernels that are left over, and a file that is not trusted may name them.
const maxOrders = 1000

// unknown says what is wrong with a name that is no key, and what may be meant.
func (l *loader) unknown(s setting, name string, table *Key) {
	known := within(name)
	switch {
	case limits(s.path):
		l.fault(s, budgetsKey, "unknown key %q, did you mean %q?", name, budgetsKey)
	case table != nil:
		l.fault(s, table.Name, "unknown key %q: %s is %s, not a table%s", name, table.Name, table.Type, ignored(table.Name))
	case len(known) > 0:
		l.fault(s, name, "%s is a table of %s; it is ignored", name, strings.Join(known, ", "))
	case nearest(name) != "":
		l.fault(s, name, "unknown key %q, did you mean %q? It is ignored", name, nearest(name))
	default:
		l.fault(s, name, "unknown key %q; it is ignored", name)
	}
}

// read makes a value of a key's type out of what was given.
func (l *loader) read(t Type, rest []string, s setting) (v value, err error) {
	switch t {
	case Bool:
		var ok bool
		if v.truth, ok = s.raw.(bool); !ok {
			return v, mismatch(t, s.raw)
		}
		return v, nil
	case Paths:
		v.paths, err = l.pathList(s.raw, s.origin)
		return v, err
	case CommandLine:
		v.command, err = commandOf(s.raw)
		return v, err
	case Budgets:
		if len(rest) != 1 {
			return v, fmt.Errorf("must be a table of kernel globs, such as \"softmax_*\" = [\"vgpr <= 128\", \"spill == 0\"]")
		}
		v.budgets, err = budgetList(rest[0], s)
		return v, err
	case Tolerances:
		v.tolerance, err = toleranceOf(rest, s)
		return v, err
	case Producers:
		v.compiler, err = compilerOf(rest, s)
		return v, err
	case Pairs:
		if len(rest) != 1 {
			return v, fmt.Errorf("must be a table of kernels, such as \"axpy_*_u2\" = \"axpy_*_u8\"")
		}
	case PathMap:
		if len(rest) != 1 {
			return v, fmt.Errorf("must be a table of single prefixes, such as \"/in/container\" = \"here\"")
		}
	}
	text, ok := s.raw.(string)
	if !ok {
		return v, mismatch(t, s.raw)
	}
	switch t {
	case Text:
		if v.text = text; text == "" {
			return v, fmt.Errorf("is empty; remove it to have the default")
		}
	case Path:
		v.path, err = l.location(text, s.origin)
	case Glob:
		if text == "" {
			return v, fmt.Errorf("is an empty glob; write %q for all kernels", "*")
		}
		v.matcher, err = resource.NewMatcher(text)
		if err != nil {
			return v, fmt.Errorf("is no glob: %w", err)
		}
		where := "--" + kernelsKey
		if s.origin.Layer != Flag {
			where = fmt.Sprintf("%s, %s", kernelsKey, s.origin)
		}
		v.matcher = v.matcher.From(where)
	case Level:
		if v.severity, ok = severityOf(text); !ok {
			err = fmt.Errorf("is %q, must be %s", text, Level)
		}
	case Pairs:
		where := s.origin.String()
		if s.origin.Layer == Flag {
			where = "--pair"
		}
		v.order, err = diff.NewOrder(rest[0], text, where)
	case PathMap:
		v.mapping.From = rest[0]
		if strings.Trim(rest[0], "/\\") == "" {
			return v, fmt.Errorf("maps every path; name a folder such as \"/in/container\"")
		}
		v.mapping.To, err = l.location(text, s.origin)
	}
	return v, err
}

// budgetList reads the budgets of a glob. One that cannot be read makes all of
// them void, which the fault says.
func budgetList(glob string, s setting) (budgets []budget.Budget, err error) {
	if glob == "" {
		return nil, fmt.Errorf("names no kernels; write %q for all of them", "*")
	}
	kernels, err := resource.NewMatcher(glob)
	if err != nil {
		return nil, err
	}
	texts, ok := textsOf(s.raw)
	if !ok {
		return nil, mismatch(Budgets, s.raw)
	}
	for _, text := range texts {
		b, err := budget.Parse(text)
		if err != nil {
			return nil, err
		}
		b.Kernels, b.Where = kernels, s.origin.String()
		budgets = append(budgets, b)
	}
	return budgets, nil
}

// toleranceOf reads what a glob tolerates: all of it, or the number of one metric.
func toleranceOf(rest []string, s setting) (r tolerance.Rule, err error) {
	if len(rest) == 0 || rest[0] == "" || len(rest) > 2 {
		return r, fmt.Errorf("must be a table of kernel globs, such as \"softmax_*\" = { vgpr = 4 } or \"*\" = %q", tolerance.Waves)
	}
	kernels, err := resource.NewMatcher(rest[0])
	if err != nil {
		return r, err
	}
	if len(rest) == 1 {
		return tolerance.Whole(kernels, s.raw, s.origin.String())
	}
	return tolerance.Metric(kernels, rest[1], s.raw, s.origin.String())
}

// textsOf returns a value that is a text or a list of them.
func textsOf(raw any) (texts []string, ok bool) {
	list, ok := raw.([]any)
	if !ok {
		list = []any{raw}
	}
	for _, item := range list {
		text, ok := item.(string)
		if !ok {
			return nil, false
		}
		texts = append(texts, text)
	}
	return texts, true
}

// pathList reads one path or a list of them.
func (l *loader) pathList(raw any, origin Origin) (paths []string, err error) {
	texts, ok := textsOf(raw)
	if !ok {
		return nil, mismatch(Paths, raw)
	}
	for _, text := range texts {
		p, err := l.location(text, origin)
		if err != nil {
			return nil, err
		}
		paths = append(paths, p)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("is an empty list; name at least one folder")
	}
	return paths, nil
}

// location reads a path as its layer means it.
func (l *loader) location(text string, origin Origin) (string, error) {
	if origin.Layer == Client {
		text = strings.ReplaceAll(text, "${workspaceFolder}", l.config.Root)
	}
	return l.resolve(text)
}

// resolve makes a path absolute and clean: "~" is the home folder, a relative
// path starts at the layer's base, slashes are the system's.
func (l *loader) resolve(text string) (string, error) {
	switch {
	case text == "":
		return "", fmt.Errorf("is an empty path")
	case strings.ContainsRune(text, 0):
		return "", fmt.Errorf("is no path: it holds a NUL character")
	case filepath.Separator == '/' && locate.Drive(text):
		return "", fmt.Errorf("is %q, a Windows path", text)
	case text[0] == '~' && (len(text) == 1 || text[1] == '/' || text[1] == filepath.Separator):
		if l.home == "" {
			return "", fmt.Errorf("starts with ~, but there is no home folder; write the whole path")
		}
		return filepath.Join(l.home, filepath.FromSlash(text[1:])), nil
	}
	p := filepath.FromSlash(text)
	if !filepath.IsAbs(p) {
		p = filepath.Join(l.base, p)
	}
	return filepath.Clean(p), nil
}

// severityOf reads a severity.
func severityOf(text string) (Severity, bool) {
	i := slices.Index(severityNames[:], text)
	return Severity(max(i, 0)), i >= 0
}

// mismatch says that a value is of another type than its key.
func mismatch(t Type, raw any) error {
	if text := shown(raw); text != "" {
		return fmt.Errorf("is %s, must be %s", text, t)
	}
	return fmt.Errorf("must be %s", t)
}

// shown is a value as messages show it; "" if it is too long.
func shown(raw any) string {
	text, err := json.Marshal(raw)
	if err != nil || len(text) > 60 {
		return ""
	}
	return string(text)
}
