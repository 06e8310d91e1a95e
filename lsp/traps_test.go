package lsp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Error codes of the protocol.
const (
	parseError           = -32700
	invalidRequest       = -32600
	methodNotFound       = -32601
	invalidParams        = -32602
	internalError        = -32603
	serverNotInitialized = -32002
	requestCancelled     = -32800
)

// worseProject has one kernel that got worse.
func worseProject(t *testing.T) projectDir {
	p := newProject(t, "window_filter.py")
	p.dump("tile-up-spills/gfx942/before", "base")
	p.dump("tile-up-spills/gfx942/after", "dumps")
	return p
}

func (p projectDir) open(s *session, name string, version int) {
	s.notify("textDocument/didOpen", object{"textDocument": object{
		"uri": p.uri(name), "languageId": "python", "version": version, "text": p.read(name),
	}})
}

// outdate opens a file and changes it: from here on its results are older. All that
// there is to say about that was said and is claimed.
func (s *session) outdate(p projectDir, name, text string) {
	s.t.Helper()
	p.open(s, name, 1)
	s.rescan() // the titles of before are known
	s.notify("textDocument/didChange", changed(p.uri(name), 2, text))
	s.rescan()
	expect[object](s, "workspace/codeLens/refresh", nil) // which may come after the answer
	s.claim("textDocument/publishDiagnostics", "isadiff/status", "workspace/configuration", "client/registerCapability")
}

func document(uri string) object { return object{"textDocument": object{"uri": uri}} }

func changed(uri string, version int, text string) object {
	return object{
		"textDocument":   object{"uri": uri, "version": version},
		"contentChanges": []object{{"text": text}},
	}
}

// One definition's lens, as its 0-based line and title.
func (s *session) lens(uri string) (line int, title string) {
	s.t.Helper()
	var lenses []codeLens
	s.call("textDocument/codeLens", document(uri), &lenses)
	if len(lenses) == 0 {
		s.t.Fatal("no lens")
	}
	return lenses[0].Range.Start.Line, lenses[0].Command.Title
}

// Nothing but initialize and exit is taken before initialize, and nothing but
// exit after shutdown.
func TestLifecycle(t *testing.T) {
	s := start(t, startOptions{})
	if e := s.fails("textDocument/hover", object{}); e.Code != serverNotInitialized {
		t.Errorf("before initialize: %+v", e)
	}
	if e := s.fails("shutdown", nil); e.Code != serverNotInitialized {
		t.Errorf("shutdown before initialize: %+v", e)
	}
	s.notify("initialized", object{})
	s.notify("textDocument/didOpen", object{})
	root := t.TempDir()
	s.initialize(root, object{})
	if e := s.fails("initialize", object{"processId": nil, "rootUri": nil, "capabilities": object{}}); e.Code != invalidRequest {
		t.Errorf("the second initialize: %+v", e)
	}
	s.call("shutdown", nil, nil)
	for _, method := range []string{"textDocument/hover", "shutdown", "initialize", "no/such"} {
		if e := s.fails(method, object{}); e.Code != invalidRequest {
			t.Errorf("%s after shutdown: %+v", method, e)
		}
	}
	s.notify("textDocument/didOpen", object{})
	s.notify("exit", nil)
	if code := s.leave(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}

// The process ends with 1 unless the client said shutdown, however it goes.
func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(s *session)
		want int
	}{
		{"exit at once", func(s *session) { s.notify("exit", nil) }, 1},
		{"exit without shutdown", func(s *session) { s.initialize(t.TempDir(), object{}); s.notify("exit", nil) }, 1},
		{"hangs up at once", func(s *session) { s.hangUp() }, 1},
		{"hangs up", func(s *session) { s.initialize(t.TempDir(), object{}); s.hangUp() }, 1},
		{"hangs up after shutdown", func(s *session) {
			s.initialize(t.TempDir(), object{})
			s.call("shutdown", nil, nil)
			s.hangUp()
		}, 0},
		{"half a header", func(s *session) { s.raw([]byte("Content-Le")); s.hangUp() }, 1},
		{"half a message", func(s *session) {
			s.initialize(t.TempDir(), object{})
			s.raw([]byte("Content-Length: 100\r\n\r\n{\"jsonrpc\":"))
			s.hangUp()
		}, 1},
		{"no header", func(s *session) { s.raw([]byte("hello\r\n\r\n")) }, 1},
		{"a length that is none", func(s *session) { s.raw([]byte("Content-Length: -1\r\n\r\n")) }, 1},
		{"terminated", func(s *session) { s.initialize(t.TempDir(), object{}); s.cmd.Process.Signal(os.Interrupt) }, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, startOptions{})
			c.end(s)
			if code := s.leave(); code != c.want {
				t.Errorf("exit code %d, want %d", code, c.want)
			}
		})
	}
}

// The server does not outlive the editor's process, even if somebody holds its
// stdin open.
func TestFollowsParentProcess(t *testing.T) {
	parent := exec.Command(binary, "lsp") // any process that waits
	hold, err := parent.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	s := start(t, startOptions{})
	s.initializeWith(object{"processId": parent.Process.Pid, "rootUri": nil, "capabilities": object{}})
	s.execute("isadiff.explain", object{"code": "metadata-cut"}, nil)
	parent.Process.Kill()
	parent.Wait()
	if code := s.leave(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
}

// A client in another PID namespace names a process that is not here: no reason
// to leave.
func TestStaysWithoutParentProcess(t *testing.T) {
	gone := exec.Command(binary, "version")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	s := start(t, startOptions{})
	s.initializeWith(object{"processId": gone.Process.Pid, "rootUri": nil, "capabilities": object{}})
	s.execute("isadiff.explain", object{"code": "metadata-cut"}, nil)
	s.claim("window/showMessage")
	s.close()
}

// No notification, however odd, ends the connection or is answered.
func TestOddNotifications(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	raw := func(text string) { s.raw(frame([]byte(text))) }
	for _, params := range []string{``, `,"params":null`, `,"params":[]`, `,"params":{}`, `,"params":7`, `,"params":"x"`, `,"params":{"textDocument":null}`, `,"params":{"textDocument":{"uri":7}}`, `,"params":{"textDocument":{"uri":"no uri at all"}}`, `,"params":{"id":null}`, `,"params":{"id":{}}`, `,"params":{"id":1.5}`, `,"params":{"id":99999999999999999999}`, `,"params":{"token":null}`, `,"params":{"settings":"x"}`, `,"params":{"event":null}`, `,"params":{"contentChanges":null,"textDocument":{"uri":"file:///x"}}`} {
		for _, method := range []string{
			"$/unknown", "unknown/one", "initialized", "$/cancelRequest", "$/setTrace", "$/progress", "textDocument/didOpen", "textDocument/didChange",
			"textDocument/didClose", "textDocument/didSave", "workspace/didChangeConfiguration", "workspace/didChangeWatchedFiles",
			"workspace/didChangeWorkspaceFolders", "window/workDoneProgress/cancel", "textDocument/hover",
		} {
			raw(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q%s}`, method, params))
		}
	}
	if line, title := s.lens(p.uri("window_filter.py")); line != 18 || !strings.HasPrefix(title, "▲ spill") {
		t.Errorf("afterwards the lens is %d %q", line, title)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// A message that is no JSON-RPC is answered with an error, and the next one is
// read.
func TestMalformedMessages(t *testing.T) {
	s := start(t, startOptions{})
	s.initialize(t.TempDir(), object{})
	for _, body := range []string{`{`, `nonsense`, `[`, `"text"`, `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":true,"method":"x"}`, `{"jsonrpc":"2.0","id":1,"method":7}`, `[]`, ``, " "} {
		s.raw(frame([]byte(body)))
	}
	s.execute("isadiff.explain", object{"code": "metadata-cut"}, nil)
	s.mu.Lock()
	nulls := 0
	for _, m := range s.inbox {
		if m.Method == "" {
			m.seen = true
			nulls++
			if m.Error == nil || m.Error.Code != parseError && m.Error.Code != invalidRequest {
				t.Errorf("answered %s", m.raw)
			}
		}
	}
	s.mu.Unlock()
	if nulls != 10 {
		t.Errorf("%d errors without an id, want 10", nulls)
	}
	s.close()
}

// Errors of requests have codes that clients understand, and cost nothing else.
func TestRequestErrors(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	for _, c := range []struct {
		method string
		params any
		code   int
	}{
		{"no/such", object{}, methodNotFound},
		{"textDocument/rename", object{}, methodNotFound},
		{"textDocument/hover", 7, invalidParams},
		{"textDocument/hover", []int{1}, invalidParams},
		{"workspace/executeCommand", object{"command": "isadiff.nothing"}, invalidParams},
		{"workspace/executeCommand", object{"command": "isadiff.explain", "arguments": []int{1}}, invalidParams},
		{"workspace/executeCommand", object{"command": "isadiff.explain", "arguments": []object{{"code": "no-such"}}}, invalidParams},
		{"workspace/executeCommand", object{"command": "isadiff.showIsa", "arguments": []object{{"kernel": "no::such"}}}, internalError},
		{"workspace/executeCommand", object{"command": "isadiff.status", "arguments": []object{{"folder": "file:///no/such"}}}, internalError},
		{"workspace/executeCommand", object{"command": "isadiff.showIsa", "arguments": []object{{}}}, internalError},
		{"workspace/executeCommand", object{"command": "isadiff.mapPath", "arguments": []object{{}}}, internalError},
		{"workspace/executeCommand", object{"command": "isadiff.removeLeftover", "arguments": []object{{}}}, internalError},
	} {
		if e := s.fails(c.method, c.params); e.Code != c.code || strings.HasPrefix(e.Message, ":") || strings.HasPrefix(e.Message, ".") {
			t.Errorf("%s %v: error %+v, want code %d", c.method, c.params, e, c.code)
		}
	}
	for _, uri := range []string{"untitled:Untitled-1", "git:/x.py?HEAD", "file:///no/such.py", p.uri("nothing.py"), "", "%zz"} {
		for _, method := range []string{"textDocument/hover", "textDocument/codeLens", "textDocument/codeAction", "textDocument/definition"} {
			params := document(uri)
			params["position"] = object{"line": 0, "character": 0}
			params["range"] = object{"start": object{"line": 0, "character": 0}, "end": object{"line": 9, "character": 0}}
			params["context"] = object{"diagnostics": []int{}}
			m := s.wait(s.ask(method, params))
			if m.Error != nil && m.Error.Code != invalidParams || m.Error == nil && string(m.Result) != "null" && string(m.Result) != "[]" {
				t.Errorf("%s of %q: %s", method, uri, m.raw)
			}
		}
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// Edits are seen in their order: of 400 with a question after each, every answer
// is about the text of its moment.
func TestOrderOfChanges(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	p.open(s, "window_filter.py", 1)
	text, uri := p.read("window_filter.py"), p.uri("window_filter.py")
	ids := map[int]string{}
	for n := 1; n <= 400; n++ {
		s.notify("textDocument/didChange", changed(uri, n+1, strings.Repeat("\n", n%7)+text))
		ids[n] = s.ask("textDocument/codeLens", document(uri))
	}
	for n, id := range ids {
		var lenses []codeLens
		json.Unmarshal(s.wait(id).Result, &lenses)
		if len(lenses) == 0 || lenses[0].Range.Start.Line != 18+n%7 {
			t.Fatalf("after change %d: %+v", n, lenses)
		}
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// A change may come with a range, and with "range": null, which is the whole text.
func TestChangesWithRanges(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	p.open(s, "window_filter.py", 1)
	uri := p.uri("window_filter.py")
	s.notify("textDocument/didChange", object{
		"textDocument":   object{"uri": uri, "version": 2},
		"contentChanges": []object{{"range": nil, "text": "\n" + p.read("window_filter.py")}},
	})
	if line, _ := s.lens(uri); line != 19 {
		t.Errorf("after range null the lens is on line %d, want 19", line)
	}
	at := func(line, character int) object { return object{"line": line, "character": character} }
	s.notify("textDocument/didChange", object{
		"textDocument": object{"uri": uri, "version": 3},
		"contentChanges": []object{
			{"range": object{"start": at(0, 0), "end": at(0, 0)}, "text": "# 🙂\n\n"},
			{"range": object{"start": at(0, 2), "end": at(0, 4)}, "text": "é"},
			{"range": object{"start": at(0, 3), "end": at(1, 0)}, "text": ""},
			{"range": object{"start": at(9999, 3), "end": at(99999, 0)}, "text": "\n# end\n"},
		},
	})
	if line, _ := s.lens(uri); line != 20 {
		t.Errorf("after ranges the lens is on line %d, want 20", line)
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// pullSession begins a session with a client that fetches diagnostics.
func pullSession(t *testing.T) (projectDir, *session) {
	t.Helper()
	p := worseProject(t)
	s := start(t, startOptions{})
	caps := capabilities()
	caps["workspace"].(object)["diagnostics"] = object{"refreshSupport": true}
	caps["textDocument"].(object)["diagnostic"] = object{}
	s.settings = settings()
	s.initializeWith(object{"processId": nil, "rootUri": fileURI(p.root), "capabilities": caps})
	s.settled(1)
	s.rescan()
	return p, s
}

// A request that waits can be cancelled, and the client's hanging up ends it.
func TestCancel(t *testing.T) {
	p, s := pullSession(t)
	s.claim("workspace/diagnostic/refresh")
	var report workspaceReport
	s.call("workspace/diagnostic", object{"previousResultIds": []object{}}, &report)
	if len(report.Items) != 1 || report.Items[0].Kind != "full" || len(report.Items[0].Items) != 1 || report.Items[0].Version != nil {
		t.Fatalf("workspace diagnostics %+v", report)
	}
	waiting := object{
		"previousResultIds":  []object{{"uri": report.Items[0].URI, "value": report.Items[0].ResultID}},
		"partialResultToken": "p",
	}
	id := s.ask("workspace/diagnostic", waiting)
	for _, other := range []string{id + ".5", id + "e0", `"` + id + `"`, "-" + id} { // none of them is its id
		s.notify("$/cancelRequest", object{"id": json.RawMessage(other)})
	}
	s.call("textDocument/codeLens", document(p.uri("window_filter.py")), nil)
	s.mu.Lock()
	if !s.waiting[id] {
		t.Errorf("cancelled by another id: %s", s.answers[id].raw)
	}
	s.mu.Unlock()
	s.notify("$/cancelRequest", object{"id": json.RawMessage(id)})
	if m := s.wait(id); m.Error == nil || m.Error.Code != requestCancelled {
		t.Errorf("the cancelled request: %s", m.raw)
	}
	// Without the token the answer comes at once: nothing new.
	delete(waiting, "partialResultToken")
	s.call("workspace/diagnostic", waiting, &report)
	if len(report.Items) != 1 || report.Items[0].Kind != "unchanged" {
		t.Errorf("asked again: %+v", report)
	}
	waiting["partialResultToken"] = "q"
	s.ask("workspace/diagnostic", waiting)
	s.call("textDocument/codeLens", document(p.uri("window_filter.py")), nil)
	s.hangUp()
	if code := s.leave(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
}

// What waits is answered when the client shuts down, once.
func TestShutdownAnswersWhatWaits(t *testing.T) {
	_, s := pullSession(t)
	var report workspaceReport
	s.call("workspace/diagnostic", object{"previousResultIds": []object{}}, &report)
	var waiting []string
	for i := range 20 {
		waiting = append(waiting, s.ask("workspace/diagnostic", object{
			"previousResultIds":  []object{{"uri": report.Items[0].URI, "value": report.Items[0].ResultID}},
			"partialResultToken": fmt.Sprint(i),
		}))
	}
	s.call("shutdown", nil, nil)
	s.notify("exit", nil)
	for _, id := range waiting {
		if m := s.wait(id); m.Error == nil || m.Error.Code != requestCancelled {
			t.Errorf("%s", m.raw)
		}
	}
	if code := s.leave(); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
}

type workspaceReport struct {
	Items []struct {
		Kind, URI string
		ResultID  string
		Version   *int
		Items     []diagnostic
	}
}

// Work that the client gave a token for reports under it and can be cancelled.
func TestProgressCancel(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	cancelled := 0
	for n := range 50 {
		token := fmt.Sprintf("%q", fmt.Sprint("client-", n))
		s.mu.Lock()
		s.bars[token] = "created"
		s.mu.Unlock()
		id := s.ask("workspace/executeCommand", object{"command": "isadiff.rescan", "arguments": []object{{}}, "workDoneToken": json.RawMessage(token)})
		s.until("beginning of "+token, func() bool { return s.bars[token] != "created" })
		s.notify("window/workDoneProgress/cancel", object{"token": json.RawMessage(token)})
		if m := s.wait(id); m.Error != nil {
			cancelled++
			if m.Error.Code != requestCancelled {
				t.Fatalf("cancelled: %s", m.raw)
			}
		}
		s.until("end of "+token, func() bool { return s.bars[token] == "end" })
	}
	t.Logf("%d of 50 were cancelled in time", cancelled)
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// A client that never answers the server's own requests is served all the same.
func TestClientThatNeverAnswers(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	for _, method := range []string{"window/workDoneProgress/create", "workspace/codeLens/refresh", "window/showDocument", "client/registerCapability"} {
		s.silent[method] = true
	}
	s.settings = settings()
	s.initializeWith(object{"processId": nil, "rootUri": fileURI(p.root), "capabilities": capabilities()})
	got := expect[published](s, "textDocument/publishDiagnostics", nil)
	if len(got.Diagnostics) != 1 {
		t.Errorf("published %+v", got)
	}
	var shown struct {
		URI  string
		Line int
	}
	s.execute("isadiff.showIsa", object{"kernel": "window_filter/window_filter_0::window_filter_0"}, &shown)
	if filepath.Base(shown.URI) != "22_final_isa.s" || shown.Line != 145 {
		t.Errorf("shown %+v", shown)
	}
	expect[object](s, "window/showDocument", nil)
	s.execute("isadiff.rescan", object{}, nil) // without a bar
	s.claim("textDocument/publishDiagnostics", "window/workDoneProgress/create", "client/registerCapability", "window/showDocument", "window/showMessage")
	s.close()
}

// What is read after the client has woken up is whole and in order; a client
// that never wakes up does not keep the process.
func TestClientThatDoesNotRead(t *testing.T) {
	p := worseProject(t)
	for _, wakes := range []bool{true, false} {
		s := start(t, startOptions{stuck: true})
		s.settings = settings()
		s.ask("initialize", object{"processId": nil, "rootUri": fileURI(p.root), "capabilities": object{}, "initializationOptions": object{"settings": settings()}})
		s.notify("initialized", object{})
		p.open(s, "window_filter.py", 1)
		text, uri := p.read("window_filter.py"), p.uri("window_filter.py")
		var last string
		for n := range 2000 {
			s.notify("textDocument/didChange", changed(uri, n+2, strings.Repeat("\n", n%5)+text))
			last = s.ask("textDocument/hover", object{"textDocument": object{"uri": uri}, "position": object{"line": 18, "character": 6}})
		}
		if wakes {
			close(s.canRead)
			s.wait(last)
			s.rescan()
			s.claim("textDocument/publishDiagnostics")
			s.close()
			continue
		}
		s.hangUp()
		if code := s.leave(); code != 1 {
			t.Errorf("exit code %d, want 1", code)
		}
		close(s.canRead)
	}
}

// A thousand requests in flight, each third cancelled: every one is answered
// once.
func TestManyRequests(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	p.open(s, "window_filter.py", 1)
	uri := p.uri("window_filter.py")
	hover := object{"textDocument": object{"uri": uri}, "position": object{"line": 18, "character": 6}}
	var ids []string
	for n := range 1000 {
		var id string
		switch n % 4 {
		case 0:
			id = s.ask("textDocument/codeLens", document(uri))
		case 1:
			id = s.ask("workspace/executeCommand", object{"command": "isadiff.kernels", "arguments": []object{{}}})
		default:
			id = s.ask("textDocument/hover", hover)
		}
		if n%3 == 0 {
			s.notify("$/cancelRequest", object{"id": json.RawMessage(id)})
		}
		ids = append(ids, id)
	}
	for _, id := range ids {
		if m := s.wait(id); m.Error != nil && m.Error.Code != requestCancelled {
			t.Errorf("request %s: %s", id, m.raw)
		}
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// A file is told apart by its path and published in the client's own spelling.
func TestSpellingOfURIs(t *testing.T) {
	p := newProject(t)
	p.copyFile("../testdata/kernels/window_filter.py", "a+b c/window_filter.py")
	p.age("a+b c/window_filter.py", time.Hour)
	p.dump("tile-up-spills/gfx942/before", "base")
	p.dump("tile-up-spills/gfx942/before", "dumps")
	plain := fileURI(p.root) + "/a+b%20c/window_filter.py"
	odd := strings.Replace(fileURI(p.root), "file://", "file://localhost", 1) + "/a%2Bb%20c/%77indow_filter.py"
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	s.notify("textDocument/didOpen", object{"textDocument": object{"uri": odd, "languageId": "python", "version": 5, "text": p.read("a+b c/window_filter.py")}})
	p.dump("tile-up-spills/gfx942/after", "dumps")
	got := expect[published](s, "textDocument/publishDiagnostics", nil)
	if got.URI != odd || got.Version == nil || *got.Version != 5 {
		t.Errorf("published as %s version %v, want %s version 5", got.URI, got.Version, odd)
	}
	if _, title := s.lens(plain); !strings.HasPrefix(title, "▲") {
		t.Errorf("asked by another spelling: %q", title)
	}
	s.close()
}
