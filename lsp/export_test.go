package lsp

import (
	"context"
	"errors"
	"fmt"
)

// NewCrashing makes a server with methods that crash and fail in every way that a
// handler can, to see on the wire what becomes of that.
func NewCrashing(o Options) *Server {
	s := New(o)
	crash := func(method string) (any, error) { panic(method) }
	fails := func(err error) method {
		return method{call: call(func(*view, context.Context, *struct{}) (any, error) { return nil, err })}
	}
	s.methods["test/crash"] = method{call: call(func(*view, context.Context, *struct{}) (any, error) { return crash("test/crash") })}
	s.methods["test/crashWhileRead"] = method{call: func(*Server, []byte) (func(context.Context) (any, error), error) {
		_, err := crash("test/crashWhileRead")
		return nil, err
	}}
	s.methods["test/crashWithBar"] = method{call: call(func(v *view, ctx context.Context, _ *struct{}) (any, error) {
		return nil, v.withProgress(ctx, nil, "a test", func(context.Context, func(string)) (string, error) {
			_, err := crash("test/crashWithBar")
			return "", err
		})
	})}
	s.methods["test/crashInline"] = method{inline: func(*Server, []byte) (any, error) { return crash("test/crashInline") }}
	s.methods["test/notify"] = method{notify: func(*Server, []byte) error { panic("test/notify") }}
	s.methods["test/deadline"] = fails(fmt.Errorf("reading: %w", context.DeadlineExceeded))
	s.methods["test/cancelled"] = fails(fmt.Errorf("reading: %w", context.Canceled))
	s.methods["test/error"] = fails(errors.New("no such thing"))
	s.methods["test/background"] = method{inline: func(s *Server, _ []byte) (any, error) {
		s.background(func(context.Context) { panic("test/background") })
		return nil, nil
	}}
	// A folder that was read and has no configuration is what no publication expects.
	var whole *opened
	s.methods["test/crashPublishing"] = method{inline: func(s *Server, _ []byte) (any, error) {
		f := s.folders.list()[0]
		whole = f.current.Load()
		f.current.Store(&opened{session: whole.session})
		s.publish.poke()
		return nil, nil
	}}
	s.methods["test/mend"] = method{inline: func(s *Server, _ []byte) (any, error) {
		s.folders.list()[0].current.Store(whole)
		s.publish.poke()
		return nil, nil
	}}
	return s
}
