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
	pairs := [][2]string{
		{"base/gfx942", "base/gfx950"},
		{"base/gfx1201", "mixed/gfx1201/after"},
		{"failed-compile/gfx950/good", "failed-compile/gfx950/then-failed"},
		{"pytest-last-wins/gfx950", "pytest-per-test/gfx950"},
	}
	for _, before := range befores {
		rel, err := filepath.Rel(dumps, filepath.Dir(before))
		if err != nil {
			t.Fatal(err)
		}
		rel = filepath.ToSlash(rel)
		pairs = append(pairs, [2]string{rel + "/before", rel + "/after"}, [2]string{rel + "/after", rel + "/before"})
	}
	for _, pair := range pairs {
		t.Run(strings.NewReplacer("/", "_").Replace(pair[0]+" to "+pair[1]), func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.dump(pair[0], "base")
			p.dump(pair[1], "dumps")
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
