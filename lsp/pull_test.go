package lsp_test

import "testing"

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
