package project

import (
	"strconv"
	"strings"

	"isadiff/engine/producer"
)

// A Type is the type of a key's value.
type Type uint8

// The types of values.
const (
	Text        Type = iota // a string
	Bool                    // true or false
	Glob                    // a glob that selects kernels, see resource.Matcher
	Path                    // a file or folder; "~" is the home folder
	Paths                   // one or a list of files and folders
	PathMap                 // a table of path prefixes: elsewhere = here
	Level                   // one of the severities
	CommandLine             // a command: a string for the shell or a list of arguments
	Budgets                 // a table of kernel globs: one or a list of budgets, see package budget
	Producers               // a table of producers of the project's own, see package producer
	Pairs                   // a table of names or keys: before = after, see diff.Order
	Tolerances              // a table of kernel globs: "waves" or a number a metric, see package tolerance
)

// typeNames are the types as messages and documentation call them.
var typeNames = [...]string{
	Text:        "a string",
	Bool:        "true or false",
	Glob:        "a glob (a string)",
	Path:        "a path (a string)",
	Paths:       "a path or a list of paths",
	PathMap:     "a table of path prefixes",
	Level:       "error, warning, information, hint or off",
	CommandLine: "a command (a string or a list of strings)",
	Budgets:     "a table of kernel globs",
	Producers:   "a table of producers",
	Pairs:       "a table of kernels, before = after",
	Tolerances:  "a table of kernel globs",
}

// String returns the type as messages call it: "a path (a string)".
func (t Type) String() string { return typeNames[t] }

// Table reports whether a key of the type is a table with names of its own.
func (t Type) Table() bool {
	return t == PathMap || t == Budgets || t == Producers || t == Pairs || t == Tolerances
}

// A Scope tells where a key may be set.
type Scope uint8

// The scopes.
const (
	Anywhere Scope = iota
	Editor         // only in an editor's settings: it concerns how the editor starts the server
)

// A Key is one row of the table of configuration keys.
type Key struct {
	Name        string // dotted: "severity.spills"
	Type        Type
	Default     string // as in the documentation; "" if there is none
	Env         string // the environment variable that sets it, if any
	Scope       Scope
	Description string // one or two sentences
	set         func(*Config, value)
}

// Values returns the values of the key as TOML spells them; nil if they are no closed set.
func (k Key) Values() (values []string) {
	switch {
	case k.Type == Bool:
		return []string{"true", "false"}
	case k.Type == Level:
		for s := range Severity(len(severityNames)) {
			values = append(values, strconv.Quote(s.String()))
		}
	case k.Name == producerKey:
		for _, p := range producer.Builtin().Rows() {
			values = append(values, strconv.Quote(p.Name))
		}
	}
	return values
}

// The keys that decide what is compared or allowed; see [Config.Lost].
const (
	dumpsKey     = "dumps"
	baselineKey  = "baseline"
	sourcesKey   = "sources"
	kernelsKey   = "kernels"
	producerKey  = "producer"
	producersKey = "producers"
	pairsKey     = "pairs"
	budgetsKey   = "budgets"
	toleranceKey = "tolerance"
	acceptedKey  = "accepted"
)

// Others that are set by an offer.
const (
	pathMapKey = "path-map"
	compileKey = "compile"
)

// settingsSection is the table of an editor's settings that ours are in.
const settingsSection = "isadiff"

// Keys are all configuration keys, in the order of the documentation.
var Keys = []Key{
	{Name: dumpsKey, Type: Path, Default: producer.Builtin().Default().Dumps, Env: producer.Builtin().Default().DumpsEnv,
		Description: "The dump folder, which is watched.",
		set:         func(c *Config, v value) { c.Dumps = v.path }},
	{Name: baselineKey, Type: Path, Default: ".isadiff/baseline.json",
		Description: "What the dumps are compared with: a snapshot or a dump folder. It is written only within the project's root.",
		set:         func(c *Config, v value) { c.Baseline = v.path }},
	{Name: sourcesKey, Type: Paths, Default: ".",
		Description: "The folders and files with the sources that define kernels. Files that git ignores, virtual environments, node_modules and hidden folders are skipped.",
		set:         func(c *Config, v value) { c.Sources = v.paths }},
	{Name: kernelsKey, Type: Glob, Default: "*",
		Description: "The kernels to compare. Without \"::\" or \"/\" the glob matches a kernel's name, with \"::\" its folder and its name.",
		set:         func(c *Config, v value) { c.Kernels = v.matcher }},
	{Name: pathMapKey, Type: PathMap,
		Description: "Maps debug locations to local folders: the prefix of a path in a container, on another machine or in another checkout = the local folder.",
		set:         func(c *Config, v value) { c.PathMap = append(c.PathMap, v.mapping) }},
	{Name: producerKey, Type: Text, Default: producer.Builtin().Default().Name,
		Description: "The compiler of the project's kernels: flydsl, triton, hip, iree or one of producers. It decides which environment a capture sets, and where the dumps are unless dumps says it; dumps of all compilers are read in any case.",
		set:         func(c *Config, v value) { c.producer = v.text }},
	{Name: producersKey, Type: Producers,
		Description: "Compilers that isadiff does not know: a name = { files, decorators }, the file name pattern of the final assembly and the Python decorators that define kernels.",
		set:         func(*Config, value) {}},
	{Name: pairsKey, Type: Pairs,
		Description: "Kernels that changed their name: before = after, such as \"axpy_*_u2\" = \"axpy_*_u8\". Names or keys, where * stands for the same text on both sides; on the command line --pair OLD=NEW.",
		set:         func(c *Config, v value) { c.pair(v.order) }},
	{Name: budgetsKey, Type: Budgets,
		Description: "Limits that kernels must keep, with or without a baseline: a glob of kernels = one or a list of budgets such as \"vgpr <= 128\", \"spill == 0\", \"occupancy >= 2\".",
		set:         func(c *Config, v value) { c.Budgets = append(c.Budgets, v.budgets...) }},
	{Name: toleranceKey, Type: Tolerances,
		Description: "Growth that is no regression: a glob of kernels = { vgpr = 4 }, a number for each metric, or \"waves\": registers count only if a wave is lost. The most specific glob applies.",
		set:         func(c *Config, v value) { c.Tolerance = c.Tolerance.With(v.tolerance) }},
	{Name: acceptedKey, Type: Path, Default: ".isadiff/accepted.toml",
		Description: "The file of accepted regressions. It is written only within the project's root.",
		set:         func(c *Config, v value) { c.Accepted = v.path }},

	level("spills", Warning, "New or more spills, or more scratch memory."),
	level("occupancy", Warning, "Fewer waves per SIMD than before."),
	level("registers", Information, "More vector or scalar registers, without a spill or a lost wave."),
	level("lds", Information, "More static LDS."),
	level("budget", Warning, "A broken budget."),
	level("untrustworthy", Warning, "A kernel that cannot be judged, with the reason."),
	level("missing", Warning, "A kernel of the baseline that was in the dumps and vanished."),
	level("overwritten", Warning, "Kernels whose dump was replaced by another kernel's."),
	level("edited", Off, "Sources that were saved after the compile of their kernels: one finding per file. Status and lenses show it in any case."),
	level("ambiguous", Information, "A kernel that fits several definitions."),
	level("improved", Off, "A kernel that got better."),
	level("configuration", Warning, "A key of the configuration that is unknown or of the wrong type."),

	{Name: "code-lens", Type: Bool, Default: "true",
		Description: "Show one line of figures above each kernel definition.",
		set:         func(c *Config, v value) { c.CodeLens = v.truth }},
	{Name: "hover", Type: Bool, Default: "true",
		Description: "Show the table of all metrics when the pointer rests on a kernel.",
		set:         func(c *Config, v value) { c.Hover = v.truth }},
	{Name: "line-hints", Type: Bool, Default: "true",
		Description: "Show at the end of a source line what it costs a kernel that got worse: live VGPRs and spill code, before and after. Nothing is shown elsewhere.",
		set:         func(c *Config, v value) { c.LineHints = v.truth }},
	{Name: "inlay-hints", Type: Bool, Default: "false",
		Description: "Show the figures behind a kernel's name.",
		set:         func(c *Config, v value) { c.InlayHints = v.truth }},

	{Name: compileKey, Type: CommandLine,
		Description: "The command that compiles the project's kernels. From a file or an editor's settings it runs only in a trusted workspace or when you start it yourself.",
		set:         func(c *Config, v value) { c.compile = v.command }},
	{Name: "compile-on-save", Type: Bool, Default: "false",
		Description: "Run the compile command when a Python source of the project is saved; only in a trusted workspace.",
		set:         func(c *Config, v value) { c.CompileOnSave = v.truth }},

	{Name: "server.path", Type: Text, Scope: Editor,
		Description: "The isadiff binary that the editor starts, if it is not the one on PATH.",
		set:         func(*Config, value) {}},
	{Name: "trace.server", Type: Text, Scope: Editor, Default: "off",
		Description: "How much of the traffic between editor and server is logged: off, messages or verbose.",
		set:         func(*Config, value) {}},
}

// level makes the row of one severity.
func level(name string, def Severity, description string) Key {
	return Key{
		Name: "severity." + name, Type: Level, Default: def.String(), Description: description,
		set: func(c *Config, v value) { c.severity[name] = v.severity },
	}
}

// lookup finds the key that a path of nested names leads to. The names below a
// table-valued key are returned as rest.
func lookup(path []string) (key *Key, rest []string) {
	for n := min(len(path), deepest); n > 0; n-- {
		name := strings.Join(path[:n], ".")
		for i := range Keys {
			if Keys[i].Name == name {
				return &Keys[i], path[n:]
			}
		}
	}
	return nil, nil
}

// deepest is how many parts the names of keys have at most.
var deepest = func() (parts int) {
	for i := range Keys {
		parts = max(parts, 1+strings.Count(Keys[i].Name, "."))
	}
	return parts
}()

// within returns the keys below a table's name: "severity" has "severity.spills".
func within(table string) (names []string) {
	for i := range Keys {
		if strings.HasPrefix(Keys[i].Name, table+".") {
			names = append(names, Keys[i].Name)
		}
	}
	return names
}

// nearest returns the key whose name is a slip of the pen away from name, or "".
func nearest(name string) string {
	name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	best, at := "", 3
	for i := range Keys {
		if d := editDistance(name, strings.ToLower(Keys[i].Name)); d < at && d < len(name) {
			best, at = Keys[i].Name, d
		}
	}
	return best
}

// editDistance counts the letters that must be changed, added or taken away.
func editDistance(a, b string) int {
	if len(a) > 64 {
		return len(a)
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
