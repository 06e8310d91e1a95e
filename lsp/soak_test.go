package lsp_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	soakSteps = flag.Int("soak", 150, "how many steps the soak test takes")
	soakSeed  = flag.Uint64("soakseed", 1, "the seed of the soak test")
)

// Compiles, edits, changes of the baseline, removed roots, folders and settings in
// random order end in exactly the state that a fresh start gives, with no more
// memory and descriptors than in the middle.
func TestSoak(t *testing.T) {
	sources := []string{"window_filter.py", "transpose.py", "rowwise/softmax.py", "rowwise/rmsnorm.py", "elementwise/gelu.py"}
	p := newProject(t, sources...)
	var modules []string
	entries, err := os.ReadDir(dumps + "/mixed/gfx1201/before")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		modules = append(modules, e.Name())
	}
	compile := func(module, side string) { p.dump("mixed/gfx1201/"+side+"/"+module, "dumps/"+module) }
	for _, m := range modules {
		compile(m, "before")
	}
	set := object{"dumps": "dumps"}
	s := start(t, startOptions{})
	s.initialize(p.root, set)
	s.execute("isadiff.snapshotBaseline", object{}, nil)

	t.Logf("seed %d, %d steps", *soakSeed, *soakSteps)
	random := rand.New(rand.NewPCG(*soakSeed, 7))
	pick := func(list []string) string { return list[random.IntN(len(list))] }
	texts := map[string]string{}
	for _, src := range sources {
		texts[src] = p.read(src)
	}
	version := 1
	open := map[string]bool{}
	var middle usage
	for step := range *soakSteps {
		switch n := random.IntN(100); {
		case n < 50:
			compile(pick(modules), pick([]string{"before", "after"}))
		case n < 70:
			src := pick(sources)
			version++
			if !open[src] {
				open[src] = true
				s.notify("textDocument/didOpen", object{"textDocument": object{"uri": p.uri(src), "languageId": "python", "version": version, "text": texts[src]}})
				break
			}
			s.notify("textDocument/didChange", changed(p.uri(src), version, strings.Repeat("#\n", random.IntN(5))+texts[src]))
		case n < 76:
			src := pick(sources)
			if open[src] {
				delete(open, src)
				s.notify("textDocument/didClose", document(p.uri(src)))
			}
		case n < 82:
			s.wait(s.ask("workspace/executeCommand", object{"command": pick([]string{"isadiff.snapshotBaseline", "isadiff.undoBaseline"}), "arguments": []object{{"force": true}}}))
		case n < 86:
			s.wait(s.ask("workspace/executeCommand", object{"command": "isadiff.acceptKernel", "arguments": []object{{"kernel": "window_filter/window_filter_0::window_filter_0"}}}))
		case n < 88:
			os.RemoveAll(p.path("dumps"))
			for _, m := range modules {
				if random.IntN(3) > 0 {
					compile(m, "after")
				}
			}
		case n < 89:
			os.Remove(p.path(".isadiff/baseline.json"))
		case n < 90:
			p.write(".isadiff/baseline.json", "{\"schema\": 2, \"kern")
		case n < 92:
			s.mu.Lock()
			s.settings = object{"dumps": "dumps", "severity": object{"registers": pick([]string{"hint", "warning", "off"})}}
			s.mu.Unlock()
			s.notify("workspace/didChangeConfiguration", object{"settings": nil})
		case n < 94:
			event := object{"added": []object{}, "removed": []object{{"uri": fileURI(p.root), "name": "x"}}}
			s.notify("workspace/didChangeWorkspaceFolders", object{"event": event})
			event["added"], event["removed"] = event["removed"], event["added"]
			s.notify("workspace/didChangeWorkspaceFolders", object{"event": event})
		case n < 98:
			s.wait(s.ask("textDocument/codeLens", document(p.uri(pick(sources)))))
		default:
			s.wait(s.ask("workspace/executeCommand", object{"command": "isadiff.rescan", "arguments": []object{{}}}))
		}
		if step == *soakSteps/3 {
			middle = usageOf(t, s)
		}
	}
	// A state that does not depend on what only a session knows: everything is
	// there, nothing is open, and the settings are those of a fresh start.
	for src := range open {
		s.notify("textDocument/didClose", document(p.uri(src)))
	}
	os.RemoveAll(p.path(".isadiff"))
	for _, m := range modules {
		compile(m, "before")
	}
	s.mu.Lock()
	s.settings = set
	s.mu.Unlock()
	s.notify("workspace/didChangeConfiguration", object{"settings": nil})
	s.settledState()
	s.execute("isadiff.snapshotBaseline", object{"force": true}, nil)
	for _, m := range modules {
		compile(m, "after")
	}
	s.settledState()
	got := s.picture(p, sources)
	end := usageOf(t, s)
	s.claim("window/showMessage")
	s.close()

	fresh := start(t, startOptions{})
	fresh.initialize(p.root, set)
	fresh.settledState()
	want := fresh.picture(p, sources)
	fresh.close()
	if got != want {
		t.Errorf("seed %d: after the soak\n%s\na fresh start says\n%s", *soakSeed, got, want)
	}
	if end.files > middle.files+8 {
		t.Errorf("seed %d: %d descriptors, %d after a third of it", *soakSeed, end.files, middle.files)
	}
	if !raceEnabled && end.memory > middle.memory+64<<10 {
		t.Errorf("seed %d: %d KiB resident, %d after a third of it", *soakSeed, end.memory, middle.memory)
	}
}

// settledState reads everything again until the folder answers: it may be
// restarting.
func (s *session) settledState() {
	s.t.Helper()
	for {
		m := s.wait(s.ask("workspace/executeCommand", object{"command": "isadiff.rescan", "arguments": []object{{}}}))
		if m.Error == nil {
			return
		}
		if !strings.Contains(m.Error.Message, "still being read") && !strings.Contains(m.Error.Message, "the session has ended") && !strings.Contains(m.Error.Message, "no folder is open") {
			s.t.Fatalf("rescan: %s", m.raw)
		}
	}
}

// picture is all that an editor shows: the diagnostics that it was sent and still
// has, every lens, the status.
func (s *session) picture(p projectDir, sources []string) string {
	s.t.Helper()
	have := map[string]string{}
	for _, m := range allOf[published](s, "textDocument/publishDiagnostics") {
		var b strings.Builder
		for _, d := range m.Diagnostics {
			fmt.Fprintf(&b, "%d %d %s %s\n", d.Range.Start.Line, d.Severity, d.Code, d.Message)
		}
		have[m.URI] = b.String()
	}
	var b strings.Builder
	for _, src := range sources {
		var lenses []codeLens
		s.call("textDocument/codeLens", document(p.uri(src)), &lenses)
		fmt.Fprintf(&b, "%s\n%s", src, have[p.uri(src)])
		delete(have, p.uri(src))
		for _, l := range lenses {
			fmt.Fprintf(&b, "%d %s\n", l.Range.Start.Line, l.Command.Title)
		}
	}
	for _, uri := range slices.Sorted(maps.Keys(have)) {
		if list := have[uri]; list != "" {
			fmt.Fprintf(&b, "%s\n%s", strings.TrimPrefix(uri, fileURI(p.root)), list)
		}
	}
	var status object
	s.execute("isadiff.status", object{}, &status)
	delete(status, "seq")
	delete(status, "baseline") // its undo is what only the session has
	raw, err := json.Marshal(status)
	if err != nil {
		s.t.Fatal(err)
	}
	return b.String() + string(raw)
}

type usage struct{ memory, files int } // KiB, descriptors

// usageOf asks the kernel; zero where it cannot be asked.
func usageOf(t testing.TB, s *session) (u usage) {
	if runtime.GOOS != "linux" {
		return u
	}
	dir := filepath.Join("/proc", strconv.Itoa(s.cmd.Process.Pid))
	fds, err := os.ReadDir(filepath.Join(dir, "fd"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "status"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmRSS:" {
			u.memory, _ = strconv.Atoi(f[1])
		}
	}
	u.files = len(fds)
	return u
}
