package lsp_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

const smooth = "kernels/gfx942::smooth"

type sheetLine struct {
	Text, URI string
	Line      *int
}

// hipProject is a project whose dumps have debug locations: a snapshot that keeps its
// assembly, and dumps that are worse.
func hipProject(t *testing.T) projectDir {
	t.Helper()
	p := newProject(t)
	p.copyFile("../testdata/hip/kernels.hip", "kernels.hip")
	text := strings.Replace(p.read("kernels.hip"), "float taps[32];", "float taps[96];", 1)
	text = strings.Replace(text, "for (int i = 0; i < 32; i++) sum += in[i] * w.taps[i];", "float held[96];\n  for (int i = 0; i < 96; i++) held[i] = in[i];\n  __builtin_amdgcn_s_barrier();\n  for (int i = 0; i < 96; i++) sum += held[95 - i] * w.taps[i];", 1)
	p.write("kernels.hip", text)
	p.age("kernels.hip", time.Hour)
	p.dump("../hip/before", "dumps")
	takeSnapshotOf(t, p)
	if err := os.RemoveAll(p.path("dumps")); err != nil {
		t.Fatal(err)
	}
	p.dump("../hip/after", "dumps")
	p.age("kernels.hip", time.Hour) // whatever copying did
	return p
}

func hipSettings() object { return object{"dumps": "dumps", "baseline": ".isadiff/baseline.json"} }

// The sheet of a kernel has what `isadiff why` says, and leads to the source, whatever
// kind of baseline there is.
func TestWhyCommand(t *testing.T) {
	p := hipProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, hipSettings())
	var sheet struct {
		Kernel, Title, URI string
		Lines              []sheetLine
	}
	s.execute("isadiff.why", object{"kernel": smooth}, &sheet)
	var texts []string
	for _, l := range sheet.Lines {
		texts = append(texts, l.Text)
	}
	all := strings.Join(texts, "\n")
	for _, want := range []string{
		smooth + "  gfx942", "  vgpr 36 -> 61 (+25), sgpr 58 -> 90 (+32)", "  62 -> 160 instructions: 9 the same",
		"near line                 live VGPRs", "kernels.hip:34 (was 31)  34->59(+25)", "  3 lines without a change", "along the kernel",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	if sheet.Kernel != smooth || sheet.Title != "why smooth" || sheet.URI != "" {
		t.Errorf("%+v", sheet)
	}
	if _, err := os.Stat(p.path(".isadiff/why.md")); err == nil {
		t.Error("a page was written for a client that shows the lines")
	}
	at := slices.IndexFunc(sheet.Lines, func(l sheetLine) bool { return strings.HasPrefix(l.Text, "kernels.hip:34") })
	if l := sheet.Lines[at]; l.URI != p.uri("kernels.hip") || l.Line == nil || *l.Line != 33 {
		t.Errorf("leads to %+v", l)
	}
	// A source that is edited since: lines are followed.
	p.open(s, "kernels.hip", 1)
	s.notify("textDocument/didChange", changed(p.uri("kernels.hip"), 2, "// new\n"+p.read("kernels.hip")))
	s.execute("isadiff.why", object{"kernel": smooth}, &sheet)
	if l := sheet.Lines[at]; l.Line == nil || *l.Line != 34 {
		t.Errorf("leads to %+v, with a line more above", l)
	}

	for kernel, want := range map[string]string{"": "", "no::such": "no::such"} {
		if e := s.fails("workspace/executeCommand", object{"command": "isadiff.why", "arguments": []object{{"kernel": kernel}}}); !strings.Contains(e.Message, want) {
			t.Errorf("%q: %+v", kernel, e)
		}
	}
	// Without the assembly it is said how to take it.
	if err := os.Remove(p.path(".isadiff/baseline.isa.zst")); err != nil {
		t.Fatal(err)
	}
	e := s.fails("workspace/executeCommand", object{"command": "isadiff.why", "arguments": []object{{"kernel": smooth}}})
	for _, want := range []string{"is not kept", "baseline.isa.zst", "take the snapshot again", "isadiff snapshot"} {
		if !strings.Contains(e.Message, want) {
			t.Errorf("no %q in %q", want, e.Message)
		}
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// Without a baseline there is nothing to compare with.
func TestWhyWithoutBaseline(t *testing.T) {
	p := newProject(t, "window_filter.py")
	p.dump("tile-up-spills/gfx942/after", "dumps")
	s := start(t, startOptions{})
	s.initialize(p.root, object{"dumps": "dumps"})
	e := s.fails("workspace/executeCommand", object{"command": "isadiff.why", "arguments": []object{{"kernel": "window_filter/window_filter_0::window_filter_0"}}})
	if !strings.Contains(e.Message, "there is no baseline to compare with") {
		t.Errorf("%+v", e)
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// A client that does not show answers itself gets a page in the project.
func TestWhyPage(t *testing.T) {
	p := worseProject(t)
	p.write(".isadiff/keep", "")
	s := start(t, startOptions{})
	s.settings = settings()
	s.initializeWith(object{"processId": nil, "rootUri": fileURI(p.root), "capabilities": capabilities()})
	s.settled(1)
	s.rescan()
	var sheet struct {
		URI   string
		Lines []sheetLine
	}
	s.execute("isadiff.why", object{"kernel": "window_filter/window_filter_0::window_filter_0"}, &sheet)
	page := p.read(".isadiff/why.md")
	if sheet.URI != p.uri(".isadiff/why.md") || !strings.HasPrefix(page, "# `window_filter/window_filter_0::window_filter_0` gfx942\n") ||
		!strings.Contains(page, "FLYDSL_DEBUG_ENABLE_DEBUG_INFO=1 for the source lines") {
		t.Errorf("%s:\n%s", sheet.URI, page)
	}
	if shown := expect[struct{ URI string }](s, "window/showDocument", nil); shown.URI != sheet.URI {
		t.Errorf("shown %+v", shown)
	}
	// What stands there and is nobody's to replace stays.
	p.write(".isadiff/why.md", "mine\n")
	s.fails("workspace/executeCommand", object{"command": "isadiff.why", "arguments": []object{{"kernel": "window_filter/window_filter_0::window_filter_0"}}})
	if p.read(".isadiff/why.md") != "mine\n" {
		t.Error("a file of the user was replaced")
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// A kernel that changed has a lens and a code action that lead there, and its hover
// begins with the lines that matter.
func TestWhyIsOffered(t *testing.T) {
	p := hipProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, hipSettings())
	p.open(s, "kernels.hip", 1)
	at := p.find("kernels.hip", "smooth(")
	line := at["line"]
	var lenses []codeLens
	s.call("textDocument/codeLens", document(p.uri("kernels.hip")), &lenses)
	offered := map[int][]string{}
	for _, l := range lenses {
		offered[l.Range.Start.Line] = append(offered[l.Range.Start.Line], l.Command.Title)
	}
	for n, titles := range offered {
		if changed := strings.ContainsAny(titles[0], "▲▼→"); changed != slices.Contains(titles, "why") {
			t.Errorf("line %d: %q", n, titles)
		}
	}
	if n, ok := line.(int); !ok || !slices.Contains(offered[n], "why") {
		t.Errorf("line %v: %v", line, offered)
	}
	ask := document(p.uri("kernels.hip"))
	ask["range"], ask["context"] = object{"start": at, "end": at}, object{"diagnostics": []object{}}
	var actions []struct {
		Title   string
		Command struct {
			Command   string
			Arguments []object
		}
	}
	s.call("textDocument/codeAction", ask, &actions)
	found := false
	for _, a := range actions {
		if a.Title == "isadiff: why" {
			found = a.Command.Command == "isadiff.why" && strings.HasSuffix(a.Command.Arguments[0]["kernel"].(string), "::smooth")
		}
	}
	if !found {
		t.Errorf("actions %+v", actions)
	}
	var hover struct{ Contents struct{ Value string } }
	s.call("textDocument/hover", object{"textDocument": object{"uri": p.uri("kernels.hip")}, "position": at}, &hover)
	_, marks, _ := strings.Cut(hover.Contents.Value, "\n```\n\n")
	if got := strings.SplitN(marks, "\n\n", 4); len(got) != 4 || !strings.Contains(got[2], "kernels.hip#L34)  live VGPRs 34→") {
		t.Errorf("below what moved the hover has %q", got)
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// Hints stand at the ends of the lines that they are about, follow them through edits,
// and are gone where nobody can tell.
func TestLineHints(t *testing.T) {
	p := hipProject(t)
	original := p.read("kernels.hip")
	lines := strings.Split(original, "\n")
	s := start(t, startOptions{})
	s.initialize(p.root, hipSettings())
	p.open(s, "kernels.hip", 1)
	version := 1
	hints := func(s *session) map[int]string {
		t.Helper()
		ask := document(p.uri("kernels.hip"))
		ask["range"] = object{"start": object{"line": 0, "character": 0}, "end": object{"line": 999, "character": 0}}
		var list []struct {
			Position position
			Label    string
		}
		s.call("textDocument/inlayHint", ask, &list)
		all := map[int]string{}
		for _, h := range list {
			all[h.Position.Line] = h.Label
		}
		return all
	}
	edit := func(text string) {
		version++
		s.notify("textDocument/didChange", changed(p.uri("kernels.hip"), version, text))
	}
	const at = 33 // 0-based line of the loop that spends the registers
	const want = "gfx1201: live VGPRs 34→73"
	first := hints(s)
	if first[at] != want || len(first) < 2 {
		t.Fatalf("hints %v", first)
	}
	for line, label := range first {
		if !strings.Contains(label, "live VGPRs") || strings.TrimSpace(lines[line]) == "" {
			t.Errorf("%q at %q", label, lines[line])
		}
	}
	same := func(name string, shift func(line int) int) {
		t.Helper()
		want := map[int]string{}
		for line, label := range first {
			if to := shift(line); to >= 0 {
				want[to] = label
			}
		}
		if got := hints(s); !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	edit("// one\n// more\n" + original)
	same("two lines above", func(n int) int { return n + 2 })
	edited := slices.Clone(lines)
	edited[at] += " // edited"
	edit(strings.Join(edited, "\n"))
	same("an edit of the line", func(n int) int {
		if n == at || n == at-1 { // that is there twice, and told by its neighbors
			return -1
		}
		return n
	})
	edit(strings.Join(slices.Insert(slices.Clone(lines), at, lines[at]), "\n"))
	same("the line twice", func(n int) int {
		switch {
		case n == at:
			return -1
		case n > at:
			return n + 1
		}
		return n
	})
	edit(original)
	same("taken back", func(n int) int { return n })
	// Saved: what was compiled is remembered here, and by no server that starts now.
	p.write("kernels.hip", "// one\n"+original)
	edit("// one\n" + original)
	s.rescan()
	same("saved", func(n int) int { return n + 1 })
	later := start(t, startOptions{})
	later.initialize(p.root, hipSettings())
	p.open(later, "kernels.hip", 1)
	if got := hints(later); len(got) > 0 {
		t.Errorf("nobody knows what was compiled, but there are hints %v", got)
	}
	later.rescan()
	later.claim("textDocument/publishDiagnostics")
	later.close()
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()

	p.write("kernels.hip", original)
	p.age("kernels.hip", time.Hour)
	off := start(t, startOptions{})
	set := hipSettings()
	set["line-hints"] = false
	off.initialize(p.root, set)
	p.open(off, "kernels.hip", 1)
	if got := hints(off); len(got) > 0 {
		t.Errorf("off, but there are hints %v", got)
	}
	off.rescan()
	off.claim("textDocument/publishDiagnostics")
	off.close()
}

// A kernel that did not get worse has no hints.
func TestNoLineHints(t *testing.T) {
	p := hipProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, object{"dumps": "dumps", "baseline": ".isadiff/baseline.json", "kernels": "*scale*"})
	p.open(s, "kernels.hip", 1)
	ask := document(p.uri("kernels.hip"))
	ask["range"] = object{"start": object{"line": 0, "character": 0}, "end": object{"line": 999, "character": 0}}
	var list []object
	s.call("textDocument/inlayHint", ask, &list)
	if len(list) > 0 {
		t.Errorf("hints %v", list)
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// A client that can be told later is told of hints when a kernel got worse.
func TestLineHintsRegistered(t *testing.T) {
	p := newProject(t, "window_filter.py")
	p.age("window_filter.py", time.Hour)
	p.dump("tile-up-spills/gfx942/before", "base")
	p.dump("tile-up-spills/gfx942/before", "dumps")
	s := start(t, startOptions{})
	s.settings = settings()
	caps := capabilities()
	caps["textDocument"].(object)["inlayHint"] = object{"dynamicRegistration": true}
	s.initializeWith(object{"processId": nil, "rootUri": fileURI(p.root), "capabilities": caps, "initializationOptions": object{"status": true}})
	s.settled(1)
	s.rescan()
	registered := func() bool {
		for _, m := range s.inbox {
			if m.Method == "client/registerCapability" && strings.Contains(m.raw, "textDocument/inlayHint") {
				return true
			}
		}
		return false
	}
	s.mu.Lock()
	early := registered()
	s.mu.Unlock()
	if early {
		t.Error("told of hints although no kernel got worse")
	}
	p.dump("tile-up-spills/gfx942/after", "dumps")
	s.rescan()
	s.until("registration of hints", registered)
	s.claim("textDocument/publishDiagnostics")
	s.close()
}
