package lsp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// savedKernel is a kernel for the stand-in of FlyDSL in capture/testdata: what it
// "compiles" to is assembly that FlyDSL once made, small or large.
const savedKernel = `import flydsl.compiler as flyc


@flyc.kernel
def window_filter(x):
    return flyc.Kernel("small")


window_filter(0)
`

// A savingProject is a project that compiles when it is saved.
type savingProject struct {
	projectDir
	env []string
}

func newSavingProject(t testing.TB) savingProject {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		missing(t, "python3")
	}
	fake, err := filepath.Abs("../watch/capture/testdata/fake")
	if err != nil {
		t.Fatal(err)
	}
	p := savingProject{projectDir: projectDir{t, t.TempDir()}}
	assembly := t.TempDir()
	for name, side := range map[string]string{"small": "before", "large": "after"} {
		text, err := os.ReadFile(filepath.Join(dumps, "tile-up-spills", "gfx942", side, "window_filter", "window_filter_0", "22_final_isa.s"))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(assembly, name+".s"), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p.env = []string{"PYTHONPATH=" + fake, "FAKE_ASSEMBLY=" + assembly, "PYTHONDONTWRITEBYTECODE=1"}
	p.write("isadiff.toml", "dumps = \"dumps\"\nbaseline = \"base.json\"\ncompile = ['"+python+"', 'k.py']\ncompile-on-save = true\n")
	p.write("k.py", savedKernel)
	p.run("capture", "-o", "dumps", "--", python, "k.py")
	p.run("snapshot", "dumps", "-o", "base.json")
	return p
}

// run runs isadiff in the project.
func (p savingProject) run(args ...string) {
	p.t.Helper()
	c := exec.Command(binary, args...)
	c.Dir = p.root
	c.Env = append(clean(os.Environ()), p.env...)
	if out, err := c.CombinedOutput(); err != nil {
		p.t.Fatalf("isadiff %q: %v\n%s", args, err, out)
	}
}

// trusting opens the project as an editor does that trusts it.
func (p savingProject) trusting(trusted bool) *session {
	p.t.Helper()
	s := start(p.t, startOptions{env: p.env})
	s.initializeWith(object{
		"processId": nil, "rootUri": nil, "capabilities": capabilities(),
		"workspaceFolders":      []object{{"uri": fileURI(p.root), "name": "p"}},
		"initializationOptions": object{"status": true, "trusted": trusted},
	})
	s.settled(1)
	s.rescan()
	p.open(s, "k.py", 1)
	return s
}

// save puts a text into the file and saves it, as an editor does.
func (p savingProject) save(s *session, text string, version int) {
	p.t.Helper()
	s.notify("textDocument/didChange", object{
		"textDocument": object{"uri": p.uri("k.py"), "version": version}, "contentChanges": []object{{"text": text}},
	})
	p.write("k.py", text)
	s.notify("textDocument/didSave", document(p.uri("k.py")))
}

// A kernel that is saved is compiled, and the verdict appears on its definition;
// mended, it goes.
func TestCompileOnSaveStory(t *testing.T) {
	p := newSavingProject(t)
	s := p.trusting(true)
	p.save(s, strings.Replace(savedKernel, "small", "large", 1), 2)
	d := expect(s, "textDocument/publishDiagnostics", func(d published) bool {
		return d.URI == p.uri("k.py") && len(d.Diagnostics) == 1 && d.Diagnostics[0].Source == "isadiff"
	})
	if message := d.Diagnostics[0].Message; !strings.Contains(message, "136") || d.Diagnostics[0].Range.Start.Line != 4 {
		t.Errorf("line %d: %s", d.Diagnostics[0].Range.Start.Line, message)
	}
	p.save(s, savedKernel, 3)
	expect(s, "textDocument/publishDiagnostics", func(d published) bool {
		return d.URI == p.uri("k.py") && len(d.Diagnostics) == 0
	})
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// Many saves are answered by the last one, whatever runs meanwhile.
func TestCompileOnSaveSupersedes(t *testing.T) {
	p := newSavingProject(t)
	s := p.trusting(true)
	if err := exec.Command("mkfifo", p.path("pipe")).Run(); err != nil {
		t.Skip("no named pipes here")
	}
	p.save(s, "print('waits', flush=True)\ninput = open('pipe').read()\n"+savedKernel, 2)
	p.save(s, strings.Replace(savedKernel, "small", "large", 1), 3)
	expect(s, "textDocument/publishDiagnostics", func(d published) bool {
		return d.URI == p.uri("k.py") && len(d.Diagnostics) == 1
	})
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// A failure is shown once, with the log; the old figures are no answer any more.
func TestCompileOnSaveFails(t *testing.T) {
	p := newSavingProject(t)
	s := p.trusting(true)
	p.save(s, "print('a line of the log')\nraise SystemExit(3)\n"+savedKernel, 2)
	shown := expect[struct {
		Message string
		Actions []struct{ Title string }
	}](s, "window/showMessageRequest", nil)
	if !strings.Contains(shown.Message, "capture-failed: ") || !strings.Contains(shown.Message, "exit status 3") || len(shown.Actions) != 1 {
		t.Errorf("shown: %+v", shown)
	}
	if log := p.read(".isadiff/capture.log"); !strings.Contains(log, "a line of the log\n") {
		t.Errorf("the log: %q", log)
	}
	status := expect(s, "isadiff/status", func(st struct{ Verdict, State, Tooltip string }) bool {
		return st.Verdict == "NOT TRUSTWORTHY" && st.State != "compiling"
	})
	if !strings.Contains(status.Tooltip, "capture-failed: ") || !strings.Contains(status.Tooltip, "; its output is in .isadiff/capture.log") || strings.Contains(status.Tooltip, "capture-incomplete") {
		t.Errorf("tooltip %q", status.Tooltip)
	}
	p.save(s, "print('another one')\nprint('a line of the log')\nraise SystemExit(3)\n"+savedKernel, 3) // and nothing more is shown
	s.until("log of the second failure", func() bool {
		ended := strings.Contains(p.read(".isadiff/capture.log"), "another one\n")
		if !ended {
			time.AfterFunc(10*time.Millisecond, s.cond.Broadcast)
		}
		return ended
	})
	s.claim("isadiff/status")
	p.save(s, savedKernel, 4)
	expect(s, "isadiff/status", func(st struct{ Verdict string }) bool { return st.Verdict == "OK" })
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// A compile that failed counts also where the directory is not isadiff's to mark, as it
// does for watch.
func TestCompileOnSaveFailsElsewhere(t *testing.T) {
	p := newSavingProject(t)
	for _, name := range []string{".isadiff-capture.json", ".isadiff-incomplete"} { // the user's own then
		_ = os.Remove(p.path("dumps/" + name))
	}
	s := p.trusting(true)
	p.save(s, savedKernel+"raise SystemExit(3)\n", 2) // after everything was compiled
	expect[struct{}](s, "window/showMessageRequest", nil)
	status := expect(s, "isadiff/status", func(st struct {
		Verdict, State string
		Problems       map[string]int
	}) bool {
		return st.Verdict == "NOT TRUSTWORTHY" && st.State != "compiling"
	})
	if len(status.Problems) != 1 || status.Problems["capture-failed"] != 1 {
		t.Errorf("%+v", status)
	}
	p.save(s, savedKernel, 3)
	expect(s, "isadiff/status", func(st struct{ Verdict string }) bool { return st.Verdict == "OK" })
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// A command that a file of the project names does not run in a workspace that
// nobody trusts.
func TestCompileOnSaveUntrusted(t *testing.T) {
	p := newSavingProject(t)
	s := p.trusting(false)
	p.save(s, "open('ran', 'w')\n"+savedKernel, 2)
	shown := expect[struct{ Message string }](s, "window/showMessage", nil)
	if !strings.Contains(shown.Message, "is not run: the workspace is not trusted") {
		t.Errorf("shown: %q", shown.Message)
	}
	s.rescan()
	if _, err := os.Stat(p.path("ran")); err == nil {
		t.Error("it ran")
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// BenchmarkSaveToVerdict measures what isadiff itself takes between a save and
// the verdict: the time to the diagnostic, less that of the command alone.
func BenchmarkSaveToVerdict(b *testing.B) {
	p := newSavingProject(b)
	alone := time.Duration(0)
	for range 5 {
		c := exec.Command("python3", "k.py")
		c.Dir = p.root
		c.Env = append(append(clean(os.Environ()), p.env...), "FLYDSL_DUMP_IR=1", "FLYDSL_DUMP_DIR="+b.TempDir())
		begin := time.Now()
		if err := c.Run(); err != nil {
			b.Fatal(err)
		}
		alone += time.Since(begin) / 5
	}
	s := p.trusting(true)
	var all time.Duration
	for i := 0; b.Loop(); i++ {
		text := savedKernel
		if i%2 == 0 {
			text = strings.Replace(savedKernel, "small", "large", 1)
		}
		begin := time.Now()
		p.save(s, text, 2+i)
		expect(s, "textDocument/publishDiagnostics", func(d published) bool {
			return d.URI == p.uri("k.py") && len(d.Diagnostics) == (i+1)%2 && d.Version != nil && *d.Version == 2+i
		})
		all += time.Since(begin)
	}
	b.ReportMetric(float64((all/time.Duration(b.N) - alone).Milliseconds()), "own-ms/save")
	b.ReportMetric(float64(alone.Milliseconds()), "compile-ms")
	s.claim("textDocument/publishDiagnostics")
	s.close()
}
