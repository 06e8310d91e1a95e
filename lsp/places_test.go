package lsp_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// An answer is what the three places have to agree on.
type answer struct {
	Verdict   string
	ExitCode  int
	Compared  int
	Total     int
	Worsened  int
	Improved  int
	Problems  map[string]int    // codes of problems and how often
	Regressed map[string]string // keys of the kernels that got worse -> what did
}

// The JSON of diff, the last line of watch --json and the server's status and
// kernels say the same, for every pair of testdata.
func TestSameAnswerInThreePlaces(t *testing.T) {
	befores, err := filepath.Glob(dumps + "/*/*/before")
	if err != nil || len(befores) < 8 {
		t.Fatalf("pairs %v: %v", befores, err)
	}
	type pair struct {
		before, after string
		harm          func(p projectDir) // what happened to the files; nil for nothing
	}
	pairs := []pair{
		{"base/gfx942", "base/gfx950", nil},
		{"base/gfx1201", "mixed/gfx1201/after", nil},
		{"failed-compile/gfx950/good", "failed-compile/gfx950/then-failed", nil},
		{"pytest-last-wins/gfx950", "pytest-per-test/gfx950", nil},
		{"one-dump-dir/gfx950", "base/gfx950", nil},
		{"base/gfx950", "debug-leftover/gfx950", nil},
		{"../hip/before", "../hip/after", nil},
		{"../triton/before", "../triton/after", nil},
	}
	for _, before := range befores {
		rel, err := filepath.Rel(dumps, filepath.Dir(before))
		if err != nil {
			t.Fatal(err)
		}
		rel = filepath.ToSlash(rel)
		pairs = append(pairs, pair{rel + "/before", rel + "/after", nil}, pair{rel + "/after", rel + "/before", nil})
	}
	for _, harm := range pairings {
		pairs = append(pairs, pair{"renamed/gfx950/before", "renamed/gfx950/after", harm}, pair{"renamed/gfx950/after", "renamed/gfx950/before", harm})
	}
	for _, harm := range harms {
		pairs = append(pairs, pair{"mixed/gfx1201/before", "mixed/gfx1201/after", harm})
	}
	for i, pair := range pairs {
		name := strings.NewReplacer("/", "_").Replace(pair.before + " to " + pair.after)
		if pair.harm != nil {
			name += fmt.Sprintf(" harmed %d", i)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.dump(pair.before, "base")
			p.dump(pair.after, "dumps")
			if pair.harm != nil {
				pair.harm(p)
			}
			ofDiff := answerOfDiff(t, p)
			ofServer := answerOfServer(t, p)
			if got, want := describe(ofServer), describe(ofDiff); got != want {
				t.Errorf("the server says\n%s\ndiff says\n%s", got, want)
			}
			if got, want := describe(answerOfWatch(t, p)), describe(ofDiff); got != want {
				t.Errorf("watch says\n%s\ndiff says\n%s", got, want)
			}
		})
	}
}

// harms are what can happen to dumps and baselines.
var harms = []func(p projectDir){
	func(p projectDir) { p.harm("dumps", ".end_amdgpu_metadata", "") }, // cut short, and old enough to be so for good
	func(p projectDir) { p.harm("base", ".end_amdgpu_metadata", "") },
	func(p projectDir) { p.harm("dumps", ".vgpr_count:     ", ".vgpr_count: -") },
	func(p projectDir) { p.harm("dumps", "s_endpgm", "s_endpgm ; \xff") },
	func(p projectDir) { p.harm("base", "gfx1201", "gfx1200") },
	func(p projectDir) {
		p.harm("dumps", ".private_segment_fixed_size: 0", ".private_segment_fixed_size: 8")
	},
	func(p projectDir) {
		if err := os.RemoveAll(p.path("dumps")); err != nil {
			p.t.Fatal(err)
		}
	},
	func(p projectDir) { p.write("dumps/.isadiff-incomplete", "stopped") },
	func(p projectDir) { p.dump("mixed/gfx1201/after", "dumps/again") },
	func(p projectDir) { p.write("isadiff.toml", "budgets = { '*' = ['vgpr <= 20', 'vgprs <= 1'] }\n") },
	func(p projectDir) {
		p.write("isadiff.toml", "budgets = { 'rowwise_rmsnorm/rmsnorm_kernel_0::rmsnorm_kernel_0' = 'vgpr <= 20', 'elsewhere::softmax_rows_0' = 'vgpr <= 1' }\n")
		p.moveUnder("dumps", "tests/test_kernels.py")
	},
	func(p projectDir) { // all of it under names that nobody looks for
		p.dump("../computed/dumps/sq_w2", "was")
		if err := os.RemoveAll(p.path("dumps")); err != nil {
			p.t.Fatal(err)
		}
		p.write("dumps/iree/k.rocmasm", p.read("was/22_final_isa.s"))
	},
	func(p projectDir) { // some of it
		p.dump("../computed/dumps/sq_w2", "was")
		p.write("dumps/iree/k.rocmasm", p.read("was/22_final_isa.s"))
	},
	func(p projectDir) { p.write("isadiff.toml", "kernels = 'rmsnorm_*'\n") },
	func(p projectDir) { p.write("isadiff.toml", "tolerance = { '*' = 'waves' }\n") },
	func(p projectDir) {
		p.write("isadiff.toml", "[tolerance]\n'*' = { vgpr = 12 }\n'softmax_*' = { lds_static_bytes = 128 }\n")
	},
	func(p projectDir) {
		p.write("isadiff.toml", "[tolerance]\n'*' = { vgpr = 12 }\n'rmsnorm_*' = { vgpr = 11 }\n")
	},
	func(p projectDir) { p.write("isadiff.toml", "tolerance = { '*' = 'wave' }\n") },
	func(p projectDir) { p.write("isadiff.toml", "kernels = 'nothing_*'\n") },
	func(p projectDir) {
		p.write(".isadiff/accepted.toml", acceptedMixed)
		p.moveUnder("dumps", "tests/test_kernels.py")
	},
	func(p projectDir) {
		p.write(".isadiff/accepted.toml", acceptedMixed)
		p.moveUnder("dumps", "tests/test_kernels.py")
		p.moveUnder("base", "tests/test_kernels.py")
	},
	func(p projectDir) {
		p.write(".isadiff/accepted.toml", acceptedMixed)
		p.dump("mixed/gfx1201/before", "base/again")
		p.moveUnder("dumps", "again")
	},
	func(p projectDir) {
		p.write(".isadiff/accepted.toml", "[[accepted]]\nkernel = '*'\nmetric = 'vgpr'\nvalue = 999\nuntil = 2020-01-01\n\n[[accepted]]\nkernel = '*'\nmetric = 'vgpr_spill'\nvalue = 999\n")
	},
}

// pairings are what a project can say of kernels that were renamed.
var pairings = []func(p projectDir){
	func(p projectDir) {
		p.write("isadiff.toml", "[pairs]\ncolumn_means_0 = 'average_columns_0'\n'transpose_dynamic_*' = 'transpose_on_demand_kernel_*'\n'gelu_exact_erf' = 'gelu_erf_bf16'\n")
	},
	func(p projectDir) {
		p.write("isadiff.toml", "[pairs]\naverage_columns_0 = 'column_means_0'\n'**::transpose_on_demand_kernel_0' = '**::transpose_dynamic_0'\n'nothing' = 'x'\n")
	},
	func(p projectDir) {
		p.write("isadiff.toml", "[pairs]\ncolumn_means_0 = 'average_columns_0'\ngelu_exact_erf = 'average_columns_0'\naverage_columns_0 = 'column_means_0'\ngelu_erf_bf16 = 'column_means_0'\n")
	},
	func(p projectDir) { p.write("isadiff.toml", "[pairs]\n'column_*' = 'average'\n") },
	func(p projectDir) {
		p.write("isadiff.toml", "tolerance = { '*' = 'waves' }\npairs = { '*_0' = '*_0' }\n")
	},
}

// acceptedMixed accepts what got worse in mixed/gfx1201, under the keys that it has there.
const acceptedMixed = "[[accepted]]\nkernel = 'rowwise_rmsnorm/rmsnorm_kernel_0::rmsnorm_kernel_0'\nmetric = 'vgpr'\nvalue = 38\n\n" +
	"[[accepted]]\nkernel = 'rowwise_softmax/softmax_rows_0::softmax_rows_0'\nmetric = 'lds_static_bytes'\nvalue = 128\n"

// moveUnder moves all that is in a folder to a folder of it, as a capture has it.
func (p projectDir) moveUnder(tree, folder string) {
	p.t.Helper()
	if err := os.Rename(p.path(tree), p.path(tree+".moving")); err != nil {
		p.t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(p.path(tree+"/"+folder)), 0o777); err != nil {
		p.t.Fatal(err)
	}
	if err := os.Rename(p.path(tree+".moving"), p.path(tree+"/"+folder)); err != nil {
		p.t.Fatal(err)
	}
}

// harm replaces a text in the first assembly file of a tree that has it.
func (p projectDir) harm(tree, old, new string) {
	p.t.Helper()
	done := false
	err := filepath.WalkDir(p.path(tree), func(path string, d os.DirEntry, err error) error {
		if err != nil || done || filepath.Ext(path) != ".s" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(text, []byte(old)) {
			return err
		}
		done = true
		if err := os.WriteFile(path, bytes.ReplaceAll(text, []byte(old), []byte(new)), 0o666); err != nil {
			return err
		}
		past := time.Now().Add(-time.Hour)
		if err := os.Chtimes(path, past, past); err != nil {
			return err
		}
		origin := filepath.Join(filepath.Dir(path), "00_origin.mlir")
		return os.Chtimes(origin, past, past)
	})
	if err != nil || !done {
		p.t.Fatalf("%q is in no assembly of %s: %v", old, tree, err)
	}
}

func describe(a answer) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d: compared %d of %d, worsened %d, improved %d\n", a.Verdict, a.ExitCode, a.Compared, a.Total, a.Worsened, a.Improved)
	for _, code := range slices.Sorted(maps.Keys(a.Problems)) {
		fmt.Fprintf(&b, "%s: %d\n", code, a.Problems[code])
	}
	for _, key := range slices.Sorted(maps.Keys(a.Regressed)) {
		fmt.Fprintf(&b, "%s: %s\n", key, a.Regressed[key])
	}
	return b.String()
}

// triggers are the metrics whose growth is a regression.
var triggers = []string{"vgpr", "sgpr", "vgpr_spill", "sgpr_spill", "scratch_bytes", "lds_static_bytes"}

func grown(deltas map[string]int) string {
	var parts []string
	for _, m := range triggers {
		if deltas[m] > 0 {
			parts = append(parts, fmt.Sprintf("%s +%d", m, deltas[m]))
		}
	}
	return strings.Join(parts, ", ")
}

// comparison is the JSON of diff and, in part, of watch.
type comparison struct {
	Verdict         string
	ExitCode        int                     `json:"exit_code"`
	ComparedKernels int                     `json:"compared_kernels"`
	TotalKernels    int                     `json:"total_kernels"`
	WorsenedMetrics int                     `json:"worsened_metrics"`
	ImprovedMetrics int                     `json:"improved_metrics"`
	ProblemCodes    []struct{ Code string } `json:"problem_codes"`
	Rows            []struct {
		Kernel string
		Deltas map[string]int
	}
}

func (c comparison) answer() answer {
	a := answer{strings.TrimPrefix(c.Verdict, "RESULT: "), c.ExitCode, c.ComparedKernels, c.TotalKernels, c.WorsenedMetrics, c.ImprovedMetrics, map[string]int{}, map[string]string{}}
	for _, p := range c.ProblemCodes {
		a.Problems[p.Code]++
	}
	for _, r := range c.Rows {
		if what := grown(r.Deltas); what != "" {
			a.Regressed[r.Kernel] = what
		}
	}
	return a
}

func answerOfDiff(t *testing.T, p projectDir) answer {
	cmd := exec.Command(binary, "diff", "base", "dumps", "--json", "-")
	cmd.Dir = p.root
	out, err := cmd.Output()
	if len(out) == 0 {
		t.Fatalf("diff: %v", err)
	}
	var c comparison
	if err := json.Unmarshal(out, &c); err != nil {
		t.Fatalf("diff: %v: %s", err, out)
	}
	if c.ExitCode != cmd.ProcessState.ExitCode() {
		t.Errorf("diff exits with %d and writes %d", cmd.ProcessState.ExitCode(), c.ExitCode)
	}
	return c.answer()
}

func answerOfServer(t *testing.T, p projectDir) answer {
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	s.rescan()
	var status struct {
		Verdict  string
		ExitCode int
		Counts   struct{ Compared, Total, Worsened, Improved int }
		Problems map[string]int
	}
	s.execute("isadiff.status", object{}, &status)
	var list struct {
		Kernels []struct {
			Key   string
			Cells []struct {
				Metric string
				Delta  *int
			}
		}
	}
	s.execute("isadiff.kernels", object{}, &list)
	a := answer{status.Verdict, status.ExitCode, status.Counts.Compared, status.Counts.Total, status.Counts.Worsened, status.Counts.Improved, status.Problems, map[string]string{}}
	for _, k := range list.Kernels {
		deltas := map[string]int{}
		for _, c := range k.Cells {
			if c.Delta != nil {
				deltas[c.Metric] = *c.Delta
			}
		}
		if what := grown(deltas); what != "" {
			a.Regressed[k.Key] = what
		}
	}
	// What got worse and can be judged has a diagnostic, and nothing else has one
	// of that kind.
	reported := map[string]bool{}
	for _, m := range allOf[published](s, "textDocument/publishDiagnostics") {
		for _, d := range m.Diagnostics {
			if d.Code == "regression" {
				reported[d.Data["kernel"].(string)] = true
			}
		}
	}
	var kernels struct {
		Kernels []struct{ Key, Status string }
	}
	s.execute("isadiff.kernels", object{}, &kernels)
	for _, k := range kernels.Kernels {
		if reported[k.Key] != (k.Status == "worse") {
			t.Errorf("%s is %s, its diagnostic is there: %v", k.Key, k.Status, reported[k.Key])
		}
		delete(reported, k.Key)
	}
	for key := range reported {
		t.Errorf("a diagnostic for %s, which is no kernel", key)
	}
	s.claim("window/showMessage") // what concerns no kernel and no file
	s.close()
	return a
}

func answerOfWatch(t *testing.T, p projectDir) answer {
	cmd := exec.Command(binary, "watch", "dumps", "--baseline", "base", "--json")
	cmd.Dir = p.root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	killed := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	defer killed.Stop()
	r := bufio.NewReader(out)
	first, err := r.ReadBytes('\n')
	if err != nil {
		t.Fatalf("watch: %v\n%s", err, stderr.String())
	}
	cmd.Process.Signal(os.Interrupt)
	last := first
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			break
		}
		last = line
	}
	cmd.Wait()
	var c comparison
	if err := json.Unmarshal(last, &c); err != nil {
		t.Fatalf("watch: %v: %s", err, last)
	}
	return c.answer()
}
