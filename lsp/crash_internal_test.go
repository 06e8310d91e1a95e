package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"go.lsp.dev/jsonrpc2"

	"isadiff/engine/live"
)

// A crash in a handler is an error of that request alone.
func TestGuardKeepsCrashes(t *testing.T) {
	var log strings.Builder
	s := New(Options{Log: &log})
	defer s.cancel()
	for _, call := range []bool{true, false} {
		req := parseRequest(t, call)
		result, err := s.guard(req, func() (any, error) { panic("boom") })
		var coded *jsonrpc2.Error
		if call && (!errors.As(err, &coded) || coded.Code != jsonrpc2.InternalError || !strings.Contains(coded.Message, "boom")) {
			t.Errorf("a call that crashed: %v, %v", result, err)
		}
		if !call && err != nil {
			t.Errorf("a notification that crashed: %v, %v", result, err)
		}
	}
	if n := strings.Count(log.String(), "a crash of the server in x: boom"); n != 2 {
		t.Errorf("logged %d times", n)
	}
}

// parseRequest makes a request as jsonrpc2 hands it to a handler.
func parseRequest(t *testing.T, call bool) (req *jsonrpc2.Request) {
	t.Helper()
	id := ""
	if call {
		id = `,"id":1`
	}
	body := `{"jsonrpc":"2.0","method":"x"` + id + `}`
	in := io.NopCloser(strings.NewReader(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)))
	conn := jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(struct {
		io.Reader
		io.Writer
		io.Closer
	}{in, io.Discard, in}))
	conn.Go(context.Background(), func(_ context.Context, r *jsonrpc2.Request) (any, error) {
		req = r.Clone()
		return nil, nil
	})
	<-conn.Done()
	return req
}

// A crash while publishing is told, and what comes next is published whole.
func TestCrashWhilePublishing(t *testing.T) {
	root := t.TempDir()
	var out lockedBuffer
	s := testServer(t, &out)
	state := manyKernels(root, 2, 1)
	v := viewOf(t, s, root, state)
	broken := *state.Kernels[0]
	broken.Row, broken.Live = nil, nil // no state has a kernel that is worse than nothing
	bad := *state
	bad.Kernels = []*live.Kernel{&broken, state.Kernels[1]}
	bad.Sources = map[string]*live.Source{"/x.py": {Path: "/x.py", Definitions: []live.Defined{{Kernels: bad.Kernels[:1]}}}}
	s.publish.publishSafely(viewOf(t, s, root, &bad))
	s.publish.publishSafely(v)
	s.out.Close()
	<-s.out.done
	said := out.String()
	for _, want := range []string{"window/showMessage", "failed inside", `"internal-error":1`, "kernel_00000_0 loses waves"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q was not said in:\n%s", want, said)
		}
	}
}

// A lockedBuffer is what a server writes to.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
