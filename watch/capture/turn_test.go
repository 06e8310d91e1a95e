package capture

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"isadiff/engine/dump"
	"isadiff/engine/problem"
)

// The newest order wins, the older run has ended before it begins, and at no
// time do two run.
func TestTurn(t *testing.T) {
	var turn Turn
	var mu sync.Mutex
	var order []int
	running := 0
	var all sync.WaitGroup
	begun := make(chan struct{})
	for i := range 3 {
		all.Go(func() {
			ctx, release, err := turn.Take(t.Context())
			if err != nil {
				if !errors.Is(err, ErrSuperseded) {
					t.Errorf("%d: %v", i, err)
				}
				begun <- struct{}{}
				return
			}
			defer release()
			mu.Lock()
			if running++; running > 1 {
				t.Error("two run at a time")
			}
			order = append(order, i)
			mu.Unlock()
			begun <- struct{}{}
			if i < 2 {
				<-ctx.Done()
				if !errors.Is(context.Cause(ctx), ErrSuperseded) {
					t.Errorf("%d ended: %v", i, context.Cause(ctx))
				}
			}
			mu.Lock()
			running--
			mu.Unlock()
		})
		<-begun
	}
	all.Wait()
	if len(order) == 0 || order[len(order)-1] != 2 {
		t.Errorf("order %v", order)
	}

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := turn.Take(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("in an ended context: %v", err)
	}
	if _, release, err := turn.Take(t.Context()); err != nil {
		t.Error(err)
	} else {
		release()
	}
	run, release, err := turn.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	turn.End()
	if run.Err() == nil {
		t.Error("a run goes on after the end")
	}
	release()
	if _, _, err := turn.Take(t.Context()); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

// A run that a newer one replaces leaves the mark of its beginning: the newer one will
// say how it ended. One that a person stops says so.
func TestSupersededRunIsMarkedAsBegun(t *testing.T) {
	for _, cause := range []error{ErrSuperseded, context.Canceled} {
		w := newWork(t, map[string]string{"k.py": strings.ReplaceAll(one, "MADE", "small")})
		out := filepath.Join(t.TempDir(), "dumps")
		ctx, cancel := context.WithCancelCause(t.Context())
		o := w.options(out, &bytes.Buffer{}, "k.py")
		o.Live = true
		if r, err := Run(ctx, o); err != nil || !r.Whole() {
			t.Fatalf("%+v, %v", r, err)
		}
		w.put("k.py", "print('hello', flush=True)\ninput()\n")
		cancel(cause)
		r, err := Run(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Problems) == 0 || r.Problems[0].Code != problem.CaptureInterrupted {
			t.Errorf("%v", r.Problems)
		}
		mark, err := os.ReadFile(filepath.Join(out, dump.IncompleteName))
		if begun := strings.HasPrefix(string(mark), "it was begun at "); err != nil || begun != (cause == ErrSuperseded) {
			t.Errorf("%v: marked %q, %v", cause, mark, err)
		}
		if _, ok := dump.Running(out); ok {
			t.Error("it still runs")
		}
	}
}
