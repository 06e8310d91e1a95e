package lsp_test

import (
	"strings"
	"testing"
)

// Each folder has its own project, baseline and dumps; a folder that is closed
// takes its diagnostics with it.
func TestWorkspaceFolders(t *testing.T) {
	worse, good := worseProject(t), newProject(t, "window_filter.py")
	good.dump("tile-up-spills/gfx942/before", "base")
	good.dump("tile-up-spills/gfx942/before", "dumps")
	s := start(t, startOptions{})
	s.settings = settings()
	s.initializeWith(object{
		"processId": nil, "rootUri": nil, "capabilities": capabilities(), "initializationOptions": object{"status": true},
		"workspaceFolders": []object{{"uri": fileURI(worse.root), "name": "worse"}, {"uri": fileURI(good.root), "name": "good"}},
	})
	s.settled(2)
	if got := expect[published](s, "textDocument/publishDiagnostics", nil); got.URI != worse.uri("window_filter.py") || len(got.Diagnostics) != 1 {
		t.Errorf("published %+v", got)
	}
	states := map[string]string{}
	for _, root := range []string{worse.root, good.root} {
		var status struct{ State, Folder string }
		s.execute("isadiff.status", object{"folder": fileURI(root)}, &status)
		states[status.Folder] = status.State
	}
	if states[fileURI(worse.root)] != "regression" || states[fileURI(good.root)] != "ok" {
		t.Errorf("states %v", states)
	}
	if e := s.fails("workspace/executeCommand", object{"command": "isadiff.status", "arguments": []object{{}}}); !strings.Contains(e.Message, "several folders") {
		t.Errorf("without a folder: %+v", e)
	}
	for range 2 { // closed, then both open: what is open of one folder is none of the other's
		for p, want := range map[projectDir]string{good: "vgpr 88 · no spill · LDS 0 · 4 waves", worse: "▲ spill 0→136 · scratch 0→276 · vgpr 88→127"} {
			if _, title := s.lens(p.uri("window_filter.py")); title != want {
				t.Errorf("the lens of %s: %q, want %q", p.root, title, want)
			}
			p.open(s, "window_filter.py", 1)
		}
		for _, p := range []projectDir{good, worse} {
			s.execute("isadiff.rescan", object{"folder": fileURI(p.root)}, nil)
		}
	}
	for _, p := range []projectDir{good, worse} {
		s.notify("textDocument/didClose", document(p.uri("window_filter.py")))
		s.execute("isadiff.rescan", object{"folder": fileURI(p.root)}, nil)
	}
	s.claim("textDocument/publishDiagnostics")
	s.notify("workspace/didChangeWorkspaceFolders", object{"event": object{"added": []object{}, "removed": []object{{"uri": fileURI(worse.root), "name": "worse"}}}})
	if got := expect[published](s, "textDocument/publishDiagnostics", nil); got.URI != worse.uri("window_filter.py") || len(got.Diagnostics) != 0 {
		t.Errorf("after closing the folder: %+v", got)
	}
	s.notify("workspace/didChangeWorkspaceFolders", object{"event": object{"added": []object{{"uri": fileURI(worse.root), "name": "worse"}}, "removed": []object{}}})
	s.settled(3)
	if got := expect[published](s, "textDocument/publishDiagnostics", nil); len(got.Diagnostics) != 1 {
		t.Errorf("after opening it again: %+v", got)
	}
	s.close()
}

// With several folders open, messages and the status name theirs, and each tells of the
// regressions of the others.
func TestFoldersByName(t *testing.T) {
	worse, good := worseProject(t), newProject(t, "window_filter.py")
	good.dump("tile-up-spills/gfx942/before", "base")
	good.dump("tile-up-spills/gfx942/before", "dumps")
	s := start(t, startOptions{})
	s.settings = settings()
	s.initializeWith(object{
		"processId": nil, "rootUri": nil, "capabilities": capabilities(), "initializationOptions": object{},
		"workspaceFolders": []object{{"uri": fileURI(worse.root), "name": "gemm"}, {"uri": fileURI(good.root), "name": "softmax"}},
	})
	s.settled(2)
	type status struct{ Text, Name, Elsewhere string }
	for p, want := range map[projectDir]status{worse: {"isadiff ▲ 1", "gemm", ""}, good: {"isadiff ✓ 1", "softmax", "gemm ▲ 1"}} {
		var got status
		if s.execute("isadiff.status", object{"folder": fileURI(p.root)}, &got); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	s.execute("isadiff.acceptRegression", object{"folder": fileURI(worse.root), "kernel": "window_filter/window_filter_0::window_filter_0", "reason": "meant"}, nil)
	if said := expect[struct{ Message string }](s, "window/showMessage", nil); !strings.HasPrefix(said.Message, "isadiff (gemm): window_filter_0: accepted ") {
		t.Errorf("said: %s", said.Message)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// Old clients give a root only, older ones a path, and some open no folder.
func TestRoots(t *testing.T) {
	for _, c := range []struct {
		name   string
		params func(p projectDir) object
	}{
		{"rootUri", func(p projectDir) object { return object{"rootUri": fileURI(p.root)} }},
		{"rootPath", func(p projectDir) object { return object{"rootUri": nil, "rootPath": p.root} }},
		{"no folder", func(p projectDir) object {
			p.write("isadiff.toml", "dumps = \"dumps\"\nbaseline = \"base\"\n")
			return object{"rootUri": nil, "workspaceFolders": nil}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := worseProject(t)
			s := start(t, startOptions{})
			params := c.params(p)
			params["processId"], params["capabilities"] = nil, object{}
			params["initializationOptions"] = object{"settings": settings()}
			s.initializeWith(params)
			p.open(s, "window_filter.py", 1)
			expect[published](s, "textDocument/publishDiagnostics", func(p published) bool { return len(p.Diagnostics) == 1 })
			s.rescan()
			s.claim("textDocument/publishDiagnostics")
			s.close()
		})
	}
}

// A folder within a project that another one leads is meant by its URI as well.
func TestNestedFolder(t *testing.T) {
	p := worseProject(t)
	p.write("isadiff.toml", "dumps = \"dumps\"\nbaseline = \"base\"\n")
	p.write("inner/readme", "")
	s := start(t, startOptions{})
	s.initializeWith(object{
		"processId": nil, "rootUri": nil, "capabilities": capabilities(), "initializationOptions": object{"status": true},
		"workspaceFolders": []object{{"uri": fileURI(p.root), "name": "p"}, {"uri": p.uri("inner"), "name": "inner"}},
	})
	s.settled(2)
	s.rescan()
	var st struct {
		Folder string
		Counts struct{ Total int }
	}
	s.execute("isadiff.status", object{"folder": p.uri("inner")}, &st)
	if st.Folder != fileURI(p.root) || st.Counts.Total != 1 {
		t.Errorf("status of the folder within: %+v", st)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}
