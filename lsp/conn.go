package lsp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"isadiff/engine/report"
)

// codec makes jsonrpc2 write and read LSP's unions.
type codec struct{}

func (codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsonrpc2.RawMessage); ok {
		return raw, nil
	}
	return protocol.Marshal(v)
}

func (codec) Unmarshal(data []byte, v any) error {
	if raw, ok := v.(*jsonrpc2.RawMessage); ok {
		*raw = append(jsonrpc2.RawMessage(nil), data...)
		return nil
	}
	return protocol.Unmarshal(data, v)
}

// incoming reads from the client. It notices the end of the input itself, since
// jsonrpc2 reports that only when every handler has returned.
type incoming struct {
	io.Reader
	ended chan struct{} // closed with the first error, io.EOF included
	err   error         // valid when ended is closed
}

func (r *incoming) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && r.err == nil {
		r.err = err
		close(r.ended)
	}
	return n, err
}

// pipe joins the two directions for jsonrpc2.
type pipe struct {
	*incoming
	*outgoing
}

func (p pipe) Read(b []byte) (int, error)  { return p.incoming.Read(b) }
func (p pipe) Write(b []byte) (int, error) { return p.outgoing.Write(b) }
func (p pipe) Close() error                { return p.outgoing.Close() }

// frameStream is what jsonrpc2 looks for in a stream that can carry batches.
type frameStream interface {
	jsonrpc2.Stream
	ReadFrame(ctx context.Context) ([]byte, int64, error)
	WriteFrame(ctx context.Context, data []byte) (int64, error)
}

// stream answers a well-framed message that is no JSON-RPC with an error, where
// jsonrpc2 would end the connection.
type stream struct {
	frameStream // writes
	in          *bufio.Reader
	body        []byte // of the last message; its memory is used again
}

func newStream(rw io.ReadWriteCloser) *stream {
	return &stream{frameStream: jsonrpc2.NewHeaderStream(rw).(frameStream), in: bufio.NewReader(rw)}
}

func (s *stream) ReadFrame(ctx context.Context) ([]byte, int64, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		if cap(s.body) > maxKept {
			s.body = nil
		}
		frame, n, err := readFrame(s.in, s.body)
		if err != nil {
			return nil, 0, err
		}
		s.body = frame
		bad := checkFrame(frame)
		if bad == nil {
			return frame, n, nil
		}
		answer := jsonrpc2.AppendResponse(nil, jsonrpc2.ID{}, nil, bad)
		if _, err := s.WriteFrame(ctx, answer); err != nil {
			return nil, 0, err
		}
	}
}

// checkFrame says why jsonrpc2 would give up on a frame, or nil.
func checkFrame(frame []byte) *jsonrpc2.Error {
	if strings.HasPrefix(strings.TrimLeft(string(frame[:min(len(frame), 64)]), " \t\r\n"), "[") {
		if jsontext.Value(frame).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
			return nil
		}
		return jsonrpc2.NewError(jsonrpc2.ParseError, "the message is no valid JSON")
	}
	_, err := jsonrpc2.DecodeMessage(frame)
	if err == nil {
		return nil
	}
	if coded, ok := errors.AsType[*jsonrpc2.Error](err); ok {
		return coded
	}
	return jsonrpc2.Errorf(jsonrpc2.ParseError, "the message is no JSON-RPC: %v", err)
}

// guard runs one handler: a panic becomes an internal error of that request
// alone, an error of a notification is logged (jsonrpc2 would end the
// connection), and every error gets a code that clients understand.
func (s *Server) guard(req *jsonrpc2.Request, run func() (any, error)) (result any, err error) {
	method, call := strings.Clone(req.Method()), req.IsCall()
	defer func() {
		if r := recover(); r != nil {
			s.logCrash(method, r)
			result, err = nil, jsonrpc2.Errorf(jsonrpc2.InternalError, "%s failed inside isadiff: %v", method, r)
		}
		if err == nil {
			return
		}
		if !call {
			s.log.Printf("ignored %s: %v", method, err)
			result, err = nil, nil
			return
		}
		result, err = nil, wireError(err)
	}()
	return run()
}

// wireError gives err a code of the protocol.
func wireError(err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return jsonrpc2.NewError(protocol.CodeRequestCancelled, "the request was cancelled")
	case errors.Is(err, context.DeadlineExceeded):
		return jsonrpc2.NewError(jsonrpc2.InternalError, "the request took too long")
	}
	if coded, ok := errors.AsType[*jsonrpc2.Error](err); ok && coded.Code != 0 {
		return jsonrpc2.NewError(coded.Code, report.EditorText(err.Error()))
	}
	return jsonrpc2.NewError(jsonrpc2.InternalError, report.EditorText(err.Error()))
}

// invalidParams is the answer to a request that cannot be understood.
func invalidParams(method string, err error) error {
	return fmt.Errorf("%s: %w: %v", method, jsonrpc2.NewError(jsonrpc2.InvalidParams, "the parameters cannot be understood"), err)
}
