package lsp

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// A phase is where a session stands (LSP 3.18, "Server lifecycle").
type phase uint8

const (
	created      phase = iota // nothing but initialize and exit
	initializing              // initialize was answered; requests are served
	running                   // initialized arrived; the server may speak too
	stopped                   // shutdown was answered; nothing but exit
)

// life is the state machine of a session.
type life struct {
	mu    sync.Mutex
	phase phase
}

// admit says whether a message may be handled now.
func (l *life) admit(method string, call bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case method == protocol.MethodExit:
		return nil
	case l.phase == created && method != protocol.MethodInitialize:
		if !call {
			return fmt.Errorf("it came before initialize")
		}
		return jsonrpc2.Errorf(jsonrpc2.ServerNotInitialized, "%s came before initialize", method)
	case l.phase == stopped:
		return jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "%s came after shutdown", method)
	case l.phase != created && method == protocol.MethodInitialize:
		return jsonrpc2.NewError(jsonrpc2.InvalidRequest, "initialize came twice")
	}
	return nil
}

// advance moves to a later phase; it returns false if that was reached before.
func (l *life) advance(to phase) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.phase >= to {
		return false
	}
	l.phase = to
	return true
}

func (l *life) at(p phase) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.phase == p
}

// initialize takes what the client can do and answers what the server can. It
// reads no file: folders are opened when the client is ready.
func (s *Server) initialize(params []byte) (any, error) {
	p, err := decode[protocol.InitializeParams](params)
	if err != nil {
		return nil, invalidParams(protocol.MethodInitialize, err)
	}
	var roots roots
	if err := json.Unmarshal(params, &roots); err != nil {
		return nil, invalidParams(protocol.MethodInitialize, err)
	}
	s.client = newClient(p)
	s.settings.Store(&s.client.settings)
	if p.ProcessID != nil {
		s.followParent(int(*p.ProcessID))
	}
	s.startFolders(roots)
	s.life.advance(initializing)
	return &protocol.InitializeResult{
		Capabilities: s.capabilities(),
		ServerInfo:   protocol.ServerInfo{Name: "isadiff", Version: protocol.NewOptional(s.version)},
	}, nil
}

// capabilities is what the server offers to this client.
func (s *Server) capabilities() protocol.ServerCapabilities {
	c := protocol.ServerCapabilities{
		PositionEncoding: s.client.encoding,
		TextDocumentSync: &protocol.TextDocumentSyncOptions{
			OpenClose: new(true),
			Change:    new(protocol.TextDocumentSyncKindFull),
			Save:      &protocol.SaveOptions{},
		},
		CompletionProvider: &protocol.CompletionOptions{TriggerCharacters: []string{"[", ".", "=", "\""}},
		HoverProvider:      protocol.Boolean(true),
		CodeLensProvider:   &protocol.CodeLensOptions{ResolveProvider: new(false)},
		CodeActionProvider: &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix}},
		DefinitionProvider: protocol.Boolean(true),
		ExecuteCommandProvider: protocol.ExecuteCommandOptions{
			WorkDoneProgressOptions: protocol.WorkDoneProgressOptions{WorkDoneProgress: new(true)},
			Commands:                s.commandNames(),
		},
		Workspace: &protocol.WorkspaceOptions{WorkspaceFolders: &protocol.WorkspaceFoldersServerCapabilities{
			Supported:           new(true),
			ChangeNotifications: protocol.Boolean(true),
		}},
	}
	if !s.client.registerHints {
		c.InlayHintProvider = protocol.Boolean(true) // they may be switched on later
	}
	if s.client.pulls {
		c.DiagnosticProvider = &protocol.DiagnosticOptions{Identifier: new("isadiff"), InterFileDependencies: true, WorkspaceDiagnostics: true}
	}
	return c
}

// initialized: the client listens now. What waited for that starts.
func (s *Server) initialized() error {
	if s.life.advance(running) {
		close(s.ready)
		s.background(s.registerForConfiguration)
	}
	return nil
}

// shutdown answers what still waits, which nobody will want any more.
func (s *Server) shutdown() error {
	s.life.advance(stopped)
	s.calls.end()
	return nil
}

// exit ends the session; Run returns and tells the exit code.
func (s *Server) exit() { s.exitOnce.Do(func() { close(s.exited) }) }

// A client is what the server knows of the editor at the other end. It does not
// change after initialize.
type client struct {
	name     string
	version  string
	encoding protocol.PositionEncodingKind

	pulls              bool // fetches diagnostics; they are never pushed then
	refreshDiagnostics bool
	refreshLenses      bool
	refreshHints       bool
	related            bool // shows related information
	codePages          bool // leads from a code to its page
	versioned          bool // wants the version in what is published
	markdown           bool // hovers may be Markdown
	codeActionLiterals bool
	progress           bool
	showDocument       bool
	configuration      bool // answers workspace/configuration
	registerSettings   bool // takes a dynamic registration for changed settings
	registerFiles      bool // takes one for changed files
	registerHints      bool // takes one for inlay hints
	status             bool // wants isadiff/status
	trusted            bool
	settings           map[string]any
}

// newClient reads what matters out of the parameters of initialize. Whatever a
// client leaves out it cannot do.
func newClient(p *protocol.InitializeParams) client {
	version, _ := p.ClientInfo.Version.Get()
	c := client{name: p.ClientInfo.Name, version: version, encoding: protocol.PositionEncodingKindUTF16}
	if g := p.Capabilities.General; g != nil {
		c.encoding = chooseEncoding(g.PositionEncodings)
	}
	if w := p.Capabilities.Workspace; w != nil {
		c.configuration = yes(w.Configuration)
		if w.DidChangeConfiguration != nil {
			c.registerSettings = yes(w.DidChangeConfiguration.DynamicRegistration)
		}
		if w.DidChangeWatchedFiles != nil {
			c.registerFiles = yes(w.DidChangeWatchedFiles.DynamicRegistration)
		}
		if w.CodeLens != nil {
			c.refreshLenses = yes(w.CodeLens.RefreshSupport)
		}
		if w.InlayHint != nil {
			c.refreshHints = yes(w.InlayHint.RefreshSupport)
		}
		if w.Diagnostics != nil {
			c.refreshDiagnostics = yes(w.Diagnostics.RefreshSupport)
		}
	}
	if w := p.Capabilities.Window; w != nil {
		c.progress = yes(w.WorkDoneProgress)
		c.showDocument = w.ShowDocument != nil && w.ShowDocument.Support
	}
	if t := p.Capabilities.TextDocument; t != nil {
		if t.PublishDiagnostics != nil {
			c.related = yes(t.PublishDiagnostics.RelatedInformation)
			c.codePages = yes(t.PublishDiagnostics.CodeDescriptionSupport)
			c.versioned = yes(t.PublishDiagnostics.VersionSupport)
		}
		if t.Hover != nil {
			c.markdown = prefersMarkdown(t.Hover.ContentFormat)
		}
		if t.CodeAction != nil {
			c.codeActionLiterals = len(t.CodeAction.CodeActionLiteralSupport.CodeActionKind.ValueSet) > 0
		}
		if t.InlayHint != nil {
			c.registerHints = yes(t.InlayHint.DynamicRegistration)
		}
		if t.Diagnostic != nil && c.refreshDiagnostics {
			c.pulls = true
			c.related = c.related || yes(t.Diagnostic.RelatedInformation)
		}
	}
	c.initializationOptions(p.InitializationOptions)
	return c
}

// title is the editor's name and version.
func (c *client) title() string {
	if c.name == "" {
		return "an editor without a name"
	}
	return strings.TrimSpace(c.name + " " + c.version)
}

// prefersMarkdown reports whether Markdown comes first of the formats that are
// known: their order is the client's preference (LSP 3.18, HoverClientCapabilities).
func prefersMarkdown(formats []protocol.MarkupKind) bool {
	for _, kind := range formats {
		switch kind {
		case protocol.MarkupKindMarkdown:
			return true
		case protocol.MarkupKindPlainText:
			return false
		}
	}
	return false
}

func yes(b *bool) bool { return b != nil && *b }
