package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isadiff/engine/resource"
)

// Pairs of all layers count; of one name the most specific layer's.
func TestPairs(t *testing.T) {
	root := tree(t, map[string]string{"pyproject.toml": "[tool.isadiff.pairs]\n\"a_*_u2\" = \"a_*_u8\"\n'x' = 'y'\n"})
	c := load(t, Options{Dir: root, Flags: map[string]any{"pairs": map[string]any{"x": "z"}}})
	var got []string
	for _, o := range c.Pairs {
		got = append(got, o.String())
	}
	if want := `"a_*_u2" = "a_*_u8" (pyproject.toml:2), "x" = "z" (--pair)`; strings.Join(got, ", ") != want {
		t.Errorf("got %s", got)
	}
	for _, text := range []string{"pairs = 'a'\n", "pairs.a = 3\n", "pairs.a = ''\n", "pairs.'a*' = 'b'\n", "pairs.'a?' = 'b?'\n", "pairs.a.b = 'c'\n", "pairs.a = ['b']\n"} {
		c := load(t, Options{Dir: tree(t, map[string]string{"isadiff.toml": text})})
		if len(c.Pairs) > 0 || len(c.Lost("pairs")) != 1 || len(c.Invalid()) != 1 || !c.Usable() {
			t.Errorf("%s: %v, %q", text, c.Pairs, c.Faults)
		}
	}
	// Two values of one name are both there, which the comparison calls ambiguous.
	if c := load(t, Options{Dir: tree(t, map[string]string{"isadiff.toml": "[pairs]\na = 'b'\na = 'c'\n"})}); len(c.Pairs) != 2 {
		t.Errorf("%v", c.Pairs)
	}
}

// More than a person writes are too many, which decides.
func TestTooManyPairs(t *testing.T) {
	for _, table := range []string{"pairs", "tolerance"} {
		var b strings.Builder
		b.WriteString("[" + table + "]\n")
		for i := range maxOrders + 5 {
			fmt.Fprintf(&b, "k%d = 'waves'\n", i)
		}
		c := load(t, Options{Dir: tree(t, map[string]string{"isadiff.toml": b.String()})})
		if len(c.Pairs)+len(c.Tolerance) != maxOrders || len(c.Lost(table)) != 1 || len(c.Faults) != 1 {
			t.Errorf("%s: %d, %d, %.200q", table, len(c.Pairs), len(c.Tolerance), c.Faults)
		}
	}
}

// Tolerances are read in every form that TOML and JSON have, or decide that nothing is OK.
func TestTolerance(t *testing.T) {
	for _, c := range []struct {
		name   string
		text   string
		client map[string]any
		want   string // what is tolerated of vgpr, as it is written; "" for nothing
		lost   int
	}{
		{"nothing", "", nil, "", 0},
		{"waves", "tolerance.'*' = 'waves'\n", nil, "waves", 0},
		{"a number", "tolerance = { 'k*' = { vgpr = 4, sgpr = 8 } }\n", nil, "4", 0},
		{"a table", "[tolerance.'k*']\nvgpr = 4\nsgpr = 8\n", nil, "4", 0},
		{"the specific one", "[tolerance]\n'*' = 'waves'\n'k*' = { vgpr = 4 }\n", nil, "4", 0},
		{"nothing of the specific one", "[tolerance]\n'*' = 'waves'\n'k*' = {}\n", nil, "nothing", 0},
		{"settings", "", map[string]any{"tolerance": map[string]any{"k.*": "waves", "k*": map[string]any{"vgpr": 4.0}}}, "4", 0},
		{"settings outrank", "tolerance.'k*'.vgpr = 9\n", map[string]any{"tolerance": map[string]any{"k*": map[string]any{"vgpr": 4.0}}}, "4", 0},
		{"no table", "tolerance = 'waves'\n", nil, "", 1},
		{"an unknown word", "tolerance.'*' = 'wave'\n", nil, "", 1},
		{"an unknown metric", "tolerance.'*' = { vgprs = 1 }\n", nil, "", 1},
		{"no trigger", "tolerance.'*' = { lds_read = 1 }\n", nil, "", 1},
		{"negative", "tolerance.'*' = { vgpr = -1 }\n", nil, "", 1},
		{"a fraction", "tolerance.'*' = { vgpr = 1.5 }\n", nil, "", 1},
		{"no glob", "tolerance.'[' = 'waves'\n", nil, "", 1},
		{"an empty glob", "tolerance.'' = 'waves'\n", nil, "", 1},
		{"too deep", "tolerance.k.vgpr.x = 1\n", nil, "", 1},
		{"twice", "[tolerance]\n'k*' = { vgpr = 4 }\n'k*' = 'waves'\n", nil, "4", 1},
		{"a bad one and a better layer", "tolerance.'*' = 'wave'\n", map[string]any{"tolerance": map[string]any{"*": "waves"}}, "waves", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := tree(t, map[string]string{"isadiff.toml": c.text})
			config := load(t, Options{Dir: root, Client: c.client})
			r := config.Tolerance.For(&resource.Record{Key: "d::k1", Name: "k1"})
			got := ""
			switch {
			case r == nil:
			case r.Waves:
				got = "waves"
			default:
				got = "nothing"
				if n, ok := r.Growth[resource.VGPR]; ok {
					got = string(rune('0' + n))
				}
			}
			if lost := config.Lost("tolerance"); got != c.want || len(lost) != c.lost || len(config.Invalid()) != c.lost {
				t.Errorf("%q tolerated, want %q; %q", got, c.want, config.Faults)
			}
			other := load(t, Options{Dir: root})
			if same := config.SameInputs(other); same != (c.client == nil) {
				t.Errorf("the same inputs as without settings: %v", same)
			}
		})
	}
}

// A pair is put into the configuration as it stands, and all else stays.
func TestAddPair(t *testing.T) {
	for _, c := range []struct {
		name, file, text, want string // "" if a person has to
		at                     int
	}{
		{"no file", "isadiff.toml", "", "[pairs]\n\"a_*\" = \"b_*\"\n", 2},
		{"a file without it", "isadiff.toml", "dumps = 'd'\n", "dumps = 'd'\n\n[pairs]\n\"a_*\" = \"b_*\"\n", 4},
		{"no newline at the end", "isadiff.toml", "dumps = 'd'", "dumps = 'd'\n\n[pairs]\n\"a_*\" = \"b_*\"\n", 4},
		{"its table", "isadiff.toml", "[pairs] # ours\nx = 'y'\n[budgets]\nz = 'vgpr <= 1'\n", "[pairs] # ours\n\"a_*\" = \"b_*\"\nx = 'y'\n[budgets]\nz = 'vgpr <= 1'\n", 2},
		{"its table at the end", "isadiff.toml", "[pairs]", "[pairs]\n\"a_*\" = \"b_*\"\n", 2},
		{"the shared file", "pyproject.toml", "[project]\nname = 'p'\n[tool.isadiff]\nhover = true\n", "[project]\nname = 'p'\n[tool.isadiff]\nhover = true\n\n[tool.isadiff.pairs]\n\"a_*\" = \"b_*\"\n", 7},
		{"Windows", "isadiff.toml", "dumps = 'd'\r\n[pairs]\r\n", "dumps = 'd'\r\n[pairs]\r\n\"a_*\" = \"b_*\"\r\n", 3},
		{"a byte order mark", "isadiff.toml", "\xef\xbb\xbfhover = true\n", "\xef\xbb\xbfhover = true\n\n[pairs]\n\"a_*\" = \"b_*\"\n", 4},
		{"an inline table", "isadiff.toml", "pairs = { x = 'y' }\n", "", 0},
		{"dotted keys", "isadiff.toml", "pairs.x = 'y'\n", "", 0},
		{"an inline table above", "pyproject.toml", "[tool]\nisadiff = { hover = true }\n", "", 0},
		{"there already", "isadiff.toml", "[pairs]\n\"a_*\" = \"c_*\"\n", "", 0},
		{"no TOML", "isadiff.toml", "[pairs\n", "", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"k.py": ""}
			if c.text != "" {
				files[c.file] = c.text
			}
			config := load(t, Options{Dir: tree(t, files)})
			a := config.Add(PairSetting("a_*", "b_*"))
			if filepath.Base(a.Path) != c.file || a.Line != `"a_*" = "b_*"` || string(a.Text) != c.want || (a.Err == nil) != (c.want != "") {
				t.Fatalf("%+v\n%s", a, a.Text)
			}
			if a.Err != nil {
				return
			}
			if a.At != c.at {
				t.Errorf("line %d, want %d", a.At, c.at)
			}
			if c.text != "" {
				if err := os.Chmod(a.Path, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := config.Write(PairSetting("a_*", "b_*")); err != nil {
				t.Fatal(err)
			}
			if info, err := os.Stat(a.Path); err != nil || c.text != "" && info.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' {
				t.Errorf("%v, %v", info.Mode(), err)
			}
			if left, _ := filepath.Glob(filepath.Join(config.Root, "*isadiff*")); len(left) > 1 {
				t.Errorf("left: %q", left)
			}
			again := load(t, Options{Dir: config.Root})
			if n := len(again.Pairs); n == 0 || len(again.Faults) > 0 {
				t.Errorf("%v, %q", again.Pairs, again.Faults)
			}
		})
	}
	for _, name := range []string{"a\"b", `a\*b`, "größe", "\x7f", "a\tb", "a<b>"} {
		config := load(t, Options{Dir: tree(t, map[string]string{"k.py": ""})})
		a := config.Add(PairSetting(name, "b"))
		if a.Err != nil {
			t.Errorf("%q: %v", name, a.Err)
		} else if err := os.WriteFile(a.Path, a.Text, 0o666); err != nil {
			t.Fatal(err)
		} else if again := load(t, Options{Dir: config.Root}); len(again.Pairs) != 1 || again.Pairs[0].Before != name {
			t.Errorf("%q: %v, %q", name, again.Pairs, again.Faults)
		}
	}
	// Neither where a link leads, nor outside of the root.
	outside := tree(t, map[string]string{"isadiff.toml": "hover = true\n"})
	root := tree(t, map[string]string{"k.py": "", "sub/there.toml": "hover = true\n"})
	for _, to := range []string{filepath.Join(outside, "isadiff.toml"), filepath.Join("sub", "there.toml"), "gone"} {
		link := filepath.Join(root, "isadiff.toml")
		_ = os.Remove(link)
		if err := os.Symlink(to, link); err != nil {
			t.Skip(err)
		}
		if _, err := load(t, Options{Dir: root}).Write(PairSetting("a", "b")); err == nil {
			t.Errorf("%s is written", to)
		}
	}
	for _, path := range []string{filepath.Join(outside, "isadiff.toml"), filepath.Join(root, "sub", "there.toml")} {
		if text, err := os.ReadFile(path); err != nil || string(text) != "hover = true\n" {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
	config := load(t, Options{Dir: tree(t, map[string]string{"k.py": ""})})
	if a := config.Add(PairSetting("\xff", "b")); a.Err == nil {
		t.Errorf("what TOML cannot hold: %s", a.Text)
	}
}

// Other keys are put where they belong: one of no table before all tables.
func TestAdd(t *testing.T) {
	compile := CompileSetting(Command{Args: []string{"python", "k.py", `a"b`}})
	for _, c := range []struct {
		file, text string
		setting    Setting
		want       string // "" if a person has to
		at         int
	}{
		{"isadiff.toml", "", compile, "compile = [\"python\", \"k.py\", \"a\\\"b\"]\n", 1},
		{"isadiff.toml", "dumps = 'd'\n\n# of kernels\n[pairs]\nx = 'y'\n", compile, "dumps = 'd'\n\ncompile = [\"python\", \"k.py\", \"a\\\"b\"]\n\n# of kernels\n[pairs]\nx = 'y'\n", 3},
		{"isadiff.toml", "dumps = 'd'", compile, "dumps = 'd'\ncompile = [\"python\", \"k.py\", \"a\\\"b\"]\n", 2},
		{"isadiff.toml", "compile = 'make'\n", compile, "", 0},
		{"pyproject.toml", "[tool.isadiff]\nhover = true\n[tool.x]\n", CompileSetting(Command{Args: []string{"make k"}, Shell: true}), "[tool.isadiff]\ncompile = \"make k\"\nhover = true\n[tool.x]\n", 2},
		{"pyproject.toml", "[tool.isadiff.pairs]\nx = 'y'\n", compile, "[tool.isadiff.pairs]\nx = 'y'\n\n[tool.isadiff]\ncompile = [\"python\", \"k.py\", \"a\\\"b\"]\n", 5},
		{"isadiff.toml", "hover = true\n", ToleranceSetting("softmax_*", map[string]int64{"vgpr": 4, "sgpr": 8}), "hover = true\n\n[tolerance]\n\"softmax_*\" = { sgpr = 8, vgpr = 4 }\n", 4},
		{"isadiff.toml", "[tolerance]\nx = 'waves'\n", ToleranceSetting("k", "waves"), "[tolerance]\n\"k\" = \"waves\"\nx = 'waves'\n", 2},
		{"isadiff.toml", "[tolerance]\nk = 'waves'\n", ToleranceSetting("k", "waves"), "", 0},
		{"isadiff.toml", "", PathSetting("/home/u", "."), "[path-map]\n\"/home/u\" = \".\"\n", 2},
	} {
		files := map[string]string{"k.py": ""}
		if c.text != "" {
			files[c.file] = c.text
		}
		config := load(t, Options{Dir: tree(t, files)})
		a := config.Add(c.setting)
		if string(a.Text) != c.want || (a.Err == nil) != (c.want != "") || a.Err == nil && a.At != c.at {
			t.Errorf("%q and %v: line %d, %v\n%s", c.text, c.setting, a.At, a.Err, a.Text)
		}
		if a.Err != nil {
			continue
		}
		if _, err := config.Write(c.setting); err != nil {
			t.Fatal(err)
		}
		if again := load(t, Options{Dir: config.Root}); len(again.Faults) > 0 || len(c.setting.Key) == 1 && again.CompileText() == "" {
			t.Errorf("%q: %q", a.Text, again.Faults)
		}
	}
}
