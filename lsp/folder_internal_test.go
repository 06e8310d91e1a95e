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
	f := newFolder(s, uri.File(root), root)
	s.folders.all = []*folder{f}
	t.Cleanup(f.close)
	return f, config
}

// holdUp gives the folder a session whose end takes until end is called.
func holdUp(t *testing.T, f *folder, config *project.Config) (end func()) {
	t.Helper()
	held, free := make(chan struct{}), make(chan struct{})
	file := filepath.Join(t.TempDir(), "other")
	f.session.Store(session.Open(f.server.root, session.Options{
		Project: config, NoSources: true, Configuration: []string{file},
		Reconfigured: func() { close(held); <-free },
	}))
	if err := os.WriteFile(file, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	<-held
	return sync.OnceFunc(func() { close(free) })
}

// What is typed while a folder's session begins is what the session has.
func TestEditWhileASessionBegins(t *testing.T) {
	f, config := testFolder(t)
	f.config.Store(config)
	kernel := func(n int) string {
		return fmt.Sprintf("import flydsl.compiler as flyc\n\n@flyc.kernel\ndef kernel_%d():\n    pass\n", n)
	}
	path := filepath.Join(f.path, "edited.py")
	for n := range 300 {
		other := filepath.Join(f.path, fmt.Sprintf("other_%d.py", n))
		f.server.setDocument(newDocument(other, uri.File(other), 0, kernel(n)))
	}
	most := 1
	for round := range 40 {
		last := 0
		edit := func() {
			last++
			f.server.setDocument(newDocument(path, uri.File(path), int32(last), kernel(last)))
		}
		go f.begin(config, nil)
		for f.session.Load() == nil {
			if last == 0 || last < most*round/40 { // sooner or later
				edit()
			}
		}
		most = max(most, last+10)
		l := f.session.Load()
		sub := l.Subscribe()
		state := l.Current()
		for !state.Ready {
			state = <-sub.C
		}
		state, err := l.Sync(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := defined(state, path); got != fmt.Sprintf("kernel_%d", last) {
			t.Errorf("the session has %s, the editor kernel_%d", got, last)
		}
		f.stop()
	}
}

// What is open counts as it stands in the editor when git no longer ignores it.
func TestOpenFileThatWasIgnored(t *testing.T) {
	f, config := testFolder(t)
	f.config.Store(config)
	path, rules := filepath.Join(f.path, "edited.py"), filepath.Join(f.path, ".gitignore")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	const head = "import flydsl.compiler as flyc\n\n@flyc.kernel\ndef "
	write(path, head+"on_disk(): pass\n")
	f.begin(config, nil)
	sub := f.session.Load().Subscribe()
	until := func(want string) {
		t.Helper()
		timeout := time.After(time.Minute)
		for s := f.session.Load().Current(); !s.Ready || defined(s, path) != want; {
			select {
			case s = <-sub.C:
			case <-timeout:
				t.Fatalf("the session has %q, want %q", defined(s, path), want)
			}
		}
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

// Settings that come while others are being applied are not lost.
func TestSettingsWhileOthersApply(t *testing.T) {
	f, config := testFolder(t)
	f.config.Store(config) // the same inputs: no session
	for round := range 1000 {
		done := make(chan struct{})
		go func() {
			f.reconfigure(t.Context())
			close(done)
		}()
		for range round % 300 {
			runtime.Gosched()
		}
		f.setSettings(map[string]any{"round": round})
		<-done
		if got := f.settings["round"]; got != round {
			t.Fatalf("the settings are those of round %v, not %d", got, round)
		}
	}
}

// A file of the configuration that changes after it was read, and before it is
// watched, is read again.
func TestConfigurationChangesBeforeItIsWatched(t *testing.T) {
	f, config := testFolder(t)
	file := filepath.Join(f.path, "isadiff.toml")
	f.config.Store(config)
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	end := holdUp(t, f, config)
	write(file, "dumps = \"second\"\n")
	done := make(chan struct{})
	go func() {
		f.reconfigure(t.Context())
		close(done)
	}()
	for f.config.Load() == config {
		runtime.Gosched()
	}
	write(file, "dumps = \"third\"\n[severity]\nspills = \"hint\"\n")
	end()
	<-done
	if got := f.config.Load(); filepath.Base(got.Dumps) != "third" || got.Severity("spills") != project.Hint {
		t.Errorf("dumps in %s, severity %v", got.Dumps, got.Severity("spills"))
	}
	if f.session.Load() == nil {
		t.Error("no session")
	}
}

// A session whose end takes long, as on a disk that hangs, does not keep the process.
func TestLeavesASessionThatHangs(t *testing.T) {
	f, config := testFolder(t)
	end := holdUp(t, f, config)
	defer end()
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
	f, config := testFolder(t)
	s := f.server
	s.client.refreshDiagnostics = true
	f.config.Store(config)
	for _, c := range []struct {
		name   string
		change func()
		want   int
	}{
		{"nothing", func() {}, 0},
		{"configuration", func() { f.config.Store(new(project.Config)) }, 1},
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
