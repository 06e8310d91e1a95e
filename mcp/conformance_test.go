package mcp_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"isadiff/mcp"
)

// TestConformance lets the official conformance suite ask a server, which here listens on
// the loopback interface: the suite knows no other way. Of its scenarios these are for
// any server; the others are for one that has the suite's own tools. It is run by
// editors/test.sh, which sets ISADIFF_CONFORMANCE to the suite's command.
func TestConformance(t *testing.T) {
	suite := strings.Fields(os.Getenv("ISADIFF_CONFORMANCE"))
	if len(suite) == 0 {
		t.Skip("run by editors/test.sh: ISADIFF_CONFORMANCE is not set")
	}
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return mcp.New(mcp.Options{Version: "1"}) }, nil)
	web := httptest.NewServer(handler)
	defer web.Close()
	for _, scenario := range []string{"server-initialize", "ping", "tools-list", "resources-list", "server-sse-multiple-streams", "dns-rebinding-protection"} {
		t.Run(scenario, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), suite[0], append(suite[1:], "server", "--url", web.URL+"/mcp", "--scenario", scenario)...)
			cmd.Dir = t.TempDir() // where it writes what it found
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "0 failed") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
