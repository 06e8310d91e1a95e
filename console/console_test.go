//go:build unix

package console

import (
	"bytes"
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/term"

	"isadiff/engine/diff"
	"isadiff/engine/live"
	"isadiff/engine/project"
	"isadiff/engine/report"
)

// still is a session over an empty project, in which nothing ever happens.
type still struct{ *live.Session }

func (s still) Rescan(ctx context.Context) (*live.State, error) { return s.Reload(ctx) }

func open(t *testing.T, ready bool) still {
	t.Helper()
	p, err := project.Load(project.Options{Dir: t.TempDir(), Env: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	s := live.Open(live.Config{Project: p, NoSources: true})
	t.Cleanup(s.Close)
	if ready {
		s.DumpsChanged(live.Change{Missing: true})
		s.BaselineChanged(live.Change{Missing: true})
		if _, err := s.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return still{s}
}

// TestPanic: a crash while a block is drawn leaves the terminal as it was.
func TestPanic(t *testing.T) {
	keyboard, terminal, err := pty.Open()
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("no pseudo terminal here: %v", err)
	}
	defer keyboard.Close()
	defer terminal.Close()
	cooked, err := term.GetState(int(terminal.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, true)
	func() {
		defer func() {
			if r := recover(); r != "no style" {
				t.Errorf("recovered %v", r)
			}
		}()
		var out bytes.Buffer
		_, _ = Run(t.Context(), s, Options{Out: &out, Terminal: terminal, Style: func() report.Style { panic("no style") }})
	}()
	now, err := term.GetState(int(terminal.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(now, cooked) {
		t.Error("the terminal is not as it was")
	}
}

// TestEnds: a run ends with its context, and says what is known then.
func TestEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		ready   bool
		out     string
		verdict diff.Verdict
	}{
		{false, "", diff.NotTrustworthy}, // nothing is known, which is no OK
		{true, "RESULT: NOT TRUSTWORTHY\n", diff.NotTrustworthy},
	} {
		var out bytes.Buffer
		verdict, err := Run(ctx, open(t, tt.ready), Options{Out: &out, Style: func() report.Style { return report.Style{} }})
		if err != nil || verdict != tt.verdict || !strings.HasSuffix(out.String(), tt.out) {
			t.Errorf("ready %v: %v, %v, %q", tt.ready, verdict, err, out.String())
		}
	}
}

var errFull = errors.New("the disk is full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestUnwritable: what cannot be written is said, and the verdict is of no use.
func TestUnwritable(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		_, err := Run(t.Context(), open(t, true), Options{Out: full{}, JSON: asJSON, Style: func() report.Style { return report.Style{} }})
		if !errors.Is(err, errFull) {
			t.Errorf("JSON %v: %v", asJSON, err)
		}
	}
}
