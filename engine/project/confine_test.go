package project

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/problem"
)

// What a repository names outside of itself is read only if it is trusted; what a person
// names is.
func TestConfine(t *testing.T) {
	home := tree(t, map[string]string{".flydsl/debug/k/22_final_isa.s": "", "elsewhere/k.py": ""})
	named := tree(t, map[string]string{"dumps/k.s": ""})
	elsewhere := filepath.Join(home, "elsewhere")
	set := map[string]any{"dumps": elsewhere, "baseline": elsewhere, "sources": elsewhere, "accepted": elsewhere}
	for _, tt := range []struct {
		name, text string
		o          Options
		refused    string // the keys without a usable value
	}{
		{"nothing", "", Options{}, ""},
		{"within", "dumps = 'in/d'\nbaseline = 'b.json'\nsources = ['in', '.']\naccepted = 'a.toml'\npath-map = { '/x' = 'in' }\n", Options{}, ""},
		{"the root itself", "dumps = '.'\nsources = '.'\n", Options{}, ""},
		{"a place that is not there", "dumps = 'missing/d'\n", Options{}, ""},
		{"the disk", "dumps = '/'\n", Options{}, "dumps"},
		{"the home folder", "dumps = '~'\nbaseline = '~/elsewhere'\n", Options{}, "dumps baseline"},
		{"upward", "dumps = '..'\nsources = '../..'\n", Options{}, "dumps sources"},
		{"by links", "dumps = 'out'\nbaseline = 'out/b.json'\naccepted = 'file.json'\nsources = ['in', 'relative']\n", Options{}, "dumps baseline accepted sources"},
		{"a default folder", "dumps = '~/.flydsl/debug'\n", Options{}, ""},
		{"a folder of one", "dumps = '~/.triton/cache/k'\n", Options{}, ""},
		{"beside one", "dumps = '~/.flydsl/debug/../..'\n", Options{}, "dumps"},
		{"a link in one", "dumps = '~/.flydsl/debug/out'\n", Options{}, "dumps"},
		{"what the environment names", "dumps = '" + filepath.ToSlash(named) + "/dumps'\n", Options{Env: func(name string) (string, bool) {
			return named, name == "TRITON_CACHE_DIR"
		}}, ""},
		{"a mapping", "path-map = { '/x' = '/', '/y' = 'in' }\n", Options{}, "path-map"},
		{"trusted", "dumps = '/'\nbaseline = '/b'\nsources = '/'\naccepted = '/a'\npath-map = { '/x' = '/' }\n", Options{Trusted: true}, ""},
		{"set in the editor", "dumps = '/'\nbaseline = '/b'\nsources = '/'\naccepted = '/a'\n", Options{Client: set}, ""},
		{"by flags", "dumps = '/'\nbaseline = '/b'\nsources = '/'\naccepted = '/a'\n", Options{Flags: set}, ""},
		{"a mapping of the editor", "path-map = { '/x' = '/' }\n", Options{Client: map[string]any{"path-map": map[string]any{"/x": "/"}}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _ := hostile(t, tt.text)
			if err := os.Symlink("/", filepath.Join(home, ".flydsl", "debug", "out")); err != nil && !os.IsExist(err) {
				t.Skip(err)
			}
			tt.o.Dir, tt.o.Home = c.Root, home
			c = load(t, tt.o)
			c.Confine()
			var refused []string
			for _, f := range c.Faults {
				if !strings.Contains(f.Message, "outside the project") || f.Line == 0 {
					t.Errorf("it says %s", f)
				}
				key, _, _ := strings.Cut(f.Message, ":")
				refused = append(refused, key)
			}
			if got := strings.Join(refused, " "); got != tt.refused {
				t.Errorf("refused are %q, want %q", got, tt.refused)
			}
			invalid := slices.DeleteFunc(slices.Clone(refused), func(key string) bool { return key == "path-map" || key == sourcesKey })
			if got := c.Invalid(); len(got) != len(invalid) || len(got) > 0 && c.Problem(got[0]).Code != problem.ConfigurationInvalid {
				t.Errorf("invalid are %q", got)
			}
			if tt.name == "a mapping" && (len(c.PathMap) != 1 || c.PathMap[0].From != "/y") {
				t.Errorf("mapped are %v", c.PathMap)
			}
			for _, path := range c.Sources {
				if strings.Contains(tt.refused, "sources") && path != c.Root && path != filepath.Join(c.Root, "in") {
					t.Errorf("%s is among the sources", path)
				}
			}
		})
	}
}
