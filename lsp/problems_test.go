package lsp_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"isadiff/engine/problem"
)

// causes are what can be wrong with a dump or a baseline, each as an edit of a
// real one. The lens of the kernel, or of the file where none can be read, names
// the problem and offers what mends it; every command of it does something.
var problemCases = []struct {
	code  problem.Code
	first string // what mends it
	edit  func(p projectDir)
}{
	{problem.MetadataMissing, "compile again", cutDump("\t.amdgpu_metadata")},
	{problem.MetadataCut, "compile again", cutDump("\t.end_amdgpu_metadata")},
	{problem.MetadataMalformed, "compile again", replaceInDump("amdhsa.kernels:\n", "amdhsa.kernels: none\n")},
	{problem.DescriptorMismatch, "compile again", replaceInDump("\t.amdhsa_kernel window_filter_0", "\t.amdhsa_kernel other_0")},
	{problem.StageStale, "remove 23_final_isa.s", func(p projectDir) {
		p.write("dumps/window_filter/window_filter_0/23_final_isa.s", p.read(dumped))
		p.age("dumps/window_filter/window_filter_0/23_final_isa.s", time.Hour)
	}},
	{problem.DumpStale, "compile again", func(p projectDir) {
		p.age(dumped, 2*time.Hour)
		p.age("dumps/window_filter/window_filter_0/00_origin.mlir", time.Hour)
	}},
	{problem.NotUTF8, "compile again", replaceInDump("\t.text\n", "\t.text ; \xff\n")},
	{problem.KernelUnnamed, "compile again", func(p projectDir) {
		p.write(dumped, strings.NewReplacer("    .name:           window_filter_0\n", "", "    .symbol:         window_filter_0.kd\n", "").Replace(p.read(dumped)))
	}},
	{problem.KernelNameConflict, "compile again", replaceInDump(".symbol:         window_filter_0.kd", ".symbol:         other_0.kd")},
	{problem.KernelDuplicate, "compile again", func(p projectDir) {
		text := p.read(dumped)
		entry := text[strings.Index(text, "  - .agpr_count:"):strings.Index(text, "amdhsa.target:")]
		p.write(dumped, strings.Replace(text, entry, entry+entry, 1))
	}},
	{problem.CountInvalid, "compile again", replaceInDump(".vgpr_count:     127", ".vgpr_count:     -127")},
	{problem.CountMissing, "compile again", replaceInDump("    .vgpr_count:     127\n", "")},
	{problem.SymbolConflict, "compile again", replaceInDump("\t.set .Lwindow_filter_0.num_agpr, 0\n", "\t.set .Lwindow_filter_0.num_agpr, 0\n\t.set .Lwindow_filter_0.num_agpr, 4\n")},
	{problem.SymbolUnresolved, "compile again", replaceInDump(".num_agpr, 0", ".num_agpr, gone")},
	{problem.CountsContradict, "compile again", replaceInDump(".vgpr_count:     127", ".vgpr_count:     96")},
	{problem.BodyUnbounded, "open the assembly", replaceInDump("window_filter_0:\n", "")},
	{problem.BodyUncountable, "open the assembly", replaceInDump("window_filter_0:\n", "window_filter_0:\n\t.rept n\n\ts_nop 0\n\t.endr\n")},
	{problem.TargetUnknown, "explain", func(p projectDir) {
		p.write(dumped, strings.ReplaceAll(p.read(dumped), "gfx942", "fancy"))
	}},
	{problem.TargetDiffers, "explain", func(p projectDir) {
		p.write(dumped, strings.ReplaceAll(p.read(dumped), "gfx942", "gfx950"))
	}},
	{problem.TargetFeaturesDiffer, "explain", func(p projectDir) {
		p.write(dumped, strings.ReplaceAll(p.read(dumped), "unknown-gfx942", "unknown-gfx942:xnack+"))
	}},
	{problem.TargetConflict, "compile again", replaceInDump("amdhsa.target:   amdgcn-amd-amdhsa-unknown-gfx942", "amdhsa.target:   amdgcn-amd-amdhsa-unknown-gfx950")},
	{problem.NoDumpFiles, "compile again", func(p projectDir) {
		p.write("base/README", "")
		os.RemoveAll(p.path("base/window_filter"))
		os.Remove(p.path(dumped))
	}},
	// The baseline is mended by taking it again, whatever is wrong with it.
	{problem.MetadataCut, "take baseline", func(p projectDir) {
		text := p.read(based)
		p.write(based, text[:strings.Index(text, "\t.end_amdgpu_metadata")])
	}},
	{problem.NoDumpFiles, "take baseline", func(p projectDir) {
		p.write("base/README", "")
		os.RemoveAll(p.path("base/window_filter"))
	}},
	{problem.CountInvalid, "take baseline", func(p projectDir) {
		p.write(based, strings.Replace(p.read(based), ".vgpr_count:     88", ".vgpr_count:     -1", 1))
	}},
	{problem.DumpStale, "take baseline", func(p projectDir) {
		p.age(based, 2*time.Hour)
		p.age("base/window_filter/window_filter_0/00_origin.mlir", time.Hour)
	}},
}

const (
	dumped = "dumps/window_filter/window_filter_0/22_final_isa.s"
	based  = "base/window_filter/window_filter_0/22_final_isa.s"
)

// cutDump cuts the dump before a text.
func cutDump(at string) func(projectDir) {
	return func(p projectDir) {
		before, _, ok := strings.Cut(p.read(dumped), at)
		if !ok {
			p.t.Fatalf("no %q in the dump", at)
		}
		p.write(dumped, before)
	}
}

func replaceInDump(from, to string) func(projectDir) {
	return func(p projectDir) {
		text := p.read(dumped)
		if !strings.Contains(text, from) {
			p.t.Fatalf("no %q in the dump", from)
		}
		p.write(dumped, strings.Replace(text, from, to, 1))
	}
}

// lensAbout returns the commands behind the line that names a problem, in one of
// the files.
func (s *session) lensAbout(code problem.Code, uris ...string) (commands []codeLens) {
	s.t.Helper()
	for _, uri := range uris {
		var all []codeLens
		s.call("textDocument/codeLens", document(uri), &all)
		for i, l := range all {
			if !strings.Contains(l.Command.Title, "("+string(code)+")") {
				continue
			}
			for _, next := range all[i+1:] {
				if next.Range.Start.Line == l.Range.Start.Line {
					commands = append(commands, next)
				}
			}
			return commands
		}
	}
	return nil
}

func TestEveryProblemOnTheWire(t *testing.T) {
	for _, c := range problemCases {
		t.Run(string(c.code)+" "+c.first, func(t *testing.T) {
			t.Parallel()
			p := worseProject(t)
			c.edit(p)
			s := start(t, startOptions{})
			s.initialize(p.root, settings())
			lenses := s.lensAbout(c.code, p.uri("window_filter.py"), p.uri(dumped))
			var titles []string
			for _, l := range lenses {
				titles = append(titles, l.Command.Title)
			}
			if len(titles) == 0 || titles[0] != c.first || titles[len(titles)-1] != "explain" {
				t.Errorf("offered %q, want %q first and explain last", titles, c.first)
			}
			// What a lens offers, code actions offer on the diagnostic.
			for _, got := range allOf[published](s, "textDocument/publishDiagnostics") {
				for _, d := range got.Diagnostics {
					var actions []struct{ Title string }
					ask := document(got.URI)
					ask["range"], ask["context"] = d.Range, object{"diagnostics": []object{}}
					s.call("textDocument/codeAction", ask, &actions)
					if d.Code == string(c.code) && !slices.ContainsFunc(actions, func(a struct{ Title string }) bool { return a.Title == "isadiff: "+c.first }) {
						t.Errorf("the diagnostic %q offers %+v", d.Message, actions)
					}
				}
			}
			for _, l := range lenses {
				m := s.wait(s.ask("workspace/executeCommand", object{"command": l.Command.Command, "arguments": l.Command.Arguments}))
				if m.Error != nil && !strings.Contains(m.Error.Message, "set compile in") && !strings.Contains(m.Error.Message, "set baseline to a .json snapshot") {
					t.Errorf("%s: %+v", l.Command.Title, m.Error)
				}
			}
			s.rescan()
			s.claim("textDocument/publishDiagnostics", "window/showDocument", "window/showMessage")
			s.close()
		})
	}
}

// The assembly of a baseline that is a dump directory shows its kernels too, also
// one that the dumps have no more.
func TestBaselineAssembly(t *testing.T) {
	p := worseProject(t)
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	at := object{"textDocument": object{"uri": p.uri(based)}, "position": p.find(based, "window_filter_0:")}
	var hover struct{ Contents struct{ Value string } }
	s.call("textDocument/hover", at, &hover)
	if !strings.Contains(hover.Contents.Value, "**window_filter_0** · gfx942 · **REGRESSION**") {
		t.Errorf("hover: %q", hover.Contents.Value)
	}
	if line, title := s.lens(p.uri(based)); line != 6 || !strings.HasPrefix(title, "▲ spill 0→136") {
		t.Errorf("lens %d %q", line, title)
	}
	var places []struct{ URI string }
	s.call("textDocument/definition", at, &places)
	if len(places) != 1 || places[0].URI != p.uri("window_filter.py") {
		t.Errorf("definition: %+v", places)
	}
	os.Remove(p.path("window_filter.py"))
	p.dump("base/gfx942/transpose", "dumps/transpose") // first: in an empty tree a new run begins
	os.RemoveAll(p.path("dumps/window_filter"))
	s.rescan()
	if _, title := s.lens(p.uri(based)); !strings.Contains(title, "only in baseline: window_filter_0") {
		t.Errorf("gone from the dumps, the lens is %q", title)
	}
	var actions []struct{ Title string }
	ask := document(p.uri(based))
	ask["range"], ask["context"] = object{"start": object{"line": 6, "character": 0}, "end": object{"line": 6, "character": 0}}, object{"diagnostics": []object{}}
	s.call("textDocument/codeAction", ask, &actions)
	if len(actions) == 0 || actions[0].Title != "isadiff: take baseline" {
		t.Errorf("actions %+v", actions)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}
