package lsp_test

import (
	"os"
	"strings"
	"testing"
)

// tuned is a project whose kernel has its tuning in its name, which changed: the
// baseline is a dump tree.
func tuned(t *testing.T) projectDir {
	t.Helper()
	p := newProject(t)
	p.dump("unroll-up/gfx1250/before", "base")
	p.dump("unroll-up/gfx1250/after", "dumps")
	p.rename("base", "rmsnorm_kernel_0", "rmsnorm_f32_u2")
	p.rename("dumps", "rmsnorm_kernel_0", "rmsnorm_f32_u8")
	return p
}

// rename gives the kernel of rowwise_rmsnorm in a tree another name.
func (p projectDir) rename(tree, old, new string) {
	p.t.Helper()
	dir := tree + "/rowwise_rmsnorm/"
	if err := os.Rename(p.path(dir+old), p.path(dir+new)); err != nil {
		p.t.Fatal(err)
	}
	for _, name := range []string{"00_origin.mlir", "22_final_isa.s"} {
		file := dir + new + "/" + name
		p.write(file, strings.ReplaceAll(p.read(file), old, new))
		p.age(file, 3600e9)
	}
}

const (
	tunedBefore = "rowwise_rmsnorm/rmsnorm_f32_u2::rmsnorm_f32_u2"
	tunedAfter  = "rowwise_rmsnorm/rmsnorm_f32_u8::rmsnorm_f32_u8"
)

type kernelList struct {
	Kernels []struct {
		Key, Status, Summary string
		Proposed             *struct{ Before, After, Changes, Pair string }
	}
}

// A kernel under another name is compared as a proposed pair, which changes no verdict,
// and one order makes it a pair once a person has seen what is written.
func TestPair(t *testing.T) {
	for _, c := range []struct {
		name          string
		trusted       bool
		chooses       string
		file, written string
		want          string // the line of the configuration; "" if it is not written
	}{
		{"written", true, "Write it", "isadiff.toml", "dumps = \"dumps\"\nbaseline = \"base\"\n", "\n\n[pairs]\n\"rmsnorm_f32_u2\" = \"rmsnorm_f32_u8\"\n"},
		{"in pyproject.toml", true, "Write it", "pyproject.toml", "[tool.isadiff]\ndumps = \"dumps\"\nbaseline = \"base\"\n[tool.isadiff.pairs]\nx = 'y'\n", "[tool.isadiff.pairs]\n\"rmsnorm_f32_u2\" = \"rmsnorm_f32_u8\"\nx = 'y'\n"},
		{"not wanted", true, "", "isadiff.toml", "dumps = \"dumps\"\nbaseline = \"base\"\n", ""},
		{"not trusted", false, "Write it", "isadiff.toml", "dumps = \"dumps\"\nbaseline = \"base\"\n", ""},
		{"where it cannot be put", true, "Write it", "isadiff.toml", "dumps = \"dumps\"\nbaseline = \"base\"\npairs = { x = \"y\" }\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := tuned(t)
			p.write(c.file, c.written)
			s := start(t, startOptions{})
			s.chooses = c.chooses
			s.initializeWith(object{
				"processId": nil, "rootUri": fileURI(p.root), "capabilities": capabilities(),
				"initializationOptions": object{"status": true, "trusted": c.trusted},
			})
			s.settled(1)
			s.rescan()
			var list kernelList
			s.execute("isadiff.kernels", object{}, &list)
			for _, k := range list.Kernels {
				if k.Proposed == nil || k.Proposed.Before != tunedBefore || k.Proposed.After != tunedAfter ||
					!strings.HasPrefix(k.Proposed.Changes, "vgpr 30 -> 53 (+23)") || k.Proposed.Pair != "rmsnorm_f32_u2=rmsnorm_f32_u8" {
					t.Errorf("%s: %+v", k.Key, k.Proposed)
				}
				if k.Key == tunedAfter && (k.Status != "one-sided" || !strings.HasPrefix(k.Summary, "? rmsnorm_f32_u2→u8 · ▲ vgpr 30→53")) {
					t.Errorf("%+v", k)
				}
			}
			if len(list.Kernels) != 2 {
				t.Errorf("%d kernels", len(list.Kernels))
			}
			var lenses []codeLens
			s.call("textDocument/codeLens", document(p.uri("dumps/rowwise_rmsnorm/rmsnorm_f32_u8/22_final_isa.s")), &lenses)
			at := -1
			for i, l := range lenses {
				if l.Command.Title == "pair them" {
					at = i
				}
			}
			if at < 0 {
				t.Fatalf("lenses %+v", lenses)
			}
			var answer struct {
				Path, Text, Message string
				Written             bool
			}
			s.call("workspace/executeCommand", object{"command": lenses[at].Command.Command, "arguments": lenses[at].Command.Arguments}, &answer)
			if answer.Written != (c.want != "") || !strings.HasSuffix(answer.Text, "pairs]\n\"rmsnorm_f32_u2\" = \"rmsnorm_f32_u8\"\n") || answer.Path != p.path(c.file) {
				t.Errorf("%+v", answer)
			}
			if asked := s.claim("window/showMessageRequest"); asked != 0 != (c.trusted && !strings.Contains(c.written, "{")) {
				t.Errorf("%d questions", asked)
			}
			text := p.read(c.file)
			if c.want == "" {
				if text != c.written {
					t.Errorf("the file is %q", text)
				}
			} else {
				if !strings.HasSuffix(strings.TrimRight("\n"+text, ""), c.want) {
					t.Errorf("the file is %q", text)
				}
				s.settled(3) // the first look, a rescan, the look with the pair
				s.rescan()
				list = kernelList{}
				s.execute("isadiff.kernels", object{}, &list)
				if len(list.Kernels) != 1 || list.Kernels[0].Key != tunedAfter || list.Kernels[0].Status != "worse" || list.Kernels[0].Proposed != nil {
					t.Errorf("%+v", list)
				}
				if err := s.fails("workspace/executeCommand", object{"command": "isadiff.pair", "arguments": []object{{"kernel": tunedAfter}}}); !strings.Contains(err.Message, "no probable counterpart") {
					t.Errorf("%+v", err)
				}
			}
			if !c.trusted || strings.Contains(c.written, "{") { // the file is shown
				expect[struct{}](s, "window/showDocument", nil)
			}
			s.claim("textDocument/publishDiagnostics")
			s.close()
		})
	}
}

// What is tolerated has no diagnostic, and the lens says that it is.
func TestTolerated(t *testing.T) {
	p := newProject(t)
	p.dump("unroll-up/gfx1250/before", "base")
	p.dump("unroll-up/gfx1250/after", "dumps")
	p.write("isadiff.toml", "dumps = 'dumps'\nbaseline = 'base'\ntolerance = { '*' = { vgpr = 23 } }\n")
	s := start(t, startOptions{})
	s.initialize(p.root, object{"dumps": "dumps"})
	s.rescan()
	var list kernelList
	s.execute("isadiff.kernels", object{}, &list)
	if len(list.Kernels) != 1 || list.Kernels[0].Status != "changed" || !strings.Contains(list.Kernels[0].Summary, " · tolerated: vgpr 30→53") || strings.Contains(list.Kernels[0].Summary, "accepted") {
		t.Errorf("%+v", list)
	}
	for _, m := range allOf[published](s, "textDocument/publishDiagnostics") {
		if len(m.Diagnostics) > 0 {
			t.Errorf("%+v", m)
		}
	}
	s.close()
}

// The definition compares itself: its line shows the figures of both names.
func TestProposedDefinition(t *testing.T) {
	p := tuned(t)
	p.copyFile("../testdata/kernels/rowwise/rmsnorm.py", "kernels/rowwise/rmsnorm.py")
	p.write("kernels/rowwise/rmsnorm.py", strings.Replace(p.read("kernels/rowwise/rmsnorm.py"), "@flyc.kernel(", "@flyc.kernel(name=f\"rmsnorm_f32_u{UNROLL}\", ", 1))
	p.age("kernels/rowwise/rmsnorm.py", 2*3600e9)
	p.write("isadiff.toml", "dumps = 'dumps'\nbaseline = 'base'\npath-map = { '/home/user/kernels' = 'kernels' }\n")
	s := start(t, startOptions{})
	s.initialize(p.root, object{"dumps": "dumps"})
	s.rescan()
	uri := p.uri("kernels/rowwise/rmsnorm.py")
	var lenses []codeLens
	s.call("textDocument/codeLens", document(uri), &lenses)
	titles := map[string]bool{}
	for _, l := range lenses {
		titles[l.Command.Title] = true
	}
	if len(lenses) == 0 || !strings.HasPrefix(lenses[0].Command.Title, "? rmsnorm_f32_u2→u8 · ▲ vgpr 30→53") || !titles["pair them"] || !titles["take baseline"] {
		t.Errorf("lenses %+v", lenses)
	}
	said := false
	for _, m := range allOf[published](s, "textDocument/publishDiagnostics") {
		for _, d := range m.Diagnostics {
			said = said || strings.Contains(d.Message, "renamed from rmsnorm_f32_u2? As a pair: vgpr 30 -> 53 (+23)")
		}
	}
	if !said {
		t.Error("no diagnostic says what the pair would be")
	}
	var hover struct{ Contents struct{ Value string } }
	s.call("textDocument/hover", object{"textDocument": object{"uri": uri}, "position": lenses[0].Range.Start}, &hover)
	if !strings.Contains(hover.Contents.Value, "vgpr 30 -> 53 (+23)") || !strings.Contains(hover.Contents.Value, `"rmsnorm_f32_u2" = "rmsnorm_f32_u8"`) {
		t.Errorf("hover %s", hover.Contents.Value)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}
