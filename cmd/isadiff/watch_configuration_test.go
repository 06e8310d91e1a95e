package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A said is what a line of `watch --json` says of the whole.
type said struct {
	Exit     int `json:"exit_code"`
	Compared int `json:"compared_kernels"`
	Total    int `json:"total_kernels"`
	Dumps    struct {
		Path string `json:"path"`
	} `json:"dumps"`
	Codes []struct {
		Code, File, Message string
		Line                int
	} `json:"problem_codes"`
}

func (s said) has(code, message string) bool {
	for _, p := range s.Codes {
		if p.Code == code && strings.Contains(p.Message, message) {
			return true
		}
	}
	return false
}

// untilSaid reads lines up to one that fits.
func (w *watching) untilSaid(what string, fits func(said) bool) said {
	w.t.Helper()
	for {
		var s said
		line := w.next()
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			w.t.Fatalf("%v: %s", err, line)
		}
		if fits(s) {
			return s
		}
	}
}

// configured is a project whose dumps are as good as its baseline, and the text of its
// configuration.
func configured(t *testing.T) (dir, good string) {
	t.Helper()
	dir = t.TempDir()
	tree(t, "tile-up-spills/gfx942/before", filepath.Join(dir, "before"))
	tree(t, "tile-up-spills/gfx942/before", filepath.Join(dir, "dumps"))
	tree(t, "tile-up-spills/gfx942/before", filepath.Join(dir, "home", ".flydsl", "debug")) // what nobody asked for
	good = "dumps = \"dumps\"\nbaseline = \"before\"\n"
	configure(t, dir, good)
	return dir, good
}

func configure(t *testing.T, dir, text string) {
	t.Helper()
	file := filepath.Join(dir, "isadiff.toml")
	if err := os.WriteFile(file+".new", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
}

// brokenConfigurations are texts in which a key that decides has no usable value, with
// a part of what is said of each.
var brokenConfigurations = []struct{ name, text, code, said string }{
	{"a lost quote", "dumps = \"dumps\nbaseline = \"before\"\n", "configuration-invalid", "isadiff.toml:1: is not valid TOML here"},
	{"a merge conflict", "dumps = \"dumps\"\nbaseline = \"before\"\n<<<<<<< HEAD\n", "configuration-invalid", "isadiff.toml:3: is not valid TOML here"},
	{"dumps of a wrong type", "dumps = 3\nbaseline = \"before\"\n", "configuration-invalid", "isadiff.toml:1: dumps is 3"},
	{"a table for dumps", "dumps = {}\nbaseline = \"before\"\n", "configuration-invalid", "isadiff.toml:1: dumps is {}"},
	{"an empty baseline", "dumps = \"dumps\"\nbaseline = \"\"\n", "configuration-invalid", "isadiff.toml:2: baseline is an empty path"},
	{"no glob", "dumps = \"dumps\"\nbaseline = \"before\"\nkernels = \"[\"\n", "configuration-invalid", "isadiff.toml:3: kernels is no glob"},
	{"no producer", "dumps = \"dumps\"\nbaseline = \"before\"\nproducer = \"tritn\"\n", "configuration-invalid", `isadiff.toml:3: producer is "tritn"`},
	{"an empty producer", "dumps = \"dumps\"\nbaseline = \"before\"\nproducer = \"\"\n", "configuration-invalid", "isadiff.toml:3: producer is empty"},
	{"a producer of nothing", "dumps = \"dumps\"\nbaseline = \"before\"\n[producers.mine]\n", "configuration-invalid", "isadiff.toml:3: producers.mine names no files"},
	{"no sources", "dumps = \"dumps\"\nbaseline = \"before\"\nsources = []\n", "configuration-invalid", "isadiff.toml:3: sources is an empty list"},
	{"no budget", "dumps = \"dumps\"\nbaseline = \"before\"\nbudgets.\"*\" = \"vgprs <= 3\"\n", "budget-invalid", "isadiff.toml:3: budgets.* limits"},
	{"a header instead of a key", "dumps = \"dumps\"\nbaseline = \"before\"\n[kernels]\n", "configuration-invalid", "isadiff.toml:3: kernels is {}"},
	{"our table in our file", "[tool.isadiff]\ndumps = \"dumps\"\n", "configuration-invalid", "isadiff.toml:1: in isadiff.toml keys stand at the top level"},
}

// While a configuration cannot be used the last good one stays in force and nothing is
// OK; as soon as it is mended all is well.
func TestWatchBrokenConfiguration(t *testing.T) {
	for _, poll := range []bool{false, true} {
		dir, good := configured(t)
		t.Setenv("HOME", filepath.Join(dir, "home"))
		args := []string{"--json"}
		if poll {
			args = append(args, "--poll")
		}
		w := startWatch(t, dir, args...)
		ok := func(s said) bool { return s.Exit == 0 && s.Compared == 1 }
		w.untilSaid("OK", ok)
		cases := brokenConfigurations
		if poll {
			cases = cases[:2]
		}
		for _, c := range cases {
			configure(t, dir, c.text)
			got := w.untilSaid(c.name, func(s said) bool { return s.Exit != 0 })
			if got.Exit != 2 || !got.has(c.code, c.said) || got.Compared != 1 || got.Dumps.Path != filepath.Join(dir, "dumps") {
				t.Errorf("%s: %+v", c.name, got)
			}
			configure(t, dir, good)
			w.untilSaid("mended", ok)
		}
		// What is compiled meanwhile is shown, and is no better for it.
		configure(t, dir, brokenConfigurations[0].text)
		w.untilSaid("broken", func(s said) bool { return s.Exit == 2 })
		if _, code := w.interrupt(); code != 2 {
			t.Errorf("ended with %d", code)
		}
	}
}

// At the start nothing is compared then, but for budgets and acceptances, which decide
// only what is allowed; and the reason is the first thing that is said.
func TestWatchStartsWithBrokenConfiguration(t *testing.T) {
	for _, c := range brokenConfigurations {
		t.Run(c.name, func(t *testing.T) {
			dir, good := configured(t)
			t.Setenv("HOME", filepath.Join(dir, "home"))
			configure(t, dir, c.text)
			w := startWatch(t, dir, "--json")
			got := w.untilSaid("anything", func(said) bool { return true })
			want := 0
			if c.code == "budget-invalid" {
				want = 1
			}
			if got.Exit != 2 || !got.has(c.code, c.said) || got.Compared != want || got.Total != want || len(got.Codes) != 1 {
				t.Errorf("%+v", got)
			}
			configure(t, dir, good)
			w.untilSaid("mended", func(s said) bool { return s.Exit == 0 && s.Compared == 1 })
			if _, code := w.interrupt(); code != 0 {
				t.Errorf("ended with %d", code)
			}
		})
	}
}

// In lines for people the reason stands before what was compared.
func TestWatchSaysWhatIsWrongFirst(t *testing.T) {
	dir, _ := configured(t)
	configure(t, dir, brokenConfigurations[0].text)
	w := startWatch(t, dir)
	block := w.until("RESULT:")
	if !strings.Contains(block[0], "[configuration-invalid] isadiff.toml:1: is not valid TOML here") ||
		!slices.ContainsFunc(block, func(line string) bool { return strings.Contains(line, "nothing is compared") }) ||
		slices.ContainsFunc(block, func(line string) bool { return strings.Contains(line, "takes one") }) {
		t.Errorf("%s", strings.Join(block, "\n"))
	}
	if _, code := w.interrupt(); code != 2 {
		t.Errorf("ended with %d", code)
	}
}

// What decides on the command line outranks a key that has no usable value.
func TestWatchFlagsOutrankBrokenKeys(t *testing.T) {
	dir, _ := configured(t)
	configure(t, dir, "dumps = 3\nbaseline = \"\"\nkernels = \"[\"\n")
	w := startWatch(t, dir, "dumps", "--baseline", "before", "--kernels", "*", "--json")
	w.untilSaid("OK", func(s said) bool { return s.Exit == 0 && s.Compared == 1 })
	if _, code := w.interrupt(); code != 0 {
		t.Errorf("ended with %d", code)
	}
}

// No kernel is never OK, with a baseline or without.
func TestWatchWithoutKernels(t *testing.T) {
	for name, baseline := range map[string]string{"with a baseline": "before", "without": "none.json"} {
		t.Run(name, func(t *testing.T) {
			dir, _ := configured(t)
			configure(t, dir, "dumps = \"dumps\"\nbaseline = \""+baseline+"\"\nkernels = \"zzz*\"\n")
			w := startWatch(t, dir, "--json")
			got := w.untilSaid("anything", func(said) bool { return true })
			if got.Exit != 2 || !got.has("no-kernels", `matches "zzz*" (kernels, isadiff.toml:3)`) {
				t.Errorf("%+v", got)
			}
			if _, code := w.interrupt(); code != 2 {
				t.Errorf("ended with %d", code)
			}
		})
	}
}

// A budget that cannot be known is a reason on its kernel.
func TestWatchShowsUnknownBudget(t *testing.T) {
	for name, baseline := range map[string]string{"with a baseline": "before", "without": "none.json"} {
		t.Run(name, func(t *testing.T) {
			dir, _ := configured(t)
			tree(t, "base/gfx942", filepath.Join(dir, "all"))
			configure(t, dir, "dumps = \"all\"\nbaseline = \""+strings.Replace(baseline, "before", "all", 1)+"\"\nbudgets.\"*\" = \"occupancy >= 1\"\n")
			w := startWatch(t, dir)
			block := strings.Join(w.until("RESULT:"), "\n")
			if !strings.Contains(block, "transpose/transpose_dynamic_0::transpose_dynamic_0") || !strings.Contains(block, "[budget-unknown]") || !strings.Contains(block, "NOT TRUSTWORTHY") {
				t.Errorf("%s", block)
			}
			w.interrupt()
		})
	}
}
