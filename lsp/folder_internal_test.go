package lsp

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"isadiff/engine/live"
	"isadiff/engine/project"
	"isadiff/watch/session"
)

// testFolder is an open folder of a server that nobody talks to, without a session.
func testFolder(t *testing.T) (*folder, *project.Config) {
	t.Helper()
	s := testServer(t, io.Discard)
	close(s.ready)
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "isadiff.toml"), []byte("dumps = \"dumps\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	config, err := project.Load(project.Options{Dir: root})
	if err != nil {
		t.Fatal(err)
	}
	f := newFolder(s, uri.File(root), root, "p")
	s.folders.all = []*folder{f}
	f.current.Store(&opened{config: config})
	t.Cleanup(func() { s.leave(time.Minute) })
	return f, config
}

// holdUp gives the folder a session whose end takes until end is called.
func holdUp(t *testing.T, f *folder, config *project.Config) (end func()) {
	t.Helper()
	held, free := make(chan struct{}), make(chan struct{})
	file := filepath.Join(t.TempDir(), "other")
	f.current.Store(&opened{config, session.Open(f.server.root, session.Options{
		Project: config, NoSources: true, Configuration: []string{file},
		Reconfigured: func() { close(held); <-free },
	})})
	if err := os.WriteFile(file, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	<-held
	return sync.OnceFunc(func() { close(free) })
}

// until waits for a condition of what a folder has.
func until(t *testing.T, f *folder, holds func(*opened) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for !holds(f.current.Load()) {
		if ctx.Err() != nil {
			t.Fatal("waited for a minute")
		}
		runtime.Gosched()
	}
}

// What is typed while a folder's session begins is what the session has.
func TestEditWhileASessionBegins(t *testing.T) {
	f, config := testFolder(t)
	f.current.Store(&opened{})
	kernel := func(n int) string {
		return fmt.Sprintf("import flydsl.compiler as flyc\n\n@flyc.kernel\ndef kernel_%d():\n    pass\n", n)
	}
	path := filepath.Join(f.path, "edited.py")
	for n := range 300 {
		other := filepath.Join(f.path, fmt.Sprintf("other_%d.py", n))
		f.server.setDocument(newDocument(other, uri.File(other), 0, kernel(n)))
	}
	f.server.background(f.run)
	last := 0
	edit := func() {
		last++
		f.server.setDocument(newDocument(path, uri.File(path), int32(last), kernel(last)))
	}
	most := 1
	for round := range 40 {
		old := f.current.Load().session
		text := fmt.Sprintf("dumps = \"dumps%d\"\n", round)
		if err := os.WriteFile(filepath.Join(f.path, "isadiff.toml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		wake(f.configured)
		edits := 0
		until(t, f, func(now *opened) bool {
			if edits == 0 || edits < most*round/40 { // sooner or later
				edit()
				edits++
			}
			return now.session != nil && now.session != old && now.config.Dumps != config.Dumps
		})
		most = max(most, edits+10)
		want := fmt.Sprintf("kernel_%d", last)
		until(t, f, func(now *opened) bool { return now.state() != nil && defined(now.state(), path) == want })
	}
}

// What is open counts as it stands in the editor when git no longer ignores it.
func TestOpenFileThatWasIgnored(t *testing.T) {
	f, _ := testFolder(t)
	f.current.Store(&opened{})
	path, rules := filepath.Join(f.path, "edited.py"), filepath.Join(f.path, ".gitignore")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const head = "import flydsl.compiler as flyc\n\n@flyc.kernel\ndef "
	write(path, head+"on_disk(): pass\n")
	f.server.background(f.run)
	until := func(want string) {
		t.Helper()
		until(t, f, func(now *opened) bool { return now.state() != nil && defined(now.state(), path) == want })
	}
	until("on_disk")
	f.server.setDocument(newDocument(path, uri.File(path), 0, head+"in_editor(): pass\n"))
	until("in_editor")
	write(rules, "edited.py\n")
	until("nothing")
	if err := os.Remove(rules); err != nil {
		t.Fatal(err)
	}
	until("in_editor")
}

// A document that is closed counts as it stands on the disk.
func TestClosedDocument(t *testing.T) {
	f, _ := testFolder(t)
	f.current.Store(&opened{})
	path := filepath.Join(f.path, "edited.py")
	const head = "import flydsl.compiler as flyc\n\n@flyc.kernel\ndef "
	if err := os.WriteFile(path, []byte(head+"on_disk(): pass\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	f.server.setDocument(newDocument(path, uri.File(path), 0, head+"in_editor(): pass\n"))
	f.server.background(f.run)
	for _, want := range []string{"in_editor", "on_disk"} {
		until(t, f, func(now *opened) bool { return now.state() != nil && defined(now.state(), path) == want })
		f.server.closeDocument(path)
	}
}

// defined names the definitions of a source.
func defined(s *live.State, path string) string {
	src := s.Sources[path]
	if src == nil {
		return "nothing"
	}
	var names []string
	for _, d := range src.Definitions {
		names = append(names, d.Definition.Function)
	}
	return strings.Join(names, " ")
}

// Settings that come while others are being applied are not lost, and are those of a
// folder that is opened later.
func TestSettingsWhileOthersApply(t *testing.T) {
	f, _ := testFolder(t)
	f.server.background(f.run)
	last := func(now *opened) bool { return now.config.Severity("spills") == project.Hint }
	for range 100 {
		for _, level := range []string{"warning", "hint"} {
			raw := fmt.Appendf(nil, `{"isadiff": {"severity": {"spills": %q}}}`, level)
			if err := f.server.didChangeConfiguration(&protocol.DidChangeConfigurationParams{Settings: raw}); err != nil {
				t.Fatal(err)
			}
		}
		until(t, f, last)
	}
	later := newFolder(f.server, f.uri, f.path, "p")
	f.server.background(later.run)
	until(t, later, func(now *opened) bool { return now.config != nil })
	if !last(later.current.Load()) {
		t.Error("a folder that was opened later has the settings of the beginning")
	}
}

// A file of the configuration that changes after it was read, and before it is
// watched, is read again.
func TestConfigurationChangesBeforeItIsWatched(t *testing.T) {
	f, config := testFolder(t)
	file := filepath.Join(f.path, "isadiff.toml")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	end := holdUp(t, f, config)
	write(file, "dumps = \"second\"\n")
	f.server.background(f.run)
	until(t, f, func(now *opened) bool { return now.config != config })
	write(file, "dumps = \"third\"\n[severity]\nspills = \"hint\"\n")
	end()
	until(t, f, func(now *opened) bool {
		return filepath.Base(now.config.Dumps) == "third" && now.config.Severity("spills") == project.Hint && now.session != nil
	})
}

// A session whose end takes long, as on a disk that hangs, does not keep the process.
func TestLeavesASessionThatHangs(t *testing.T) {
	f, config := testFolder(t)
	end := holdUp(t, f, config)
	defer end()
	f.server.background(func(ctx context.Context) { <-ctx.Done(); f.end() })
	left := make(chan struct{})
	go func() {
		f.server.leave(0)
		close(left)
	}()
	select {
	case <-left:
	case <-time.After(20 * time.Second):
		t.Error("the server waits for the session")
	}
}

// Work that begins while the session ends is waited for, or does not begin.
func TestWorkThatBeginsWhileLeaving(t *testing.T) {
	for range 200 {
		s := testServer(t, io.Discard)
		stop := make(chan struct{})
		var beginning sync.WaitGroup
		for range 2 {
			beginning.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
						s.background(func(context.Context) {})
					}
				}
			})
		}
		s.leave(time.Minute)
		close(stop)
		beginning.Wait()
	}
}

// What a client fetches is looked at once more if the state, the configuration or the
// folders have changed since its view was taken, and only then.
func TestCatchUp(t *testing.T) {
	f, _ := testFolder(t)
	s := f.server
	s.client.refreshDiagnostics = true
	for _, c := range []struct {
		name   string
		change func()
		want   int
	}{
		{"nothing", func() {}, 0},
		{"configuration", func() { f.current.Store(&opened{config: new(project.Config)}) }, 1},
		{"folders", func() { s.folders.all = nil }, 1},
	} {
		v := s.view()
		c.change()
		if _, err := v.documentDiagnostic(t.Context(), &protocol.DocumentDiagnosticParams{
			TextDocument: protocol.TextDocumentIdentifier{URI: uri.File(filepath.Join(f.path, "a.py"))},
		}); err != nil {
			t.Fatal(err)
		}
		if got := len(s.publish.wake); got != c.want {
			t.Errorf("%s: %d looks, want %d", c.name, got, c.want)
		}
		for len(s.publish.wake) > 0 {
			<-s.publish.wake
		}
	}
}
