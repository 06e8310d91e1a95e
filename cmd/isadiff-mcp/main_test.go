package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes this test program stand for isadiff-mcp where it is called by that name.
func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"isadiff-mcp": main}) }

func TestCommandLine(t *testing.T) {
	for _, tt := range []struct {
		args string
		exit int
		want string
	}{
		{"--version", 0, "isadiff-mcp "},
		{"--help", 0, "--read-only"},
		{"--frobnicate", 2, "error: [usage] unknown flag: --frobnicate\n  hint: see isadiff-mcp --help\n"},
		{"", 0, ""}, // the client is gone at once
	} {
		out, err := exec.Command("isadiff-mcp", strings.Fields(tt.args)...).CombinedOutput()
		exit := 0
		if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
			exit = failed.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if exit != tt.exit || !strings.Contains(string(out), tt.want) || tt.want == "" && len(out) > 0 {
			t.Errorf("%q: exit %d, %q; want %d, %q", tt.args, exit, out, tt.exit, tt.want)
		}
	}
}

// A session over the standard streams, and its end when the client goes.
func TestSession(t *testing.T) {
	dumps, err := filepath.Abs(filepath.Join("..", "..", "testdata", "dumps", "tile-up-spills", "gfx942"))
	if err != nil {
		t.Fatal(err)
	}
	server := exec.Command("isadiff-mcp", "--read-only", filepath.Join(dumps, "..", "..", "..", ".."))
	server.Dir = t.TempDir()
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), &sdk.CommandTransport{Command: server}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "diff", Arguments: map[string]any{
		"before": filepath.Join(dumps, "before"), "after": filepath.Join(dumps, "after"),
	}})
	if err != nil || r.IsError || !strings.Contains(r.Content[0].(*sdk.TextContent).Text, "vgpr_spill 0 -> 136") {
		t.Errorf("%v, %+v", err, r)
	}
	if r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "snapshot"}); err == nil {
		t.Errorf("a server that only reads takes a baseline: %+v", r)
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if !server.ProcessState.Success() {
		t.Errorf("it ended with %v", server.ProcessState)
	}
}
