package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"go.lsp.dev/protocol"

	"isadiff/engine/report"
)

// progress is the work that the client shows with a bar and may cancel.
type progress struct {
	mu      sync.Mutex
	last    int
	running map[string]context.CancelFunc // by token as JSON
}

// progressCancel: the user pressed cancel.
func (s *Server) progressCancel(params []byte) error {
	var p struct{ Token json.RawMessage }
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	s.progress.mu.Lock()
	cancel := s.progress.running[string(p.Token)]
	s.progress.mu.Unlock()
	if cancel == nil {
		return fmt.Errorf("no work has the token %s", p.Token)
	}
	cancel()
	return nil
}

// withProgress runs f as work that the client shows: under the token that came
// with the request, or else one of our own if the client has bars at all. f
// returns what to say at the end, and may say how far it has come.
func (s *Server) withProgress(ctx context.Context, token protocol.ProgressToken, title string, f func(ctx context.Context, say func(string)) (string, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if token == nil {
		token = s.newToken(ctx, barPatience)
	}
	if token == nil {
		_, err := f(ctx, func(string) {})
		return err
	}
	key, err := protocol.Marshal(token)
	if err != nil {
		return err
	}
	s.progress.mu.Lock()
	if s.progress.running == nil {
		s.progress.running = map[string]context.CancelFunc{}
	}
	s.progress.running[string(key)] = cancel
	s.progress.mu.Unlock()
	s.report(token, &protocol.WorkDoneProgressBegin{Kind: "begin", Title: report.EditorLine(title), Cancellable: new(true)})
	message := "failed" // unless f returns
	defer func() {
		s.progress.mu.Lock()
		delete(s.progress.running, string(key))
		s.progress.mu.Unlock()
		s.report(token, &protocol.WorkDoneProgressEnd{Kind: "end", Message: new(report.EditorLine(message))})
	}()
	message, err = f(ctx, func(message string) {
		s.report(token, &protocol.WorkDoneProgressReport{Kind: "report", Message: new(report.EditorLine(message))})
	})
	if err != nil {
		message = err.Error()
	}
	return err
}

// barPatience is how long work that somebody waits for may wait for its bar: a
// client that does not answer goes without.
const barPatience = time.Second

// newToken asks the client for a bar; nil if it has none, or gives none in time.
func (s *Server) newToken(ctx context.Context, patience time.Duration) protocol.ProgressToken {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if !s.client.progress || !s.life.at(running) {
		return nil
	}
	s.progress.mu.Lock()
	s.progress.last++
	token := protocol.String(fmt.Sprintf("isadiff-%d", s.progress.last))
	s.progress.mu.Unlock()
	if err := s.ask(ctx, protocol.MethodWindowWorkDoneProgressCreate, &protocol.WorkDoneProgressCreateParams{Token: token}, nil); err != nil {
		s.log.Print(err)
		return nil
	}
	return token
}

func (s *Server) report(token protocol.ProgressToken, value any) {
	raw, err := protocol.Marshal(value)
	if err != nil {
		s.log.Print(err)
		return
	}
	s.tell(protocol.MethodProgress, &protocol.ProgressParams{Token: token, Value: raw})
}
