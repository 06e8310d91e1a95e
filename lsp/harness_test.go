package lsp_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The tests of this package talk to the built binary over pipes. A session fails
// if any message of the server stays unclaimed, if an id is answered twice or
// not at all, if the process does not end as it should, or if stderr tells of a
// crash. Nothing sleeps: a test waits for a message or for an answer.

// patience is how long a test waits for a message before it fails: longer than a
// machine takes that has much else to do.
const patience = 2 * time.Minute

var binary string

func TestMain(m *testing.M) {
	if os.Getenv(crashing) != "" {
		os.Exit(serveCrashing())
	}
	dir, err := os.MkdirTemp("", "isadiff-lsp-test-")
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "isadiff")
	args := []string{"build", "-o", binary}
	if raceEnabled {
		args = append(args, "-race")
	}
	build := exec.Command("go", append(args, "isadiff/cmd/isadiff")...)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "building isadiff:", err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

type object = map[string]any

// A message is one message of the server.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *wireError      `json:"error"`
	raw    string
	seen   bool
}

type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// A session is a running server with its client.
type session struct {
	t       testing.TB
	cmd     *exec.Cmd
	in      io.WriteCloser
	stderr  bytes.Buffer
	home    string
	chooses string // what the person answers to a message that asks; nothing if empty

	mu       sync.Mutex
	cond     *sync.Cond
	last     int
	waiting  map[string]bool // ids that were asked and not answered
	hungUp   bool            // the client is gone: what waits may be answered or not
	answers  map[string]message
	inbox    []*message // notifications and requests of the server
	eof      bool
	readErr  error
	bars     map[string]string // progress tokens and their state
	settings object            // what workspace/configuration answers
	silent   map[string]bool   // requests of the server that stay unanswered
	exited   bool
	crashes  bool          // that the server crashes here and there is what the test is about
	canRead  chan struct{} // closed: the client reads
	exitCode int
}

type startOptions struct {
	env      []string
	stuck    bool // the client does not read until unstick
	crashing bool // a server some of whose handlers crash
}

// start runs the binary.
func start(t testing.TB, o startOptions) *session {
	t.Helper()
	s := &session{
		t: t, home: t.TempDir(), waiting: map[string]bool{}, answers: map[string]message{},
		bars: map[string]string{}, settings: object{}, silent: map[string]bool{}, canRead: make(chan struct{}),
	}
	s.cond = sync.NewCond(&s.mu)
	s.cmd = exec.Command(binary, "lsp", "--stdio")
	if o.crashing {
		s.cmd, s.crashes = exec.Command(os.Args[0]), true
		o.env = append(o.env, crashing+"=1")
	}
	s.cmd.Env = append(clean(os.Environ()), "HOME="+s.home, "USERPROFILE="+s.home, "GORACE=atexit_sleep_ms=0 halt_on_error=1")
	s.cmd.Env = append(s.cmd.Env, o.env...)
	s.cmd.Stderr = &s.stderr
	in, err := s.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.in = in
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !o.stuck {
		close(s.canRead)
	}
	go s.read(out)
	t.Cleanup(func() {
		if !s.exited {
			s.cmd.Process.Kill()
			s.awaitEOF()
			s.cmd.Wait()
		}
		if t.Failed() {
			t.Logf("stderr of the server:\n%s", s.stderr.String())
		}
	})
	return s
}

// clean drops what would change where the server looks.
func clean(env []string) []string {
	var kept []string
	for _, e := range env {
		if !strings.HasPrefix(e, "FLYDSL_") && !strings.HasPrefix(e, "GORACE=") && !strings.HasPrefix(e, "HOME=") {
			kept = append(kept, e)
		}
	}
	return kept
}

func (s *session) read(out io.Reader) {
	<-s.canRead
	r := bufio.NewReader(out)
	for {
		body, err := readFrame(r)
		s.mu.Lock()
		if err != nil {
			s.eof, s.readErr = true, err
			s.cond.Broadcast()
			s.mu.Unlock()
			return
		}
		var m message
		if err := json.Unmarshal(body, &m); err != nil {
			s.t.Errorf("the server sent no JSON: %v: %q", err, body)
		}
		m.raw = string(body)
		for _, unset := range []string{`"message":null`, `"contents":null`, `"diagnostics":null`, `"items":null`} {
			if strings.Contains(m.raw, unset) {
				s.t.Errorf("the server sent %s: %s", unset, m.raw)
			}
		}
		s.take(&m)
		s.cond.Broadcast()
		s.mu.Unlock()
	}
}

func readFrame(r *bufio.Reader) ([]byte, error) {
	length := -1
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		name, value, _ := strings.Cut(line, ":")
		if !strings.EqualFold(name, "content-length") {
			return nil, fmt.Errorf("a header that is none: %q", line)
		}
		if length, err = strconv.Atoi(strings.TrimSpace(value)); err != nil {
			return nil, err
		}
	}
	if length < 0 {
		return nil, fmt.Errorf("a frame without a length")
	}
	body := make([]byte, length)
	_, err := io.ReadFull(r, body)
	return body, err
}

// take sorts a message; s.mu is held.
func (s *session) take(m *message) {
	switch {
	case m.Method == "":
		id := string(m.ID)
		if _, twice := s.answers[id]; twice {
			s.t.Errorf("id %s was answered twice: %s", id, m.raw)
		} else if !s.waiting[id] && id != "null" {
			s.t.Errorf("id %s was answered but never asked: %s", id, m.raw)
		}
		delete(s.waiting, id)
		if id != "null" {
			s.answers[id] = *m
		} else {
			s.inbox = append(s.inbox, m)
		}
	case m.Method == "$/progress":
		var p struct {
			Token json.RawMessage
			Value struct{ Kind string }
		}
		json.Unmarshal(m.Params, &p)
		from := map[string]string{"begin": "created", "report": "begin", "end": "begin"}[p.Value.Kind]
		if s.bars[string(p.Token)] != from {
			s.t.Errorf("progress %s %s after %q", p.Token, p.Value.Kind, s.bars[string(p.Token)])
		}
		if p.Value.Kind != "report" {
			s.bars[string(p.Token)] = p.Value.Kind
		}
	default:
		if m.ID != nil && !s.silent[m.Method] {
			s.answer(m)
		}
		s.inbox = append(s.inbox, m)
	}
}

// answer answers a request of the server as an editor would; s.mu is held.
func (s *session) answer(m *message) {
	var result any
	switch m.Method {
	case "workspace/configuration":
		result = []any{s.settings}
	case "window/showMessageRequest":
		if s.chooses != "" {
			result = object{"title": s.chooses}
		}
	case "window/showDocument":
		result = object{"success": true}
	case "window/workDoneProgress/create":
		var p struct{ Token json.RawMessage }
		json.Unmarshal(m.Params, &p)
		s.bars[string(p.Token)] = "created"
		m.seen = true
	case "client/registerCapability":
		m.seen = true
	}
	raw, err := json.Marshal(object{"jsonrpc": "2.0", "id": m.ID, "result": result})
	if err != nil {
		s.t.Error(err)
	}
	go s.raw(frame(raw))
}

func frame(body []byte) []byte {
	return append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...)
}

// raw writes bytes to the server; that it is gone already is no error here.
func (s *session) raw(b []byte) { s.in.Write(b) }

func (s *session) send(v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		s.t.Fatal(err)
	}
	s.raw(frame(raw))
}

func (s *session) notify(method string, params any) {
	s.send(object{"jsonrpc": "2.0", "method": method, "params": params})
}

// ask sends a request and returns its id; the answer is fetched with wait.
func (s *session) ask(method string, params any) string {
	s.mu.Lock()
	s.last++
	id := strconv.Itoa(s.last)
	s.waiting[id] = true
	s.mu.Unlock()
	s.send(object{"jsonrpc": "2.0", "id": s.last, "method": method, "params": params})
	return id
}

// until waits until f is true; f is called with s.mu held.
func (s *session) until(what string, f func() bool) {
	s.t.Helper()
	expired := false
	timer := time.AfterFunc(patience, func() {
		s.mu.Lock()
		expired = true
		s.cond.Broadcast()
		s.mu.Unlock()
	})
	defer timer.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !f() {
		if expired || s.eof {
			var unclaimed []string
			for _, m := range s.inbox {
				if !m.seen {
					unclaimed = append(unclaimed, m.raw)
				}
			}
			s.t.Fatalf("no %s (end of output: %v); unclaimed so far:\n%s", what, s.eof, strings.Join(unclaimed, "\n"))
		}
		s.cond.Wait()
	}
}

func (s *session) wait(id string) (m message) {
	s.t.Helper()
	s.until("answer to "+id, func() bool {
		var ok bool
		m, ok = s.answers[id]
		return ok
	})
	return m
}

// call asks and waits for a result.
func (s *session) call(method string, params, result any) {
	s.t.Helper()
	m := s.wait(s.ask(method, params))
	if m.Error != nil {
		s.t.Fatalf("%s: error %d: %s", method, m.Error.Code, m.Error.Message)
	}
	if result != nil {
		if err := json.Unmarshal(m.Result, result); err != nil {
			s.t.Fatalf("%s: %v: %s", method, err, m.Result)
		}
	}
}

// fails asks and waits for an error.
func (s *session) fails(method string, params any) *wireError {
	s.t.Helper()
	m := s.wait(s.ask(method, params))
	if m.Error == nil {
		s.t.Fatalf("%s: %s, want an error", method, m.Result)
	}
	return m.Error
}

// expect claims the next unclaimed message of a method for which ok is true.
func expect[P any](s *session, method string, ok func(P) bool) (p P) {
	s.t.Helper()
	s.until(method, func() bool {
		for _, m := range s.inbox {
			if m.seen || m.Method != method {
				continue
			}
			var candidate P
			if m.Params == nil {
				m.Params = json.RawMessage("null")
			}
			if err := json.Unmarshal(m.Params, &candidate); err != nil {
				s.t.Errorf("%s: %v", method, err)
			}
			if ok == nil || ok(candidate) {
				m.seen = true
				p = candidate
				return true
			}
		}
		return false
	})
	return p
}

// claim claims all messages of some methods so far and returns how many there
// were: those that a test has nothing to say about.
func (s *session) claim(methods ...string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.inbox {
		for _, method := range methods {
			if m.Method == method && !m.seen {
				m.seen = true
				n++
			}
		}
	}
	return n
}

// unclaimed returns what the server said that nobody claimed.
func (s *session) unclaimed() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.inbox {
		if !m.seen {
			all = append(all, m.raw)
		}
	}
	return all
}

// capabilities of a client that can do everything.
func capabilities() object {
	return object{
		"workspace": object{
			"configuration": true, "workspaceFolders": true,
			"didChangeConfiguration": object{"dynamicRegistration": true},
			"codeLens":               object{"refreshSupport": true},
		},
		"window": object{"workDoneProgress": true, "showDocument": object{"support": true}},
		"textDocument": object{
			"publishDiagnostics": object{"relatedInformation": true, "versionSupport": true},
			"hover":              object{"contentFormat": []string{"markdown", "plaintext"}},
			"codeAction":         object{"codeActionLiteralSupport": object{"codeActionKind": object{"valueSet": []string{"quickfix"}}}},
		},
	}
}

// initialize opens a folder as a capable editor does and waits until it was read.
func (s *session) initialize(folder string, settings object) {
	s.t.Helper()
	s.settings = settings
	s.initializeWith(object{
		"processId": nil, "rootUri": nil, "capabilities": capabilities(),
		"workspaceFolders":      []object{{"uri": fileURI(folder), "name": filepath.Base(folder)}},
		"initializationOptions": object{"status": true},
	})
	s.settled(1)
	s.rescan() // after it, all that there is to say at first was said
}

func (s *session) initializeWith(params object) {
	s.t.Helper()
	s.call("initialize", params, nil)
	s.notify("initialized", object{})
}

// settled waits until n progress bars have ended.
func (s *session) settled(n int) {
	s.t.Helper()
	s.until(fmt.Sprintf("end of %d progress bars", n), func() bool { return s.ended() >= n })
}

// finished returns how many progress bars have ended by now.
func (s *session) finished() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended()
}

// ended counts the progress bars that have ended; s.mu is held.
func (s *session) ended() (n int) {
	for _, state := range s.bars {
		if state == "end" {
			n++
		}
	}
	return n
}

// rescan has the server look at everything and waits until what it found was
// published: after it, there is no news on the way. Its bar is one that the client
// gives, which comes however late the client is with its answers.
func (s *session) rescan() (seq int) {
	s.t.Helper()
	s.mu.Lock()
	token := fmt.Sprint("rescan ", len(s.bars))
	s.bars[strconv.Quote(token)] = "created"
	s.mu.Unlock()
	var answer struct{ Seq int }
	s.call("workspace/executeCommand", object{"command": "isadiff.rescan", "arguments": []object{{}}, "workDoneToken": token}, &answer)
	return answer.Seq
}

// execute runs a command.
func (s *session) execute(command string, args object, result any) {
	s.t.Helper()
	s.call("workspace/executeCommand", object{"command": command, "arguments": []object{args}}, result)
}

// close ends the session as an editor does and checks how it was.
func (s *session) close() {
	s.t.Helper()
	s.claim("workspace/configuration", "isadiff/status", "workspace/codeLens/refresh")
	s.call("shutdown", nil, nil)
	s.notify("exit", nil)
	if code := s.leave(); code != 0 {
		s.t.Errorf("exit code %d after shutdown and exit, want 0", code)
	}
	s.claim("workspace/configuration", "isadiff/status", "workspace/codeLens/refresh")
	for _, m := range s.unclaimed() {
		s.t.Errorf("unclaimed: %s", m)
	}
}

// hangUp closes the server's stdin, as a client that dies does.
func (s *session) hangUp() {
	s.mu.Lock()
	s.hungUp = true
	s.mu.Unlock()
	s.in.Close()
}

// awaitEOF waits until all that the server said was read, if anybody reads.
func (s *session) awaitEOF() {
	select {
	case <-s.canRead:
	default:
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for !s.eof {
		s.cond.Wait()
	}
}

// leave waits for the process to end and returns its exit code.
func (s *session) leave() int {
	s.t.Helper()
	ended := make(chan struct{})
	go func() {
		s.awaitEOF() // Wait would throw away what is not read yet
		s.cmd.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(patience):
		if runtime.GOOS != "windows" {
			s.cmd.Process.Signal(sigquit)
		}
		<-ended
		s.t.Fatalf("the server did not end:\n%s", s.stderr.String())
	}
	s.exited = true
	s.exitCode = s.cmd.ProcessState.ExitCode()
	for _, word := range []string{"DATA RACE", "panic", "a crash of the server", "goroutine "} {
		if s.crashes && word != "DATA RACE" {
			break
		}
		if strings.Contains(s.stderr.String(), word) {
			s.t.Errorf("stderr says %q:\n%s", word, s.stderr.String())
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.waiting {
		if !s.hungUp {
			s.t.Errorf("id %s was never answered", id)
		}
	}
	return s.exitCode
}

func fileURI(path string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}
