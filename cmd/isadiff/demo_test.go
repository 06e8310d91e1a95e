package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// demonstrate runs the demo with a folder of its own for temporary files.
func demonstrate(t *testing.T, temporary string, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	var out, errOut strings.Builder
	cmd := exec.Command("isadiff", append([]string{"demo"}, args...)...)
	cmd.Env = append(os.Environ(), "TMPDIR="+temporary, "TMP="+temporary, "NO_COLOR=1",
		"FLYDSL_DUMP_DIR="+filepath.Join(temporary, "elsewhere")) // what a shell has set leads nowhere
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	return out.String(), errOut.String(), exitOf(t, err)
}

// inOrder checks that a text has lines that match the patterns, in this order.
func inOrder(t *testing.T, text string, patterns ...string) {
	t.Helper()
	rest := text
	for _, p := range patterns {
		found := regexp.MustCompile("(?m)" + p).FindStringIndex(rest)
		if found == nil {
			t.Fatalf("no %q where it should be in\n%s", p, text)
		}
		rest = rest[found[1]:]
	}
}

func TestDemo(t *testing.T) {
	dir := t.TempDir()
	out, errOut, exit := demonstrate(t, dir)
	if exit != 0 || errOut != "" {
		t.Fatalf("exit %d\n%s%s", exit, out, errOut)
	}
	inOrder(t, out,
		`^1\. `, `^ +RESULT: OK$`,
		`^2\. `, `kernels/window_filter\.py:19 `, `vgpr_spill +0 -> 136  \(\+136\)$`, `^ +RESULT: REGRESSION$`,
		`^3\. `, `\[stage-stale\]`, `hint: `, `^ +RESULT: NOT TRUSTWORTHY$`,
		`^4\. `, `= same instructions`, `^ +RESULT: OK$`,
		`is removed`)
	if n := strings.Count(out, "RESULT: "); n != len(demoSteps) {
		t.Errorf("%d verdicts of %d steps\n%s", n, len(demoSteps), out)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestDemoKept(t *testing.T) {
	out, _, exit := demonstrate(t, t.TempDir(), "--keep")
	named := regexp.MustCompile(`cd '?(.+?)'? && isadiff watch`).FindStringSubmatch(out)
	if exit != 0 || named == nil {
		t.Fatalf("exit %d\n%s", exit, out)
	}
	cmd := exec.Command("isadiff", "diff", ".isadiff/baseline.json", "dumps")
	cmd.Dir = named[1]
	if got, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(string(got), "RESULT: OK\n") {
		t.Errorf("the folder is no project to go on with: %v\n%s", err, got)
	}
}

func TestDemoWithoutAPlace(t *testing.T) {
	out, errOut, exit := demonstrate(t, filepath.Join(t.TempDir(), "missing"))
	if exit != 2 || !strings.Contains(errOut, "[output-unwritable]") || !strings.HasSuffix(out, "RESULT: NOT TRUSTWORTHY\n") {
		t.Errorf("exit %d\n%s%s", exit, out, errOut)
	}
}
