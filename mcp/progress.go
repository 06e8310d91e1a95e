package mcp

import (
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// A progress tells a client that asked for it how far a call has come. It is used by one
// goroutine at a time.
type progress struct {
	ctx   context.Context
	req   *sdk.CallToolRequest
	token any // nil if the client did not ask
	steps float64
	last  string
}

func newProgress(ctx context.Context, req *sdk.CallToolRequest) *progress {
	return &progress{ctx: ctx, req: req, token: req.Params.GetProgressToken()}
}

// say tells what is being done now.
func (p *progress) say(message string) {
	if p.token == nil || message == p.last {
		return
	}
	p.last = message
	p.steps++
	// A client that cannot be told of it hears of the result, too, or has gone.
	_ = p.req.Session.NotifyProgress(p.ctx, &sdk.ProgressNotificationParams{ProgressToken: p.token, Progress: p.steps, Message: message})
}
