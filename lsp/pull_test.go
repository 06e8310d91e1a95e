package lsp_test

import (
	"testing"
)

// A client that fetches diagnostics and cannot be asked to fetch them again gets
// those of the project, also if it asks while that is being read.
func TestPullWithoutRefresh(t *testing.T) {
	p := worseProject(t)
	caps := capabilities()
	caps["textDocument"].(object)["diagnostic"] = object{}
	for _, method := range []string{"textDocument/diagnostic", "workspace/diagnostic"} {
		s := start(t, startOptions{})
		s.settings = settings()
		s.initializeWith(object{
			"processId": nil, "rootUri": fileURI(p.root), "capabilities": caps,
			"initializationOptions": object{"diagnostics": "pull"},
		})
		params := document(p.uri("window_filter.py"))
		params["previousResultIds"] = []object{}
		var report struct {
			Items []struct{ Code, URI string }
		}
		if s.call(method, params, &report); len(report.Items) != 1 {
			t.Errorf("%s: %+v", method, report)
		}
		s.close()
	}
}

// A client that fetches diagnostics is told when to, and never gets any pushed.
func TestPulledDiagnostics(t *testing.T) {
	p := newProject(t, "window_filter.py")
	p.dump("tile-up-spills/gfx942/before", "base")
	p.dump("tile-up-spills/gfx942/before", "dumps")
	s := start(t, startOptions{})
	caps := capabilities()
	caps["workspace"].(object)["diagnostics"] = object{"refreshSupport": true}
	caps["textDocument"].(object)["diagnostic"] = object{"relatedInformation": true}
	s.settings = settings()
	s.initializeWith(object{"processId": nil, "rootUri": fileURI(p.root), "capabilities": caps})
	s.settled(1)
	uri := p.uri("window_filter.py")
	var doc struct {
		Kind     string
		ResultID string
		Items    []diagnostic
	}
	s.call("textDocument/diagnostic", document(uri), &doc)
	if doc.Kind != "full" || len(doc.Items) != 0 {
		t.Errorf("a clean file: %+v", doc)
	}
	clean := doc.ResultID
	p.dump("tile-up-spills/gfx942/after", "dumps")
	expect[object](s, "workspace/diagnostic/refresh", nil)
	params := document(uri)
	params["previousResultId"] = clean
	s.call("textDocument/diagnostic", params, &doc)
	if doc.Kind != "full" || len(doc.Items) != 1 || doc.ResultID == clean {
		t.Errorf("after the change: %+v", doc)
	}
	params["previousResultId"] = doc.ResultID
	s.call("textDocument/diagnostic", params, &doc)
	if doc.Kind != "unchanged" {
		t.Errorf("asked again: %+v", doc)
	}
	var report workspaceReport
	s.call("workspace/diagnostic", object{"previousResultIds": []object{{"uri": uri, "value": clean}, {"uri": p.uri("gone.py"), "value": "x"}}}, &report)
	kinds := map[string]int{}
	for _, item := range report.Items {
		kinds[item.URI+" "+item.Kind] = len(item.Items)
	}
	if len(kinds) != 2 || kinds[uri+" full"] != 1 || kinds[p.uri("gone.py")+" full"] != 0 {
		t.Errorf("the workspace: %+v", report)
	}
	s.close()
}
