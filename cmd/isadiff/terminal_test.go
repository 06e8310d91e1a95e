package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"isadiff/engine/report"
)

func TestWantsColor(t *testing.T) {
	tests := []struct {
		flag, env string // env as NAME=value, separated by blanks
		terminal  bool
		want      bool
	}{
		{"", "", true, true},
		{"", "", false, false},
		{"auto", "", true, true},
		{"always", "NO_COLOR=1", false, true},
		{"never", "FORCE_COLOR=1", true, false},
		{"auto", "NO_COLOR=1", true, false},
		{"", "NO_COLOR=yes FORCE_COLOR=1 CLICOLOR_FORCE=1", true, false},
		{"", "NO_COLOR=0", true, false}, // any value
		{"", "NO_COLOR=", true, true},   // but the empty one
		{"", "FORCE_COLOR=1", false, true},
		{"", "CLICOLOR_FORCE=1", false, true},
		{"", "FORCE_COLOR=0", false, false},
		{"", "CLICOLOR_FORCE=0", true, true},
		{"", "TERM=dumb", true, false},
		{"", "TERM=dumb FORCE_COLOR=1", true, true},
		{"", "CLICOLOR=0", true, false},
		{"", "CLICOLOR=1", false, false},
	}
	for _, tt := range tests {
		env := map[string]string{}
		for _, setting := range strings.Fields(tt.env) {
			name, value, _ := strings.Cut(setting, "=")
			env[name] = value
		}
		p := &program{color: colorMode(tt.flag), env: func(name string) string { return env[name] }}
		if got := p.wantsColor(tt.terminal); got != tt.want {
			t.Errorf("--color=%s %s, terminal %v: %v", tt.flag, tt.env, tt.terminal, got)
		}
	}
}

func TestStyleOfWhatIsNoTerminal(t *testing.T) {
	p := &program{env: func(string) string { return "" }}
	file, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, w := range []io.Writer{file, io.Discard} {
		if got := p.style(w); got != (report.Style{}) {
			t.Errorf("%T: %+v", w, got)
		}
	}
}
