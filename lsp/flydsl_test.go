//go:build flydsl

package lsp_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The whole story with the real FlyDSL, which scripts/flydsl.sh installs: capture
// and take a baseline, raise a constant of a kernel until it needs more registers, save, read
// the diagnostic on the kernel's definition; mend it, save, all clear.
func TestFlyDSLStory(t *testing.T) {
	python, rocm := os.Getenv("ISADIFF_FLYDSL_PYTHON"), os.Getenv("ISADIFF_FLYDSL_ROCM")
	if python == "" || rocm == "" {
		t.Fatal("run this test by scripts/flydsl.sh")
	}
	p := savingProject{projectDir: newProject(t, "rowwise/rmsnorm.py")}
	p.env = []string{"ROCM_PATH=" + rocm, "ARCH=gfx1201", "FLYDSL_GPU_ARCH=gfx1201", "COMPILE_ONLY=1", "PYTHONDONTWRITEBYTECODE=1"}
	p.write("pyproject.toml", "[tool.isadiff]\ndumps = \"dumps\"\ncompile = ['"+python+"', 'rowwise/rmsnorm.py']\ncompile-on-save = true\n")
	p.run("capture")
	p.run("snapshot")

	plain := exec.Command(python, "rowwise/rmsnorm.py")
	plain.Dir = p.root
	plain.Env = append(append(clean(os.Environ()), p.env...), "FLYDSL_DUMP_IR=1", "FLYDSL_RUNTIME_ENABLE_CACHE=0", "FLYDSL_DUMP_DIR="+filepath.Join(t.TempDir(), "d"))

	s := start(t, startOptions{env: p.env})
	s.trust(p.projectDir)
	p.open(s, "rowwise/rmsnorm.py", 1)
	good := p.read("rowwise/rmsnorm.py")
	bad := strings.Replace(good, "UNROLL = 2", "UNROLL = 4", 1)
	if bad == good {
		t.Fatal("the kernel has another constant")
	}
	save := func(text string, version int) {
		s.notify("textDocument/didChange", changed(p.uri("rowwise/rmsnorm.py"), version, text))
		p.write("rowwise/rmsnorm.py", text)
		s.notify("textDocument/didSave", document(p.uri("rowwise/rmsnorm.py")))
	}
	save(bad, 2)
	d := expect(s, "textDocument/publishDiagnostics", func(d published) bool {
		return d.URI == p.uri("rowwise/rmsnorm.py") && len(d.Diagnostics) == 1 && d.Diagnostics[0].Code == "regression"
	})
	if message := d.Diagnostics[0].Message; !strings.Contains(message, "26") || !strings.Contains(message, "38") {
		t.Errorf("the diagnostic says %q", message)
	}
	line := strings.Split(bad, "\n")[d.Diagnostics[0].Range.Start.Line]
	if !strings.Contains(line, "def rmsnorm_kernel(") {
		t.Errorf("it is on the line %q", line)
	}

	s.claim("isadiff/status", "textDocument/publishDiagnostics")
	begin := time.Now()
	save(good, 3)
	expect(s, "isadiff/status", func(st struct{ Verdict string }) bool { return st.Verdict == "OK" })
	all := time.Since(begin)
	s.rescan()
	last := d
	for {
		cleared, more := next[published](s, "textDocument/publishDiagnostics")
		if !more {
			break
		}
		if cleared.URI == p.uri("rowwise/rmsnorm.py") {
			last = cleared
		}
	}
	if len(last.Diagnostics) > 0 {
		t.Errorf("after the mend: %+v", last)
	}
	begin = time.Now()
	if out, err := plain.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("from the save to the verdict %v, of which the command alone takes %v", all.Round(time.Millisecond), time.Since(begin).Round(time.Millisecond))
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// next claims the next unclaimed message of a method, if there is one.
func next[P any](s *session, method string) (p P, ok bool) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.inbox {
		if m.seen || m.Method != method {
			continue
		}
		m.seen = true
		if err := json.Unmarshal(m.Params, &p); err != nil {
			s.t.Error(err)
		}
		return p, true
	}
	return p, false
}
