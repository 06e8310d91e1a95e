package project

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What a fault costs: the keys that have no usable value because of it.
func TestLost(t *testing.T) {
	all := slices.Concat(Comparing, Judging)
	for _, tt := range []struct {
		name   string
		o      Options
		text   string
		usable bool
		lost   []string
	}{
		{"nothing", Options{}, "dumps = 'd'\n", true, nil},
		{"what decides nothing", Options{}, "hover = 3\ndunps = 'd'\nseverity.lds = 1\npath-map = 'x'\n", true, nil},
		{"a file that is broken", Options{}, "dumps = 'd\n", false, all},
		{"one key", Options{}, "dumps = 3\n", false, []string{dumpsKey}},
		{"a key that is set twice", Options{}, "baseline = 'a'\nbaseline = 'b'\n", false, []string{baselineKey}},
		{"two values, one of them good", Options{}, "kernels = 3\nkernels = 'k'\n", false, []string{kernelsKey}},
		{"a producer says where the dumps are", Options{}, "producer = 'x'\n", false, []string{producerKey, dumpsKey}},
		{"a producer, where the dumps are named", Options{}, "producer = 'x'\ndumps = 'd'\n", false, []string{producerKey}},
		{"what is allowed", Options{}, "accepted = 3\nbudgets.'*' = 3\npairs.k = 3\ntolerance.'*' = 3\n", true, Judging},
		{"a later layer has a good one", Options{Client: map[string]any{"dumps": "d"}}, "dumps = 3\n", true, nil},
		{"a later layer has a bad one", Options{Client: map[string]any{"dumps": 3.0}}, "dumps = 'd'\n", false, []string{dumpsKey}},
		{"flags outrank what is broken, but for what adds up", Options{Flags: map[string]any{"dumps": "d", "baseline": "b", "kernels": "k"}}, "dumps = 'd\n", false,
			[]string{sourcesKey, producerKey, producersKey, pairsKey, budgetsKey, toleranceKey, acceptedKey}},
		{"settings that are no table", Options{Client: map[string]any{"isadiff": "x"}}, "", false, all},
		{"an empty table in settings", Options{Client: map[string]any{"kernels": map[string]any{}}}, "", false, []string{kernelsKey}},
		{"a variable", Options{Env: func(name string) (string, bool) { return "C:\\d", name == "FLYDSL_DUMP_DIR" }}, "", filepath.Separator != '/', []string{dumpsKey}},
		{"a variable of another producer", Options{Env: func(name string) (string, bool) { return "C:\\d", name == "FLYDSL_DUMP_DIR" }}, "producer = 'triton'\n", true, nil},
		{"a variable of this one", Options{Env: func(name string) (string, bool) { return "C:\\d", name == "TRITON_CACHE_DIR" }}, "producer = 'triton'\n", filepath.Separator != '/', []string{dumpsKey}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.o.Env != nil && filepath.Separator != '/' {
				t.Skip("a path of Windows is one there")
			}
			tt.o.Dir = tree(t, map[string]string{"isadiff.toml": tt.text})
			c := load(t, tt.o)
			var lost []string
			for _, key := range all {
				if len(c.Lost(key)) > 0 {
					lost = append(lost, key)
				}
			}
			slices.Sort(lost)
			want := slices.Sorted(slices.Values(tt.lost))
			if !slices.Equal(lost, want) || c.Usable() != tt.usable || (len(c.Invalid()) > 0) != (len(want) > 0) {
				t.Errorf("lost %q, want %q; usable %v; %q", lost, want, c.Usable(), faults(c))
			}
		})
	}
}

// While a configuration is invalid the last good one counts, with what is wrong.
func TestAfter(t *testing.T) {
	root := tree(t, map[string]string{"k.py": ""})
	of := func(settings map[string]any) *Config { return load(t, Options{Dir: root, Client: settings}) }
	good, other := of(map[string]any{"dumps": "d"}), of(map[string]any{"dumps": "e"})
	bad, worse := of(map[string]any{"dumps": 3.0}), of(map[string]any{"kernels": "["})
	limits := of(map[string]any{"dumps": "e", "budgets": 3.0})
	if bad.After(nil) != bad || bad.After(worse) != bad || other.After(good) != other || good.After(bad) != good {
		t.Error("one that is no last good one counts")
	}
	kept := bad.After(good)
	for range 2 {
		if kept.Dumps != good.Dumps || len(kept.Faults) != 1 || len(kept.Invalid()) != 1 || !kept.Usable() || !kept.SameInputs(good) || !good.SameInputs(kept) {
			t.Errorf("kept %+v", kept)
		}
		kept = worse.After(kept)
	}
	if got := other.After(kept); got != other || got.SameInputs(kept) {
		t.Errorf("mended to another one: %+v", got)
	}
	if got := limits.After(good); got.Dumps != good.Dumps || len(got.Invalid()) != 1 {
		t.Errorf("limits that cannot be read: %+v", got)
	}
	if got := good.After(limits); got != good || got.SameInputs(limits) {
		t.Errorf("limits that can be read again: %+v", got)
	}
	if len(good.Invalid()) > 0 {
		t.Error("the last good one was changed")
	}
}

// A file that may be ours and cannot be read is not passed over.
func TestHiddenFile(t *testing.T) {
	root := tree(t, map[string]string{"k.py": ""})
	if err := os.Symlink("gone", filepath.Join(root, "pyproject.toml")); err != nil {
		t.Skip(err)
	}
	if c := load(t, Options{Dir: root}); c.Usable() || len(c.Faults) != 1 {
		t.Errorf("a link to nowhere: %q", c.Faults)
	}
}
