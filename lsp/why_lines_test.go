package lsp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// plainScript compiles as FlyDSL does: with debug locations where they are asked for, and
// the same instructions without them else.
const plainScript = `set -e
from="$DUMPS/$(cat side)"
to="$FLYDSL_DUMP_DIR/window_filter_0"
mkdir -p "$to"
cp "$from/00_origin.mlir" "$to/"
if [ "$FLYDSL_DEBUG_ENABLE_DEBUG_INFO" = 1 ]; then
  echo "$FLYDSL_DUMP_DIR" >> asked
  cp "$from/23_final_isa.s" "$to/23_final_isa.s"
  test ! -e other || sed -i 's/v_add_u32_e32/v_sub_u32_e32/' "$to/23_final_isa.s"
else
  sed '/^[[:space:]]*\.loc[[:space:]]/d' "$from/23_final_isa.s" > "$to/22_final_isa.s"
fi
chmod -R u+w "$to"
`

// Where the dump has no debug locations, the sheet offers to compile once more with them,
// apart from the dumps, and shows the lines if the instructions are the same.
func TestWhyCompilesOnceMore(t *testing.T) {
	p, env := compiledProject(t)
	p.age("window_filter.py", time.Hour)
	p.write("compile.sh", plainScript)
	dump := func(side string) {
		t.Helper()
		p.write("side", side)
		c := exec.Command("sh", "compile.sh")
		c.Dir, c.Env = p.root, append(append(clean(os.Environ()), env...), "FLYDSL_DUMP_DIR="+p.path("dumps"))
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	dump("debug/gfx950/window_filter/window_filter_0")
	takeSnapshotOf(t, p)
	dump("debug-leftover/gfx950/window_filter_0")
	s := start(t, startOptions{env: env})
	s.trust(p)
	state := func() string {
		var status struct{ Verdict string }
		s.execute("isadiff.status", object{}, &status)
		return status.Verdict
	}
	if state() != "REGRESSION" {
		t.Fatalf("the verdict is %s", state())
	}
	const kernel = "window_filter_0::window_filter_0"
	type offered struct {
		sheetLine
		Command *struct {
			Command   string
			Arguments []object
		}
	}
	var sheet struct{ Lines []offered }
	s.execute("isadiff.why", object{"kernel": kernel}, &sheet)
	offer := sheet.Lines[len(sheet.Lines)-1]
	if offer.Text != "  compile once more for the source lines" || offer.Command == nil || offer.Command.Arguments[0]["lines"] != true {
		t.Fatalf("offered %+v", offer)
	}
	position := p.find("window_filter.py", "window_filter(")
	ask := document(p.uri("window_filter.py"))
	ask["range"], ask["context"] = object{"start": position, "end": position}, object{"diagnostics": []object{}}
	hover := func() string {
		var h struct{ Contents struct{ Value string } }
		s.call("textDocument/hover", object{"textDocument": object{"uri": p.uri("window_filter.py")}, "position": position}, &h)
		news, _, _ := strings.Cut(h.Contents.Value, "Unchanged: ")
		return news
	}
	if got := hover(); !strings.Contains(got, "pill stores and reloads 0 -> ") || strings.Contains(got, "window_filter.py#L") {
		t.Errorf("without lines the hover is %q", got)
	}
	more := func() (found bool) {
		var actions []struct{ Title string }
		s.call("textDocument/codeAction", ask, &actions)
		for _, a := range actions {
			found = found || a.Title == "isadiff: compile once more for the source lines"
		}
		return found
	}
	if !more() {
		t.Error("no action offers to compile once more")
	}

	dumped := p.read("dumps/window_filter_0/22_final_isa.s")
	sheet.Lines = nil
	s.execute(offer.Command.Command, offer.Command.Arguments[0], &sheet)
	found := false
	for _, l := range sheet.Lines {
		found = found || l.URI == p.uri("window_filter.py") && l.Line != nil && strings.HasPrefix(l.Text, "window_filter.py:") && !strings.Contains(l.Text, "new")
		if l.Command != nil {
			t.Errorf("offered once more: %+v", l)
		}
	}
	if !found {
		t.Errorf("no line leads to the source: %+v", sheet.Lines)
	}
	asked := strings.Fields(p.read("asked"))
	if len(asked) != 1 || strings.HasPrefix(asked[0], p.root) {
		t.Errorf("compiled into %q", asked)
	} else if _, err := os.Stat(filepath.Dir(asked[0])); err == nil {
		t.Errorf("%s is left", asked[0])
	}
	if state() != "REGRESSION" || p.read("dumps/window_filter_0/22_final_isa.s") != dumped {
		t.Errorf("the verdict is %s, or the dump is another one", state())
	}
	if got := hover(); !strings.Contains(got, "window_filter.py#L") || !strings.Contains(got, "spill store") {
		t.Errorf("with lines the hover is %q", got)
	}
	if more() {
		t.Error("an action offers to compile once more, although the lines are there")
	}

	// Other instructions are not those of the dump.
	p.write("other", "")
	e := s.fails("workspace/executeCommand", object{"command": "isadiff.why", "arguments": []object{{"kernel": kernel, "lines": true}}})
	if !strings.Contains(e.Message, "the same instructions") {
		t.Errorf("%+v", e)
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics")
	s.close()

	// What a file of a project names is not run for who does not trust it.
	untrusted := start(t, startOptions{env: env})
	untrusted.initialize(p.root, object{})
	sheet.Lines = nil
	untrusted.execute("isadiff.why", object{"kernel": kernel}, &sheet)
	for _, l := range sheet.Lines {
		if l.Command != nil {
			t.Errorf("offered to who does not trust the project: %+v", l)
		}
	}
	untrusted.fails("workspace/executeCommand", object{"command": "isadiff.why", "arguments": []object{{"kernel": kernel, "lines": true}}})
	if got := strings.Fields(p.read("asked")); len(got) != 2 {
		t.Errorf("compiled %q", got)
	}
	untrusted.rescan()
	untrusted.claim("textDocument/publishDiagnostics")
	untrusted.close()
}

// Of another compiler, whose command says itself where it compiles to, the flag is named.
func TestLinesOfHIP(t *testing.T) {
	p := newProject(t)
	p.write("isadiff.toml", "dumps = 'dumps'\nbaseline = 'base'\nproducer = 'hip'\ncompile = 'true'\n")
	p.dump("tile-up-spills/gfx942/before", "base")
	p.dump("tile-up-spills/gfx942/after", "dumps")
	s := start(t, startOptions{})
	s.trusting(p)
	e := s.fails("workspace/executeCommand", object{"command": "isadiff.why", "arguments": []object{{"kernel": filterKey, "lines": true}}})
	if !strings.Contains(e.Message, "compile with -gline-tables-only yourself") {
		t.Errorf("%+v", e)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}
