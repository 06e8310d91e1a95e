package project

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"isadiff/engine/budget"
	"isadiff/engine/diff"
	"isadiff/engine/locate"
	"isadiff/engine/producer"
	"isadiff/engine/resource"
	"isadiff/engine/tolerance"
)

// A Config is the configuration of one project. It is immutable once loaded.
type Config struct {
	Root string // the project's root, absolute
	File string // the file the configuration was read from, absolute; "" if there is none

	Dumps    string            // absolute
	Baseline string            // absolute; a snapshot or a dump folder
	Sources  []string          // absolute files and folders
	Kernels  *resource.Matcher // never nil
	PathMap  []locate.Mapping  // the longest prefix first
	// Producers are the compilers whose dumps count; nil means the built-in ones.
	Producers *producer.Table
	Producer  *producer.Producer // the project's own; never nil once loaded
	Pairs     []*diff.Order      // in the order of the layers; for one before half that of the most specific layer
	Budgets   []budget.Budget    // in the order of the layers
	Tolerance tolerance.List     // the most specific first
	Accepted  string             // absolute; the file of accepted regressions

	CodeLens, Hover, InlayHints, LineHints bool
	CompileOnSave                          bool

	Trusted bool              // the user allowed to run what the project's files name
	Origins map[string]Origin // by key, for each key that is not at its default
	Faults  []Fault           // what could not be used, in the order of the layers

	severity map[string]Severity
	compile  Command
	producer string
	invalid  []Fault                   // see [Config.After]; nil if the values are its own
	standing []string                  // absolute; see [Config.Confine]
	confines bool                      // Confine was called
	mapped   map[locate.Mapping]Origin // of PathMap, those that a file named
}

// Severity returns how a kind of finding is shown; the name is the key's part
// after "severity.". Severities never alter a verdict.
func (c *Config) Severity(name string) Severity { return c.severity[name] }

// Relative returns path relative to the project's root, in slashes; if it is
// outside, the absolute path. A relative argument starts at the working directory.
func (c *Config) Relative(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	if rel, err := filepath.Rel(c.Root, abs); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(abs)
}

// Origin tells where a key was set.
func (c *Config) Origin(key string) Origin { return c.Origins[key] }

// A Severity is how a finding is shown in an editor. The zero value is Off.
type Severity uint8

// The severities.
const (
	Off Severity = iota
	Hint
	Information
	Warning
	Error
)

var severityNames = [...]string{Off: "off", Hint: "hint", Information: "information", Warning: "warning", Error: "error"}

// String returns the severity as configuration spells it.
func (s Severity) String() string { return severityNames[s] }

// A Layer is one of the places that configuration comes from, the least
// specific first.
type Layer uint8

// The layers.
const (
	Default     Layer = iota
	File              // pyproject.toml or isadiff.toml: a file of the project, not trusted
	Environment       // a variable of the environment
	Client            // an editor's settings, which a file of the project may have set
	Flag              // the command line
)

// An Origin is the place where a key was set. The zero Origin is the default.
type Origin struct {
	Layer Layer
	File  string // absolute, if Layer is File
	Line  int    // 1-based, if Layer is File
	Name  string // the variable's name if Layer is Environment
}

// String names the place: "pyproject.toml:12", "$FLYDSL_DUMP_DIR".
func (o Origin) String() string {
	switch o.Layer {
	case File:
		return fmt.Sprintf("%s:%d", filepath.Base(o.File), o.Line)
	case Environment:
		return "$" + o.Name
	case Client:
		return "the editor's settings"
	case Flag:
		return "the command line"
	default:
		return "the default"
	}
}

// A Fault is a piece of configuration that could not be used. The rest is still
// used; [Config.Lost] says what a fault means for a verdict.
type Fault struct {
	Origin
	Column  int    // 1-based byte column in Line if Layer is File, else 0
	Key     string // dotted, of the key that has no usable value; "" if it concerns no single key
	Whole   bool   // any key may have been meant to be set there
	Message string // one line: the key, the cause and the next step
}

// String returns the fault with its place in front.
func (f Fault) String() string { return f.Origin.String() + ": " + f.Message }

// Options are the inputs of a configuration.
type Options struct {
	Dir     string                           // the working directory or workspace folder; relative flags and variables start here
	Root    string                           // the project's root; found upward from Dir if empty
	Home    string                           // the home folder; the user's if empty
	Env     func(name string) (string, bool) // os.LookupEnv if nil
	Client  map[string]any                   // an editor's settings, as encoding/json decodes them
	Flags   map[string]any                   // by key
	Trusted bool                             // the user allows to run what the project's files name
}

// Load reads the configuration of the project that o.Dir is in. It fails only
// if o.Dir cannot be made absolute; all that is wrong with the configuration
// itself is in Config.Faults.
func Load(o Options) (*Config, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("finding the project of %q: %w", o.Dir, err)
	}
	if o.Home == "" {
		o.Home, _ = os.UserHomeDir() // without a home, "~" is a fault where it is used
	}
	if o.Env == nil {
		o.Env = os.LookupEnv
	}
	root, file := findRoot(dir, o.Home)
	if o.Root != "" {
		if root, err = filepath.Abs(o.Root); err != nil {
			return nil, fmt.Errorf("finding the project %q: %w", o.Root, err)
		}
		file = configFile(root)
	}
	c := &Config{
		Root: root, File: file, Trusted: o.Trusted,
		Sources:  []string{root},
		Baseline: filepath.Join(root, ".isadiff", "baseline.json"),
		Accepted: filepath.Join(root, ".isadiff", "accepted.toml"),
		Kernels:  &resource.Matcher{},
		CodeLens: true, Hover: true, LineHints: true,
		Origins:  map[string]Origin{},
		severity: map[string]Severity{},
		mapped:   map[locate.Mapping]Origin{},
	}
	l := loader{config: c, home: o.Home, base: root}
	l.defaults()
	if file != "" {
		l.file(file)
	}
	l.base = dir
	l.environment(o.Env)
	c.standing = l.standing(o.Env)
	l.base = root
	l.tree(o.Client, Origin{Layer: Client})
	l.base = dir
	l.tree(o.Flags, Origin{Layer: Flag})
	l.producers(o.Env)
	c.PathMap = latest(c.PathMap)
	c.Faults = slices.DeleteFunc(c.Faults, func(f Fault) bool { return f.Layer == Default && c.Origins[f.Key].Layer != Default })
	return c, nil
}

// latest keeps the most specific mapping of each prefix and puts the longest
// prefix first, so that the first that fits is the right one.
func latest(mappings []locate.Mapping) []locate.Mapping {
	byPrefix := map[string]locate.Mapping{}
	for _, m := range mappings {
		byPrefix[m.From] = m
	}
	kept := slices.Collect(maps.Values(byPrefix))
	slices.SortFunc(kept, func(a, b locate.Mapping) int {
		if d := len(b.From) - len(a.From); d != 0 {
			return d
		}
		return strings.Compare(a.From, b.From)
	})
	return kept
}

// pair takes in an order, which outranks one of a less specific layer for the same
// kernels.
func (c *Config) pair(o *diff.Order) {
	file := func(o *diff.Order) string { name, _, _ := strings.Cut(o.Where, ":"); return name }
	c.Pairs = append(slices.DeleteFunc(c.Pairs, func(old *diff.Order) bool { return old.Before == o.Before && file(old) != file(o) }), o)
}
