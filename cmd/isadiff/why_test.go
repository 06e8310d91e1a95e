package main

import (
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// The JSON of why has the keys that docs/understand/why.md names, adds up, and agrees with that
// of where on both sides.
func TestWhyAgreesWithWhere(t *testing.T) {
	t.Parallel()
	root := filepath.Join(repository(t), "testdata")
	kernels, located, spilling := 0, 0, 0
	for _, pair := range [][2]string{
		{"hip/before", "hip/after"},
		{"triton/before", "triton/after"},
		{"dumps/tile-up-spills/gfx942/before", "dumps/tile-up-spills/gfx942/after"},
		{"dumps/tile-up-spills-wmma/gfx1201/before", "dumps/tile-up-spills-wmma/gfx1201/after"},
		{"dumps/debug/gfx950", "dumps/debug/gfx950"},
	} {
		before, after := filepath.Join(root, pair[0]), filepath.Join(root, pair[1])
		var told struct{ Kernels []map[string]any }
		decode(t, &told, "why", before, after, "--ignore-times", "--json", "-")
		sides := map[string]map[string]map[string]any{"before": whereOf(t, before), "after": whereOf(t, after)}
		for _, k := range told.Kernels {
			kernels++
			want := []string{"after_file", "before_file", "classes", "instructions", "kernel", "key", "lines", "loops", "mnemonics", "peaks", "reason", "refused", "spill_bound", "steps", "target"}
			if got := slices.Sorted(maps.Keys(k)); !slices.Equal(got, want) {
				t.Fatalf("keys %q, want %q", got, want)
			}
			for side, all := range sides {
				w := all[k["kernel"].(string)+" "+k[side+"_file"].(string)]
				if w == nil {
					t.Fatalf("where has no %s in %s", k["kernel"], k[side+"_file"])
				}
				sum := func(list any, key string) (n float64) {
					for _, x := range list.([]any) {
						n += x.(map[string]any)[key].(map[string]any)[side].(float64)
					}
					return n
				}
				of := func(list any) (n float64) {
					for _, x := range list.([]any) {
						n += x.(map[string]any)[side].(float64)
					}
					return n
				}
				n := w["instructions"].(float64)
				if k["instructions"].(map[string]any)[side] != n || sum(k["lines"], "instructions") != n || of(k["classes"]) != n || of(k["mnemonics"]) != n {
					t.Errorf("%s %s: %v instructions, want %v", k["key"], side, k["instructions"], n)
				}
				if stores := sum(k["lines"], "spill_stores"); stores != w["spill_stores"] || sum(k["lines"], "spill_loads") != w["spill_loads"] {
					t.Errorf("%s %s: %v spill stores, want %v", k["key"], side, stores, w["spill_stores"])
				} else if stores > 0 {
					spilling++
				}
				steps := 0.0
				for _, s := range k["steps"].([]any) {
					if s.(map[string]any)[side] != nil {
						steps++
					}
				}
				if steps != n {
					t.Errorf("%s %s: %v steps, want %v", k["key"], side, steps, n)
				}
				for file, peak := range k["peaks"].(map[string]any) {
					if got := peak.(map[string]any)[side]; !reflect.DeepEqual(got, w[file]) {
						t.Errorf("%s %s: the peak of %s is %v, want %v", k["key"], side, file, got, w[file])
					}
				}
				byLine := map[any]map[string]any{}
				for _, l := range w["by_line"].([]any) {
					l := l.(map[string]any)
					byLine[l["source"].(map[string]any)["line"]] = l
				}
				for _, l := range k["lines"].([]any) {
					l := l.(map[string]any)
					line := l["before_line"]
					if side == "after" {
						line = l["source"].(map[string]any)["line"]
					}
					if l["instructions"].(map[string]any)[side] == 0.0 {
						continue
					}
					located++
					for _, key := range []string{"instructions", "live_vgprs", "spill_stores", "spill_loads"} {
						if l[key].(map[string]any)[side] != byLine[line][key] {
							t.Errorf("%s %s line %v: %s %v, want %v", k["key"], side, line, key, l[key], byLine[line][key])
						}
					}
				}
			}
		}
	}
	if kernels < 25 || located < 200 || spilling < 2 {
		t.Errorf("%d kernels, %d lines, %d spill: too few to tell anything", kernels, located, spilling)
	}
}

func whereOf(t *testing.T, tree string) map[string]map[string]any {
	t.Helper()
	var told struct{ Kernels []map[string]any }
	decode(t, &told, "where", tree, "--ignore-times", "--json", "-")
	all := map[string]map[string]any{}
	for _, k := range told.Kernels {
		all[k["kernel"].(string)+" "+k["file"].(string)] = k
	}
	return all
}

func decode(t *testing.T, to any, args ...string) {
	t.Helper()
	cmd := exec.Command("isadiff", args...)
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	if len(out) == 0 { // whatever the verdict
		t.Fatalf("isadiff %q: %v", args, err)
	}
	if err := json.Unmarshal(out, to); err != nil {
		t.Fatal(err)
	}
}
