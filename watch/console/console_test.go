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
	"time"

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
		s.DumpsChanged(live.Batch{Missing: true})
		s.BaselineChanged(live.Batch{Missing: true})
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

// slow is a session whose commands end when they are told to.
type slow struct {
	still
	taking  chan struct{} // closed when a baseline is being taken
	release chan struct{}
}

func (s slow) Rescan(ctx context.Context) (*live.State, error) {
	<-ctx.Done() // a tree that takes for ever
	return nil, ctx.Err()
}

func (s slow) SnapshotBaseline(ctx context.Context, _ bool) (live.Written, error) {
	close(s.taking)
	<-s.release
	return live.Written{Path: "base.json", Kernels: 3}, ctx.Err()
}

// typing opens a terminal at which somebody types.
func typing(t *testing.T) (keyboard, terminal *os.File) {
	t.Helper()
	keyboard, terminal, err := pty.Open()
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("no pseudo terminal here: %v", err)
	}
	t.Cleanup(func() { keyboard.Close(); terminal.Close() })
	if _, err := term.MakeRaw(int(terminal.Fd())); err != nil { // what is typed early counts
		t.Fatal(err)
	}
	return keyboard, terminal
}

// TestQuitWhileReading: who quits does not wait for everything to be read.
func TestQuitWhileReading(t *testing.T) {
	keyboard, terminal := typing(t)
	if _, err := keyboard.WriteString("rq"); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	s := slow{still: open(t, true)}
	if _, err := Run(t.Context(), s, Options{Out: &out, Terminal: terminal, Style: func() report.Style { return report.Style{} }}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "canceled") {
		t.Errorf("shown: %q", out.String())
	}
}

// TestQuitWhileTaking: a baseline that is being taken is taken, and it is said.
func TestQuitWhileTaking(t *testing.T) {
	keyboard, terminal := typing(t)
	s := slow{still: open(t, true), taking: make(chan struct{}), release: make(chan struct{})}
	var out bytes.Buffer
	ended := make(chan error)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, err := Run(ctx, s, Options{Out: &out, Terminal: terminal, Style: func() report.Style { return report.Style{} }})
		ended <- err
	}()
	if _, err := keyboard.WriteString("b"); err != nil {
		t.Fatal(err)
	}
	<-s.taking
	cancel()
	close(s.release)
	if err := <-ended; err != nil || !strings.Contains(out.String(), "3 kernels in base.json") {
		t.Errorf("%v, shown: %q", err, out.String())
	}
}

// TestReopen: another session takes the place of the one whose configuration
// changed, and is shown from the start.
func TestReopen(t *testing.T) {
	first, second := open(t, true), open(t, true)
	changed := make(chan struct{})
	reopened := []Session{nil, second} // the first change is none that matters
	ctx, cancel := context.WithCancel(t.Context())
	var out bytes.Buffer
	ended := make(chan error)
	go func() {
		_, err := Run(ctx, first, Options{
			Out: &out, JSON: true, Reconfigured: changed,
			Reopen: func() (Session, report.Project, error) {
				s := reopened[0]
				reopened = reopened[1:]
				return s, report.Project{}, nil
			},
		})
		ended <- err
	}()
	changed <- struct{}{}
	changed <- struct{}{}
	second.DumpsMode(true, "asked for")
	if _, err := second.Sync(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if last := lines[len(lines)-1]; len(lines) < 2 || !strings.Contains(last, `"reason":"asked for"`) {
		t.Errorf("%d lines, the last: %s", len(lines), last)
	}
}

// A warning is said once a session, also where it was gone for a while.
func TestWarningsOnce(t *testing.T) {
	var out bytes.Buffer
	s := open(t, true)
	c := &console{session: s, options: Options{Out: &out, Now: time.Now, Style: func() report.Style { return report.Style{} }}}
	for _, warnings := range [][]string{{"one"}, nil, {"one", "two"}, nil, {"two"}} {
		state := *s.Current()
		state.Warnings = warnings
		c.show(&state)
	}
	if text := out.String(); strings.Count(text, "warning: one") != 1 || strings.Count(text, "warning: two") != 1 {
		t.Errorf("shown:\n%s", text)
	}
}
