package lsp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// A method is one row of the dispatch table. Exactly one of its functions is
// set. Notifications and inline calls run while the message is read, so they
// happen in the order of the wire and may change the session; a call is prepared
// in that order too, which fetches its immutable view, and then runs
// concurrently.
type method struct {
	notify func(s *Server, params []byte) error
	inline func(s *Server, params []byte) (any, error)
	call   func(s *Server, params []byte) (func(ctx context.Context) (any, error), error)
}

// methods is every message that the server understands.
func methods() map[string]method {
	return map[string]method{
		protocol.MethodInitialize:  {inline: (*Server).initialize},
		protocol.MethodInitialized: {notify: func(s *Server, _ []byte) error { return s.initialized() }},
		protocol.MethodShutdown:    {inline: func(s *Server, _ []byte) (any, error) { return nil, s.shutdown() }},
		protocol.MethodExit:        {notify: func(s *Server, _ []byte) error { s.exit(); return nil }},

		protocol.MethodTextDocumentDidOpen:   {notify: (*Server).didOpen},
		protocol.MethodTextDocumentDidChange: {notify: (*Server).didChange},
		protocol.MethodTextDocumentDidSave:   {notify: notify((*Server).didSave)},
		protocol.MethodTextDocumentDidClose:  {notify: notify((*Server).didClose)},

		protocol.MethodWorkspaceDidChangeConfiguration:    {notify: notify((*Server).didChangeConfiguration)},
		protocol.MethodWorkspaceDidChangeWorkspaceFolders: {notify: (*Server).didChangeWorkspaceFolders},
		protocol.MethodWorkspaceDidChangeWatchedFiles:     {notify: notify((*Server).didChangeWatchedFiles)},

		protocol.MethodWindowWorkDoneProgressCancel: {notify: (*Server).progressCancel},
		protocol.MethodSetTrace:                     {notify: ignore},
		protocol.MethodProgress:                     {notify: ignore},

		protocol.MethodTextDocumentCompletion:  {call: call((*view).completion)},
		protocol.MethodTextDocumentHover:       {call: call((*view).hover)},
		protocol.MethodTextDocumentCodeLens:    {call: call((*view).codeLens)},
		protocol.MethodTextDocumentCodeAction:  {call: call((*view).codeAction)},
		protocol.MethodTextDocumentDefinition:  {call: call((*view).definition)},
		protocol.MethodTextDocumentInlayHint:   {call: call((*view).inlayHint)},
		protocol.MethodTextDocumentDiagnostic:  {call: call((*view).documentDiagnostic)},
		protocol.MethodWorkspaceDiagnostic:     {call: call((*view).workspaceDiagnostic)},
		protocol.MethodWorkspaceExecuteCommand: {call: call((*view).executeCommand)},
	}
}

func ignore(*Server, []byte) error { return nil }

// notify makes a row of a notification with parameters of type P.
func notify[P any](f func(*Server, *P) error) func(*Server, []byte) error {
	return func(s *Server, params []byte) error {
		p, err := decode[P](params)
		if err != nil {
			return err
		}
		return f(s, p)
	}
}

// call makes a row of a call on the view of the moment when it was read.
func call[P, R any](f func(*view, context.Context, *P) (R, error)) func(*Server, []byte) (func(context.Context) (any, error), error) {
	return func(s *Server, params []byte) (func(context.Context) (any, error), error) {
		p, err := decode[P](params)
		if err != nil {
			return nil, err
		}
		v := s.view()
		return func(ctx context.Context) (any, error) { return f(v, ctx, p) }, nil
	}
}

// handle is the handler of every message.
func (s *Server) handle(ctx context.Context, req *jsonrpc2.Request) (any, error) {
	return s.guard(req, func() (any, error) {
		if req.Method() == protocol.MethodCancelRequest {
			return nil, s.cancelRequest(req.Params())
		}
		if err := s.life.admit(req.Method(), req.IsCall()); err != nil {
			return nil, err
		}
		m, ok := s.methods[req.Method()]
		switch {
		case !ok && req.IsCall():
			return nil, jsonrpc2.Errorf(jsonrpc2.MethodNotFound, "isadiff has no method %q", req.Method())
		case !ok:
			if strings.HasPrefix(req.Method(), "$/") {
				return nil, nil // a client may send these to any server
			}
			return nil, fmt.Errorf("isadiff has no notification %q", req.Method())
		case m.notify != nil:
			return nil, m.notify(s, req.Params()) // a client that wants an answer to a notification gets one
		case !req.IsCall():
			return nil, fmt.Errorf("%q is a request, but has no id", req.Method())
		case m.inline != nil:
			return m.inline(s, req.Params())
		}
		run, err := m.call(s, req.Params())
		if err != nil {
			return nil, invalidParams(req.Method(), err)
		}
		work, done, err := s.calls.begin(ctx, req.ID())
		if err != nil {
			return nil, err
		}
		defer done()
		jsonrpc2.Async(ctx)
		return run(work)
	})
}

// decode reads parameters. Some clients write null where LSP has them leave a
// property out, and protocol refuses that for strings and numbers; what is null is
// taken as left out then.
func decode[P any](params []byte) (*P, error) {
	p := new(P)
	err := protocol.Unmarshal(params, p)
	if err == nil {
		return p, nil
	}
	d := json.NewDecoder(bytes.NewReader(params))
	d.UseNumber()
	var all any
	if d.Decode(&all) != nil {
		return nil, err
	}
	bare, marshalErr := json.Marshal(withoutNulls(all))
	again := new(P)
	if marshalErr != nil || protocol.Unmarshal(bare, again) != nil {
		return nil, err
	}
	return again, nil
}

// withoutNulls drops the properties of objects that are null, however deep.
func withoutNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if value == nil {
				delete(v, key)
			} else {
				v[key] = withoutNulls(value)
			}
		}
	case []any:
		for i := range v {
			v[i] = withoutNulls(v[i])
		}
	}
	return v
}

// cancelRequest cancels a request of the client. Whatever else comes as an id is
// ignored: it can name no request.
func (s *Server) cancelRequest(params []byte) error {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	var number *int64
	var text *string
	switch {
	case json.Unmarshal(p.ID, &number) == nil && number != nil:
		s.calls.cancel(jsonrpc2.NewNumberID(*number))
	case json.Unmarshal(p.ID, &text) == nil && text != nil:
		s.calls.cancel(jsonrpc2.NewStringID(*text))
	default:
		return fmt.Errorf("the id %s names no request", p.ID)
	}
	return nil
}
