package project

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"isadiff/engine/locate"
)

// tree writes files below a new folder; a name that ends in a slash is a folder.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(root, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o777)
		} else if err = os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
			err = os.WriteFile(path, []byte(files[name]), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// load reads the configuration of a folder, without this machine's environment.
func load(t testing.TB, o Options) *Config {
	t.Helper()
	if o.Home == "" {
		o.Home = filepath.Join(o.Dir, "home")
	}
	if o.Env == nil {
		o.Env = func(string) (string, bool) { return "", false }
	}
	c, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// faults returns the faults as text, with the root taken out.
func faults(c *Config) (list []string) {
	for _, f := range c.Faults {
		list = append(list, strings.ReplaceAll(f.String(), c.Root, "ROOT"))
	}
	return list
}

func TestDefaults(t *testing.T) {
	root := tree(t, map[string]string{"k.py": ""})
	c := load(t, Options{Dir: root})
	if c.Root != root || c.File != "" || len(c.Faults) > 0 || len(c.Origins) > 0 {
		t.Errorf("root %s, file %q, faults %v, origins %v", c.Root, c.File, c.Faults, c.Origins)
	}
	if want := filepath.Join(root, "home", ".flydsl", "debug"); c.Dumps != want {
		t.Errorf("dumps: %s, want %s", c.Dumps, want)
	}
	if want := filepath.Join(root, ".isadiff", "baseline.json"); c.Baseline != want {
		t.Errorf("baseline: %s, want %s", c.Baseline, want)
	}
	if !slices.Equal(c.Sources, []string{root}) || !c.Kernels.All() || len(c.PathMap) > 0 {
		t.Errorf("sources %v, kernels %v, path-map %v", c.Sources, c.Kernels, c.PathMap)
	}
	for name, want := range map[string]Severity{"spills": Warning, "registers": Information, "untrustworthy": Warning, "improved": Off} {
		if got := c.Severity(name); got != want {
			t.Errorf("severity.%s: %s, want %s", name, got, want)
		}
	}
	if _, err := c.Command(true); err == nil {
		t.Error("a command where none is configured")
	}
	for i := range Keys {
		if k := &Keys[i]; k.Description == "" || k.set == nil || strings.ToLower(k.Name) != k.Name {
			t.Errorf("row %d of the table is not complete: %+v", i, k)
		}
		if k := &Keys[i]; k.Type == Bool {
			probe := &Config{}
			k.set(probe, value{truth: true})
			if got := fmt.Sprint(map[string]bool{"code-lens": c.CodeLens, "hover": c.Hover, "inlay-hints": c.InlayHints, "line-hints": c.LineHints, "compile-on-save": c.CompileOnSave}[k.Name]); got != k.Default {
				t.Errorf("%s is %s without configuration, the table says %s", k.Name, got, k.Default)
			}
		}
	}
}

// TestLayers sets one key in each layer in turn; each outranks those before it.
func TestLayers(t *testing.T) {
	root := tree(t, map[string]string{
		"sub/deep/k.py": "",
		"pyproject.toml": `[project]
name = "kernels"

[tool.isadiff]
dumps = "dumps"
kernels = "file_*"
`})
	dir := filepath.Join(root, "sub", "deep")
	env := func(name string) (string, bool) {
		return map[string]string{"FLYDSL_DUMP_DIR": "env"}[name], name == "FLYDSL_DUMP_DIR"
	}
	client := map[string]any{"dumps": "client", "kernels": nil}
	flags := map[string]any{"dumps": "flag"}
	tests := []struct {
		name   string
		o      Options
		dumps  string
		origin string
	}{
		{"file", Options{Dir: dir}, "dumps", "pyproject.toml:5"},
		{"environment", Options{Dir: dir, Env: env}, "sub/deep/env", "$FLYDSL_DUMP_DIR"},
		{"client", Options{Dir: dir, Env: env, Client: client}, "client", "the editor's settings"},
		{"flag", Options{Dir: dir, Env: env, Client: client, Flags: flags}, "sub/deep/flag", "the command line"},
	}
	for _, tt := range tests {
		c := load(t, tt.o)
		if want := filepath.Join(root, filepath.FromSlash(tt.dumps)); c.Dumps != want || c.Root != root {
			t.Errorf("%s: dumps %s, want %s; root %s", tt.name, c.Dumps, want, c.Root)
		}
		if got := c.Origin("dumps").String(); got != tt.origin {
			t.Errorf("%s: origin %s, want %s", tt.name, got, tt.origin)
		}
		if c.Kernels.String() != "file_*" || len(c.Faults) > 0 {
			t.Errorf("%s: kernels %s, faults %v", tt.name, c.Kernels, c.Faults)
		}
	}
}

func TestFileForms(t *testing.T) {
	const want = `{"dumps":"ROOT/d","kernels":"k_*","lds":"off","lens":false,"map":[["/in/container","ROOT/here"],["/w","/abs"]],"sources":["ROOT/a","ROOT/b"],"spills":"error"}`
	tests := map[string]string{
		"isadiff.toml": `
dumps = 'd'
sources = ["a", "b"]
kernels = "k_*"
code-lens = false
[severity]
lds = "off"
spills = "error"
[path-map]
"/in/container" = "here"
"/w" = "/abs"
`,
		"pyproject.toml": `
[tool]
isadiff.dumps = "d"
[tool.isadiff]
sources = [
  "a", # first
  "b",
]
kernels = "k_*"
severity.lds = "off"
"severity".spills = "error"
path-map = { "/in/container" = "here", "/w" = "/abs" }
code-lens = false
[tool.other]
kernels = "no"
`,
		"pyproject.toml ": "\xef\xbb\xbf" + strings.ReplaceAll(`
[tool]
isadiff = { dumps = "d", sources = ["a", "b"], severity = { lds = "off", spills = "error" }, code-lens = false }
[tool.isadiff.path-map]
'/in/container/' = "./here/"
"/w" = "/abs"
[tool.isadiff.unknown-to-old-versions]
`, "\n", "\r\n"),
	}
	for name, text := range tests {
		root := tree(t, map[string]string{strings.TrimSpace(name): text})
		c := load(t, Options{Dir: root})
		if strings.HasSuffix(name, " ") {
			c = load(t, Options{Dir: root, Flags: map[string]any{"kernels": "k_*"}})
		}
		var pairs [][2]string
		for _, m := range c.PathMap {
			pairs = append(pairs, [2]string{strings.TrimSuffix(m.From, "/"), m.To})
		}
		got, err := json.Marshal(map[string]any{
			"dumps": c.Dumps, "sources": c.Sources, "kernels": c.Kernels.String(), "lens": c.CodeLens,
			"lds": c.Severity("lds").String(), "spills": c.Severity("spills").String(), "map": pairs,
		})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, strings.ReplaceAll(string(got), root, "ROOT")); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if len(c.Faults) > 0 {
			t.Errorf("%s: %q", name, faults(c))
		}
	}
}

func TestFaults(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
		kernels    string // what the rest sets
	}{
		{"unknown key", "kernals = \"a\"\nkernels = \"k\"\n", []string{`isadiff.toml:1: unknown key "kernals", did you mean "kernels"? It is ignored`}, "k"},
		{"underscore", "path_map = 3\nkernels = \"k\"", []string{`isadiff.toml:1: unknown key "path_map", did you mean "path-map"? It is ignored`}, "k"},
		{"far off", "\n\ncolour = true\nkernels = \"k\"", []string{`isadiff.toml:3: unknown key "colour"; it is ignored`}, "k"},
		{"wrong type", "dumps = 3\nkernels = \"k\"", []string{`isadiff.toml:1: dumps is 3, must be a path (a string)`}, "k"},
		{"wrong type in a list", "sources = [\n\"a\",\n 1]\nkernels = \"k\"", []string{`isadiff.toml:1: sources is ["a",1], must be a path or a list of paths`}, "k"},
		{"a string for a bool", "code-lens = \"yes\"\nkernels = \"k\"", []string{`isadiff.toml:1: code-lens is "yes", must be true or false; it is ignored`}, "k"},
		{"severity", "kernels = \"k\"\n[severity]\nspills = \"warn\"\nspils = \"off\"", []string{
			`isadiff.toml:3: severity.spills is "warn", must be error, warning, information, hint or off; it is ignored`,
			`isadiff.toml:4: unknown key "severity.spils", did you mean "severity.spills"? It is ignored`}, "k"},
		{"not a table", "severity = \"off\"\nkernels = \"k\"", []string{`isadiff.toml:1: severity is a table of severity.spills, severity.occupancy, severity.registers, severity.lds, severity.budget, severity.untrustworthy, severity.missing, severity.overwritten, severity.edited, severity.ambiguous, severity.improved, severity.configuration; it is ignored`}, "k"},
		{"a table", "dumps.path = \"x\"\nkernels = \"k\"", []string{`isadiff.toml:1: unknown key "dumps.path": dumps is a path (a string), not a table`}, "k"},
		{"map that is none", "path-map = \"/a\"\nkernels = \"k\"", []string{`isadiff.toml:1: path-map must be a table of single prefixes, such as "/in/container" = "here"; it is ignored`}, "k"},
		{"map without quotes", "kernels = \"k\"\n[path-map]\na.b = \"c\"", []string{`isadiff.toml:3: path-map.a.b must be a table of single prefixes, such as "/in/container" = "here"; it is ignored`}, "k"},
		{"map of everything", "kernels = \"k\"\n[path-map]\n\"/\" = \"c\"", []string{`isadiff.toml:3: path-map./ maps every path; name a folder such as "/in/container"; it is ignored`}, "k"},
		{"glob", "kernels = \"[\"", []string{`isadiff.toml:1: kernels is no glob: kernel glob "[": a bracket or brace is not closed, or a backslash stands at the end; escape a literal *, ?, [ or { with a backslash`}, ""},
		{"twice", "kernels = \"k\"\nkernels = \"l\"", []string{`isadiff.toml:2: kernels is set a second time, after line 1; remove one of them`}, "k"},
		{"list of tables", "kernels = \"k\"\n[[severity]]\nspills = \"off\"", []string{
			`isadiff.toml:2: severity is a table of severity.spills, severity.occupancy, severity.registers, severity.lds, severity.budget, severity.untrustworthy, severity.missing, severity.overwritten, severity.edited, severity.ambiguous, severity.improved, severity.configuration; it is ignored`,
			`isadiff.toml:3: unknown key "severity.[].spills"; it is ignored`}, "k"},
		{"syntax before", "dumps = \nkernels = \"k\"", []string{`isadiff.toml:1: is not valid TOML here: `}, "k"},
		{"syntax after", "kernels = \"k\"\n[severity\nspills = \"off\"\n", []string{`isadiff.toml:2: is not valid TOML here: `}, "k"},
		{"merge conflict", "kernels = \"k\"\n<<<<<<< HEAD\n", []string{`isadiff.toml:2: is not valid TOML here: `}, "k"},
		{"editor's key", "server.path = \"/bin/sh\"\nkernels = \"k\"", []string{`isadiff.toml:1: server.path can only be set in an editor's settings; remove it here`}, "k"},
		{"empty path", "dumps = \"\"\nkernels = \"k\"", []string{`isadiff.toml:1: dumps is an empty path`}, "k"},
		{"no sources", "sources = []\nkernels = \"k\"", []string{`isadiff.toml:1: sources is an empty list; name at least one folder`}, "k"},
		{"empty command", "compile = [\"\"]\nkernels = \"k\"", []string{`isadiff.toml:1: compile is an empty command; it is ignored`}, "k"},
		{"command of numbers", "compile = [1]\nkernels = \"k\"", []string{`isadiff.toml:1: compile is [1], must be a command (a string or a list of strings); it is ignored`}, "k"},
		{"date", "dumps = 2026-01-01\nkernels = \"k\"", []string{`isadiff.toml:1: dumps is {"LocalDate":"2026-01-01"}, must be a path (a string)`}, "k"},
		{"invalid UTF-8", "kernels = \"k\"\nbaseline = \"\xff\"", []string{`isadiff.toml:2: is not valid TOML here: `}, "k"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := load(t, Options{Dir: tree(t, map[string]string{"isadiff.toml": tt.text})})
			got := faults(c)
			for i := range got {
				if i < len(tt.want) && strings.HasSuffix(tt.want[i], ": ") && strings.HasPrefix(got[i], tt.want[i]) {
					got[i] = tt.want[i] // the library's words
				}
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("faults (-want +got):\n%s", d)
			}
			if c.Kernels.String() != tt.kernels {
				t.Errorf("kernels: %q, want %q", c.Kernels, tt.kernels)
			}
			for _, f := range c.Faults {
				if f.Column < 1 {
					t.Errorf("%s: column %d", f, f.Column)
				}
			}
		})
	}
}

func TestFaultsOfOtherLayers(t *testing.T) {
	root := tree(t, map[string]string{"k.py": ""})
	c := load(t, Options{Dir: root,
		Client: map[string]any{"severity": map[string]any{"lds": "loud"}, "severity.spills": "hint", "server.path": "/x", "trace": map[string]any{"server": "verbose"}, "nothing": 1.0, "code-lens": nil},
		Flags:  map[string]any{"server.path": "/x"},
	})
	want := []string{
		`the editor's settings: unknown key "nothing"; it is ignored`,
		`the editor's settings: severity.lds is "loud", must be error, warning, information, hint or off; it is ignored`,
		`the command line: server.path can only be set in an editor's settings; remove it here`,
	}
	if d := cmp.Diff(want, faults(c)); d != "" {
		t.Errorf("faults (-want +got):\n%s", d)
	}
	if c.Severity("spills") != Hint || !c.CodeLens {
		t.Errorf("spills %s, code lens %v", c.Severity("spills"), c.CodeLens)
	}
}

func TestUnreadableFile(t *testing.T) {
	root := tree(t, map[string]string{"isadiff.toml/": ""})
	if got := faults(load(t, Options{Dir: root})); len(got) != 1 || !strings.Contains(got[0], "isadiff.toml:1: the configuration cannot be read: it is no regular file") {
		t.Errorf("a folder: %q", got)
	}
	root = tree(t, map[string]string{"isadiff.toml": "kernels = 'k'", "pyproject.toml": "[tool.isadiff]\nkernels = 'l'"})
	c := load(t, Options{Dir: root})
	if got := faults(c); len(got) != 1 || !strings.Contains(got[0], "that table is ignored") || c.Kernels.String() != "k" {
		t.Errorf("two files: %q, kernels %s", got, c.Kernels)
	}
}

func TestPaths(t *testing.T) {
	root := tree(t, map[string]string{"isadiff.toml": ""})
	home := filepath.Join(root, "home")
	tests := []struct{ text, want string }{
		{"~", home},
		{"~/d", filepath.Join(home, "d")},
		{"~user/d", filepath.Join(root, "~user", "d")},
		{"a/../b//c/", filepath.Join(root, "b", "c")},
		{"./d", filepath.Join(root, "d")},
		{"${workspaceFolder}/d", filepath.Join(root, "d")},
		{"größe/ü", filepath.Join(root, "größe", "ü")},
	}
	for _, tt := range tests {
		c := load(t, Options{Dir: root, Home: home, Client: map[string]any{"dumps": tt.text}})
		if c.Dumps != tt.want || len(c.Faults) > 0 {
			t.Errorf("%s: %s, want %s; %v", tt.text, c.Dumps, tt.want, c.Faults)
		}
	}
	if filepath.Separator == '/' {
		for _, text := range []string{`C:\dumps`, "d:/dumps", "a\x00b"} {
			c := load(t, Options{Dir: root, Client: map[string]any{"dumps": text}})
			if len(c.Faults) != 1 || c.Origin("dumps").Layer != Default {
				t.Errorf("%q: %s, %v", text, c.Dumps, c.Faults)
			}
		}
	}
}

func TestPathMapOrder(t *testing.T) {
	root := tree(t, map[string]string{"isadiff.toml": "[path-map]\n'/w' = 'a'\n'/w/deep' = 'b'\n'C:\\proj' = 'c'\n"})
	c := load(t, Options{Dir: root, Client: map[string]any{"path-map": map[string]any{"/w": "d", "/x.y": "e"}}})
	want := []locate.Mapping{
		{From: `/w/deep`, To: filepath.Join(root, "b")},
		{From: `C:\proj`, To: filepath.Join(root, "c")},
		{From: "/x.y", To: filepath.Join(root, "e")},
		{From: "/w", To: filepath.Join(root, "d")},
	}
	if d := cmp.Diff(want, c.PathMap); d != "" {
		t.Errorf("path-map (-want +got):\n%s", d)
	}
}

func FuzzTOML(f *testing.F) {
	f.Add([]byte("[tool.isadiff]\nkernels = \"k\"\nseverity = {lds = 'off'}\n[[x]]\n"))
	f.Add([]byte("\xef\xbb\xbfa = [\n[[\r\n\"\"\"\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines := 1 + strings.Count(string(data), "\n")
		for _, name := range []string{ownFile, sharedFile} {
			settings, _, broken := readTOML(name, data)
			if broken != nil && (broken.Line < 1 || broken.Line > lines || broken.Column < 1) {
				t.Errorf("broken at %d:%d of %d lines", broken.Line, broken.Column, lines)
			}
			l := loader{config: &Config{Origins: map[string]Origin{}, severity: map[string]Severity{}}, base: "/"}
			for _, s := range settings {
				if s.origin.Line < 1 || s.origin.Line > lines || s.column < 1 {
					t.Errorf("%v at %d:%d of %d lines", s.path, s.origin.Line, s.column, lines)
				}
				l.apply(s)
			}
		}
	})
}
