package mcp

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"isadiff/engine/accept"
	"isadiff/engine/judge"
	"isadiff/engine/problem"
	"isadiff/engine/project"
	"isadiff/engine/report"
)

// Options say what a server is for.
type Options struct {
	Dirs     []string // that may be read and written; the client's roots, or else the working directory, if there are none
	ReadOnly bool     // without the tools that write or run a command
	Version  string
}

// instructions tell an agent in short how to use the tools.
const instructions = `isadiff tells whether a change made AMD GPU kernels use more registers, spills, scratch memory or LDS, and whether the answer can be trusted. ` +
	`Verdicts: OK, REGRESSION (a claim about the code) and NOT TRUSTWORTHY (no claim about the code: mend what "problems" say and ask again; never take it for OK or for a regression). ` +
	`Ask "status" first. To judge a change, compare it with a git revision ("compare"), or two captured dump directories ("diff"). ` +
	`Before you change a kernel that got worse, ask "why" for the instructions and source lines that did it. Figures are proxies: isadiff measures no time.`

type server struct {
	*sdk.Server
	options Options
}

// New returns a server.
func New(o Options) *sdk.Server {
	s := &server{options: o, Server: sdk.NewServer(&sdk.Implementation{Name: "isadiff", Title: "isadiff", Version: o.Version}, &sdk.ServerOptions{
		Instructions: instructions, Capabilities: &sdk.ServerCapabilities{},
	})}
	s.summarize()
	s.diff()
	s.why()
	s.where()
	s.explain()
	s.status()
	if !o.ReadOnly {
		s.compare()
		s.snapshot()
	}
	s.resources()
	return s.Server
}

// Serve speaks with one client until it goes or ctx ends.
func Serve(ctx context.Context, o Options, in io.ReadCloser, out io.WriteCloser) error {
	err := New(o).Run(ctx, &sdk.IOTransport{Reader: in, Writer: out})
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}

// An answer is what a tool returns: as JSON, and in short as text.
type answer interface{ text() string }

// A briefly is the answer of most tools.
type briefly struct{ *report.Brief }

func (b briefly) text() string { return string(b.Text(report.Style{})) }

// A call is one call of a tool.
type call struct {
	places   *places
	progress *progress
}

// readOnly are the hints of a tool that only looks.
func readOnly(title string) *sdk.ToolAnnotations {
	no := false
	return &sdk.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &no, DestructiveHint: &no}
}

// add adds a tool. What a tool cannot answer at all is an error for the agent to read,
// with what mends it.
func add[In any, Out answer](s *server, tool *sdk.Tool, run func(context.Context, *call, In) (Out, error)) {
	tool.InputSchema, tool.OutputSchema = schemaOf[In](), schemaOf[Out]()
	sdk.AddTool(s.Server, tool, func(ctx context.Context, req *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
		var none Out
		places, ask, err := s.placesOf(req)
		if ask != nil {
			return &sdk.CallToolResult{InputRequests: ask}, none, nil
		}
		if err != nil {
			return nil, none, told(err)
		}
		out, err := guarded(ctx, &call{places, newProgress(ctx, req)}, in, run)
		if err != nil {
			return nil, none, told(err)
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: out.text()}}}, out, nil
	})
}

// guarded runs a tool. A crash of it is a problem, and not the end of the server.
func guarded[In any, Out answer](ctx context.Context, c *call, in In, run func(context.Context, *call, In) (Out, error)) (out Out, err error) {
	defer func() {
		if crash := recover(); crash != nil {
			err = problem.Crashed("", crash)
		}
	}()
	return run(ctx, c, in)
}

// told returns an error as an agent reads it.
func told(err error) error {
	var p problem.Problem
	if !errors.As(err, &p) {
		return err
	}
	return errors.New(string(report.Error(p, report.Style{})))
}

// A projectInput names the project of a call.
type projectInput struct {
	Project string `json:"project,omitempty" jsonschema:"the folder whose isadiff configuration counts, and where relative paths start; the first root if it is left out"`
}

// A listInput says how much is listed.
type listInput struct {
	Limit int `json:"limit,omitempty" jsonschema:"how many kernels are listed, the worst first; 8 if it is left out. The others are counted"`
}

// A sideInput says which kernels of a side count.
type sideInput struct {
	Kernels     string `json:"kernels,omitempty" jsonschema:"a glob on kernels' names or keys, such as softmax_*; all that the project names if it is left out"`
	IgnoreTimes bool   `json:"ignore_times,omitempty" jsonschema:"for a tree that was copied without its times: stale files are warnings"`
}

// A pairInput says which kernels of two sides are one.
type pairInput struct {
	Pairs []string `json:"pairs,omitempty" jsonschema:"kernels that were renamed, OLD=NEW each; * stands for the same text on both sides"`
}

// An opened is the project of a call.
type opened struct {
	judge.Opened
	dir string // where relative paths start
	*places
}

// open opens the project of a call. All that its configuration names is in the places.
func (c *call) open(p projectInput, side sideInput, pairs []string, n judge.Needs) (*opened, error) {
	dir := c.places.dirs[0]
	if p.Project != "" {
		dir = absolute(dir, p.Project)
		if err := c.places.check(dir); err != nil {
			return nil, err
		}
	}
	root, err := project.FindRoot(dir)
	if err != nil {
		return nil, problem.New(problem.InputNotFound, "%v", err)
	}
	if err := c.places.check(root); err != nil { // before anything in it is read
		return nil, err
	}
	n.Confined = true
	o, err := judge.Open(project.Options{Dir: dir, Root: root}, judge.Inputs{Kernels: side.Kernels, IgnoreTimes: side.IgnoreTimes, Pairs: pairs}, n)
	if err != nil {
		return nil, err
	}
	if err := c.places.check(o.Config.Accepted); err != nil {
		return nil, err
	}
	return &opened{o, dir, c.places}, nil
}

// side returns the path of a side that a call names.
func (o *opened) side(path string) (string, error) {
	if path == "" {
		return "", problem.New(problem.Usage, "the empty path names nothing").Mended("give a dump directory or a .json snapshot")
	}
	path = absolute(o.dir, path)
	return path, o.places.side(path)
}

// sides returns the paths of two sides.
func (o *opened) sides(before, after string) (b, a string, err error) {
	if b, err = o.side(before); err != nil {
		return "", "", err
	}
	a, err = o.side(after)
	return b, a, err
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// options returns what a brief lists.
func options(l listInput, about report.Context, cautions []string) (report.Options, error) {
	if l.Limit < 0 {
		return report.Options{}, problem.New(problem.Usage, "limit is %d", l.Limit).Mended("give a number of kernels above 0, or leave it out")
	}
	about.Explain = func(code string) string { return "tool explain: topic " + code }
	return report.Options{Context: about, Cautions: cautions, Limits: report.LimitTo(l.Limit)}, nil
}

// look names the tool that shows the code of a kernel of two sides.
func look(before, after string) func(key string) string {
	return func(key string) string {
		return report.ToolCall("why", "before", before, "after", after, "kernels", accept.Exactly(key))
	}
}
