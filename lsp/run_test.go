package lsp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"isadiff/engine/dump"
)

// manyKernels is how many kernels the stories of runs have.
const manyKernels = 14

// manySource is a source of many kernels. Where there is a named pipe, the compile
// waits in it after each of them.
func manySource(worse int) string {
	var b strings.Builder
	b.WriteString("import os\nimport flydsl.compiler as flyc\n\n")
	for i := range manyKernels {
		side := "small"
		if i == worse {
			side = "large"
		}
		fmt.Fprintf(&b, "\n@flyc.kernel\ndef k%d(x):\n    return flyc.Kernel(\"%s-k%d\", \"k%d_0\")\n\n", i, side, i, i)
	}
	b.WriteString("\nfor i in range(" + fmt.Sprint(manyKernels) + "):\n    globals()[f\"k{i}\"](0)\n" +
		"    if os.path.exists(\"pipe\"):\n        open(\"pipe\").read()\n")
	return b.String()
}

// newRunProject is a saving project of many kernels, whose compiles wait in a pipe.
func newRunProject(t *testing.T) savingProject {
	t.Helper()
	p := newSavingProject(t)
	assembly := strings.TrimPrefix(p.env[1], "FAKE_ASSEMBLY=")
	for _, side := range []string{"small", "large"} {
		text, err := os.ReadFile(filepath.Join(assembly, side+".s"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range manyKernels {
			name := fmt.Sprintf("%s-k%d.s", side, i)
			if err := os.WriteFile(filepath.Join(assembly, name), bytes.ReplaceAll(text, []byte("window_filter_0"), fmt.Appendf(nil, "k%d_0", i)), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.write("k.py", manySource(-1))
	p.run("capture", "-o", "dumps", "--", "python3", "k.py")
	p.run("snapshot", "dumps", "-o", "base.json")
	if err := exec.Command("mkfifo", p.path("pipe")).Run(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("no named pipes here")
	}
	return p
}

// goOn lets the compile go on after a kernel.
func (p savingProject) goOn() {
	p.t.Helper()
	if err := os.WriteFile(p.path("pipe"), nil, 0o666); err != nil {
		p.t.Fatal(err)
	}
}

// A runStatus is what the tests of runs look at in isadiff/status.
type runStatus struct {
	Verdict, State, Text, Tooltip string
	ExitCode                      int
	Run                           *struct{ Compiled, Known int }
}

// statusesSince returns the statuses that came after the first n messages.
func (s *session) statusesSince(n int) (all []runStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.inbox[n:] {
		var st runStatus
		if m.Method == "isadiff/status" && json.Unmarshal(m.Params, &st) == nil {
			all = append(all, st)
		}
	}
	return all
}

func (s *session) heard() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.inbox)
}

// compiled waits until the run has compiled so many kernels.
func (s *session) compiled(n int) runStatus {
	s.t.Helper()
	return expect(s, "isadiff/status", func(st runStatus) bool { return st.Run != nil && st.Run.Compiled == n })
}

// wantStory holds all statuses of a run against what they may say: nothing is OK before
// the end, and the progress is one.
func wantStory(t *testing.T, all []runStatus, last string) {
	t.Helper()
	if len(all) < manyKernels {
		t.Fatalf("%d statuses", len(all))
	}
	compiled := 0
	for i, st := range all {
		if st.Run == nil {
			if st.State != last || i < len(all)-2 {
				t.Errorf("status %d of %d is %+v", i, len(all), st)
			}
			continue
		}
		if st.ExitCode != 2 || st.State == "ok" || strings.Contains(st.Text+st.Tooltip, "✓") ||
			!strings.HasSuffix(st.Text, fmt.Sprintf(" ◌ %d/%d", st.Run.Compiled, manyKernels)) {
			t.Errorf("status %d of %d is %+v of %+v", i, len(all), st, *st.Run)
		}
		if st.Run.Compiled < compiled || st.Run.Known != manyKernels {
			t.Errorf("%+v after %d", *st.Run, compiled)
		}
		compiled = st.Run.Compiled
	}
	if all[len(all)-1].Run != nil || compiled != manyKernels {
		t.Errorf("%d were compiled, and the last status is %+v", compiled, all[len(all)-1])
	}
}

// From the save to the end of the compile the status counts what is compiled, and is
// never OK; a kernel that got worse shows at once.
func TestStatusDuringCompileOnSave(t *testing.T) {
	p := newRunProject(t)
	s := p.trusting(true)
	for version, worse := range []int{-1, 9} {
		s.claim("isadiff/status")
		begin := s.heard()
		p.save(s, manySource(worse)+"# saved\n", 2+version)
		for i := range manyKernels {
			st := s.compiled(i + 1)
			if regression := worse >= 0 && i >= worse; regression != (st.State == "regression") || regression != strings.Contains(st.Text, "▲ 1") {
				t.Errorf("after %d: %+v", i+1, st)
			}
			if i == 4 {
				titles := s.lensTitles(p.uri("k.py"))
				if len(titles) != manyKernels || strings.Contains(titles[2], "compiling") || !strings.HasPrefix(titles[11], "◌ compiling …") {
					t.Errorf("lenses %q", titles)
				}
			}
			if i == worse {
				expect(s, "textDocument/publishDiagnostics", func(d published) bool { return d.URI == p.uri("k.py") && len(d.Diagnostics) == 1 })
			}
			p.goOn()
		}
		last := "ok"
		if worse >= 0 {
			last = "regression"
		}
		expect(s, "isadiff/status", func(st runStatus) bool { return st.Run == nil && st.State == last })
		wantStory(t, s.statusesSince(begin), last)
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics", "isadiff/status")
	s.close()
}

// A run that is begun while another one ends takes its place: what the other left is no
// news. Here nobody holds the directory any more, as in the moment between the two.
func TestRunTakesPlace(t *testing.T) {
	p := newRunProject(t)
	s := p.trusting(true)
	p.save(s, manySource(-1)+"# saved\n", 2)
	s.compiled(1)
	if err := os.Remove(p.path("dumps/" + dump.RunningName)); err != nil {
		t.Fatal(err)
	}
	expect(s, "isadiff/status", func(st runStatus) bool {
		return st.Run != nil && strings.Contains(st.Tooltip, "has not ended: it was begun at ")
	})
	s.rescan()
	for range manyKernels {
		p.goOn()
	}
	expect(s, "isadiff/status", func(st runStatus) bool { return st.Run == nil && st.State == "ok" })
	s.rescan()
	s.claim("textDocument/publishDiagnostics", "isadiff/status")
	s.close()
}

// A capture on the command line beside the editor, and the command of the editor, show
// as a compile after a save does.
func TestStatusDuringCapture(t *testing.T) {
	for _, beside := range []bool{true, false} {
		p := newRunProject(t)
		s := p.trusting(true)
		s.claim("isadiff/status")
		begin := s.heard()
		ended := make(chan error, 1)
		if beside {
			c := exec.Command(binary, "capture", "-o", "dumps", "--", "python3", "k.py")
			c.Dir, c.Env = p.root, append(clean(os.Environ()), p.env...)
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			go func() { ended <- c.Wait() }()
		} else {
			s.ask("workspace/executeCommand", object{"command": "isadiff.capture", "arguments": []object{{}}})
			ended <- nil
		}
		for i := range manyKernels {
			s.compiled(i + 1)
			p.goOn()
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
		expect(s, "isadiff/status", func(st runStatus) bool { return st.Run == nil && st.State == "ok" })
		all := s.statusesSince(begin)
		for beside && len(all) > 0 && all[0].Run == nil { // before the file of the run was seen
			all = all[1:]
		}
		wantStory(t, all, "ok")
		if left, _ := filepath.Glob(p.path("dumps/.isadiff-[ir]*")); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
		s.rescan()
		s.claim("textDocument/publishDiagnostics", "isadiff/status", "window/showMessage")
		s.close()
	}
}

// A compile that fails, that another takes the place of, or that a person cancels is no
// OK: the dumps are not whole.
func TestStatusAfterABrokenRun(t *testing.T) {
	p := newRunProject(t)
	s := p.trusting(true)
	s.claim("isadiff/status")
	begin := s.heard()
	p.save(s, manySource(-1)+"# one\n", 2)
	s.compiled(1)
	p.save(s, strings.Replace(manySource(-1), "import os\n", "import os\nif not os.path.exists('go'): raise SystemExit(3)\n", 1), 3)
	expect(s, "isadiff/status", func(st runStatus) bool { return st.Run == nil && st.State == "untrustworthy" })
	for _, st := range s.statusesSince(begin) {
		if st.ExitCode != 2 || st.State == "ok" {
			t.Errorf("%+v", st)
		}
	}
	if shown := expect[struct{ Message string }](s, "window/showMessageRequest", nil); !strings.Contains(shown.Message, "exit status 3") {
		t.Errorf("shown %q", shown.Message)
	}
	if err := os.Remove(p.path("pipe")); err != nil {
		t.Fatal(err)
	}
	p.save(s, manySource(-1), 4)
	expect(s, "isadiff/status", func(st runStatus) bool { return st.Run == nil && st.State == "ok" })
	s.rescan()
	s.claim("textDocument/publishDiagnostics", "isadiff/status", "window/showMessage")
	s.close()
}

// lensTitles returns the first lens of each definition.
func (s *session) lensTitles(uri string) (titles []string) {
	s.t.Helper()
	var lenses []codeLens
	s.call("textDocument/codeLens", document(uri), &lenses)
	line := uint32(0)
	for _, l := range lenses {
		if at := uint32(l.Range.Start.Line); len(titles) == 0 || at != line {
			titles, line = append(titles, l.Command.Title), at
		}
	}
	return titles
}
