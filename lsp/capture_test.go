package lsp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// compileScript is a compile as cheap as can be: it copies the tree of testdata
// that the file "side" of the project names into the dump directory.
const compileScript = `set -e
test "$(cat side)" != fail || { echo "LLVM ERROR: Cannot select" >&2; exit 1; }
test "$(cat side)" != hang || { echo $$ > started.new; mv started.new started; exec sleep 600; }
mkdir -p "$FLYDSL_DUMP_DIR/window_filter_0"
cp "$DUMPS/tile-up-spills/gfx942/$(cat side)/window_filter/window_filter_0/00_origin.mlir" "$FLYDSL_DUMP_DIR/window_filter_0/"
cp "$DUMPS/tile-up-spills/gfx942/$(cat side)/window_filter/window_filter_0/22_final_isa.s" "$FLYDSL_DUMP_DIR/window_filter_0/"
chmod -R u+w "$FLYDSL_DUMP_DIR/window_filter_0"
`

// compiledProject has a compile command and nothing compiled yet.
func compiledProject(t *testing.T) (p projectDir, env []string) {
	if _, err := exec.LookPath("sh"); err != nil {
		missing(t, "sh")
	}
	p = newProject(t, "window_filter.py")
	p.write("compile.sh", compileScript)
	p.write("side", "before")
	p.write("isadiff.toml", "dumps = \"dumps\"\ncompile = [\"sh\", \"compile.sh\"]\n")
	abs, err := filepath.Abs(dumps)
	if err != nil {
		t.Fatal(err)
	}
	return p, []string{"DUMPS=" + abs}
}

// missing skips a test for lack of a tool on a person's machine, and fails it in
// continuous integration.
func missing(t testing.TB, tool string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatalf("%s is missing", tool)
	}
	t.Skipf("%s is missing", tool)
}

// trust opens the project as an editor does whose user trusts it.
func (s *session) trust(p projectDir) {
	s.t.Helper()
	s.initializeWith(object{
		"processId": nil, "rootUri": fileURI(p.root), "capabilities": capabilities(),
		"initializationOptions": object{"status": true, "trusted": true},
	})
	s.settled(1)
	s.rescan()
}

// In a trusted workspace the compile command runs on order, and what it dumped is
// shown when the command answers.
func TestCapture(t *testing.T) {
	p, env := compiledProject(t)
	s := start(t, startOptions{env: env})
	s.trust(p)
	var answer struct {
		Kernels  int
		Message  string
		Problems []struct{ Code string }
		Log      string
	}
	s.execute("isadiff.capture", object{}, &answer)
	if answer.Kernels != 1 || len(answer.Problems) != 0 {
		t.Fatalf("captured %+v", answer)
	}
	s.execute("isadiff.snapshotBaseline", object{}, nil)
	p.write("side", "after")
	s.execute("isadiff.capture", object{}, &answer)
	var status struct{ State string }
	s.execute("isadiff.status", object{}, &status)
	if status.State != "regression" {
		t.Errorf("after a worse compile: %s, %+v", status.State, answer)
	}
	p.write("side", "fail")
	s.execute("isadiff.capture", object{}, &answer)
	if len(answer.Problems) == 0 || !strings.Contains(answer.Message, "Cannot select") && !strings.Contains(p.read(".isadiff/capture.log"), "Cannot select") {
		t.Errorf("a compile that failed: %+v", answer)
	}
	s.claim("textDocument/publishDiagnostics", "window/showMessage") // that the dumps are incomplete
	s.close()
}

// Saving a source with kernels compiles it, where that is switched on and the
// workspace is trusted; a save during the compile begins it anew.
func TestCompileOnSave(t *testing.T) {
	p, env := compiledProject(t)
	p.write("isadiff.toml", p.read("isadiff.toml")+"compile-on-save = true\n")
	p.dump("tile-up-spills/gfx942/before/window_filter", "dumps")
	s := start(t, startOptions{env: env})
	s.trust(p)
	s.execute("isadiff.snapshotBaseline", object{}, nil)
	p.write("side", "hang")
	s.notify("textDocument/didSave", document(p.uri("notes.py"))) // no kernel in it
	s.notify("textDocument/didSave", document(p.uri("window_filter.py")))
	s.until("compile that hangs", func() bool {
		_, err := os.Stat(p.path("started"))
		if err != nil {
			time.AfterFunc(10*time.Millisecond, s.cond.Broadcast)
		}
		return err == nil
	})
	p.write("side", "after")
	s.notify("textDocument/didSave", document(p.uri("window_filter.py")))
	got := expect[published](s, "textDocument/publishDiagnostics", func(p published) bool { return len(p.Diagnostics) > 0 && p.Diagnostics[0].Code == "regression" })
	if got.URI != p.uri("window_filter.py") {
		t.Errorf("published %+v", got)
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics", "window/showMessage")
	s.close()
}

// A compile that hangs is cancelled with its bar, and leaves with the session.
func TestCaptureIsCancelled(t *testing.T) {
	for _, end := range []string{"cancel", "hang up", "terminal"} {
		t.Run(end, func(t *testing.T) {
			if end == "terminal" && runtime.GOOS == "windows" {
				t.Skip("no terminal hangs up on Windows")
			}
			p, env := compiledProject(t)
			p.write("side", "hang")
			s := start(t, startOptions{env: env})
			s.trust(p)
			s.mu.Lock()
			s.bars[`"t"`] = "created"
			s.mu.Unlock()
			id := s.ask("workspace/executeCommand", object{"command": "isadiff.capture", "arguments": []object{{}}, "workDoneToken": "t"})
			s.until("beginning of the compile", func() bool {
				_, err := os.Stat(p.path("started"))
				if err != nil {
					time.AfterFunc(10*time.Millisecond, s.cond.Broadcast)
				}
				return err == nil
			})
			if e := s.fails("workspace/executeCommand", object{"command": "isadiff.capture", "arguments": []object{{}}}); !strings.Contains(e.Message, "running already") {
				t.Errorf("a second compile: %+v", e)
			}
			if end != "cancel" {
				if end == "hang up" {
					s.hangUp()
				} else {
					s.mu.Lock()
					s.hungUp = true // what waits may be answered or not
					s.mu.Unlock()
					s.cmd.Process.Signal(sighup)
				}
				if code := s.leave(); code != 1 {
					t.Errorf("exit code %d, want 1", code)
				}
				if runtime.GOOS == "linux" {
					if _, err := os.Stat("/proc/" + strings.TrimSpace(p.read("started"))); err == nil {
						t.Error("the compile outlived the server")
					}
				}
				return
			}
			s.notify("window/workDoneProgress/cancel", object{"token": "t"})
			if m := s.wait(id); m.Error == nil || m.Error.Code != requestCancelled {
				t.Errorf("cancelled: %s", m.raw)
			}
			s.rescan() // that the dumps are incomplete now
			s.claim("textDocument/publishDiagnostics", "window/showMessage")
			s.close()
		})
	}
}

// A revision is compared with the working tree, and the report is shown.
func TestCompare(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		missing(t, "git")
	}
	p, env := compiledProject(t)
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...)
		cmd.Dir = p.root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "before")
	p.write("side", "after")
	s := start(t, startOptions{env: env})
	s.trust(p)
	var answer struct {
		URI, Verdict, Message string
		ExitCode              int
	}
	s.execute("isadiff.compare", object{"rev": "HEAD"}, &answer)
	if answer.Verdict != "REGRESSION" || answer.ExitCode != 1 || answer.URI != p.uri(".isadiff/compare.md") || !strings.Contains(p.read(".isadiff/compare.md"), "window_filter_0") {
		t.Errorf("compared: %+v", answer)
	}
	if e := s.fails("workspace/executeCommand", object{"command": "isadiff.compare", "arguments": []object{{"rev": "no-such"}}}); !strings.Contains(e.Message, "no-such") {
		t.Errorf("a revision that is none: %+v", e)
	}
	expect[object](s, "window/showDocument", nil)
	s.claim("textDocument/publishDiagnostics")
	s.close()
}
