package lsp

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// initializationOptions is what a client may say in initialize beyond LSP; see
// docs/reference/protocol.md.
func (c *client) initializationOptions(raw []byte) {
	var o map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &o) != nil {
		return
	}
	// One by one: what one of them lacks is nothing to the others.
	var diagnostics string
	_ = json.Unmarshal(o["trusted"], &c.trusted)
	_ = json.Unmarshal(o["status"], &c.status)
	_ = json.Unmarshal(o["diagnostics"], &diagnostics)
	c.settings = settingsOf(o["settings"])
	switch diagnostics {
	case "push":
		c.pulls = false
	case "pull":
		c.pulls = true
	}
}

// settingsOf reads settings. What is no object stays what it is, in the section's
// place, so that the configuration says so.
func settingsOf(raw json.RawMessage) map[string]any {
	var value any
	if len(raw) == 0 || json.Unmarshal(raw, &value) != nil || value == nil {
		return nil
	}
	if settings, ok := value.(map[string]any); ok {
		return section(settings)
	}
	return map[string]any{"isadiff": value}
}

// section takes the settings out of their section "isadiff", if they are in one.
func section(settings map[string]any) map[string]any {
	if inner, ok := settings["isadiff"].(map[string]any); ok {
		return inner
	}
	return settings
}

// didChangeConfiguration. A client that can be asked is asked, whatever it sent:
// only the answer tells which folder a setting is for.
func (s *Server) didChangeConfiguration(p *protocol.DidChangeConfigurationParams) error {
	if s.client.configuration {
		for _, f := range s.folders.list() {
			wake(f.configured)
		}
		return nil
	}
	var settings map[string]any
	if len(p.Settings) > 0 {
		if err := json.Unmarshal(p.Settings, &settings); err != nil {
			return err
		}
	}
	s.settings.Store(new(s.client.withSettings(section(settings))))
	for _, f := range s.folders.list() {
		wake(f.configured)
	}
	return nil
}

// configurationSaved reads the configuration of the folders again that a file may
// configure.
func (s *Server) configurationSaved(path string) {
	switch filepath.Base(path) {
	case "pyproject.toml", "isadiff.toml":
	default:
		return
	}
	for _, f := range s.folders.list() {
		if config := f.current.Load().config; config != nil && (path == config.File || contains(config.Root, path) || contains(filepath.Dir(path), f.path)) {
			wake(f.configured)
		}
	}
}

// didChangeWatchedFiles reports configuration files that another program wrote. The
// server watches dumps and sources itself.
func (s *Server) didChangeWatchedFiles(p *protocol.DidChangeWatchedFilesParams) error {
	for _, change := range p.Changes {
		if path, ok := s.localPath(change.URI); ok {
			s.configurationSaved(path)
		}
	}
	return nil
}

// registerForConfiguration asks the client to report changed settings, which VS Code
// does only when asked, and changed configuration files.
func (s *Server) registerForConfiguration(ctx context.Context) {
	var all []protocol.Registration
	add := func(can bool, id, method string, options any) {
		raw, err := json.Marshal(options)
		if err != nil {
			s.log.Print(err)
		} else if can {
			all = append(all, protocol.Registration{ID: id, Method: method, RegisterOptions: raw})
		}
	}
	add(s.client.registerSettings, "isadiff-settings", protocol.MethodWorkspaceDidChangeConfiguration, map[string]any{"section": "isadiff"})
	add(s.client.registerFiles, "isadiff-files", protocol.MethodWorkspaceDidChangeWatchedFiles, map[string]any{
		"watchers": []map[string]any{{"globPattern": "**/{pyproject,isadiff}.toml"}},
	})
	if len(all) == 0 {
		return
	}
	err := s.ask(ctx, protocol.MethodClientRegisterCapability, &protocol.RegistrationParams{Registrations: all}, nil)
	if err != nil && ctx.Err() == nil {
		s.log.Print(err)
	}
}

// fetchSettings asks a client that can be asked for a folder's settings; those of
// before stay if it does not answer.
func (s *Server) fetchSettings(ctx context.Context, folder uri.URI, before map[string]any) map[string]any {
	var answer []json.RawMessage
	err := s.ask(ctx, protocol.MethodWorkspaceConfiguration, &protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{
		ScopeURI: &folder, Section: new("isadiff"),
	}}}, &answer)
	if err != nil {
		if ctx.Err() == nil {
			s.log.Print(err)
		}
		return before
	}
	if len(answer) == 0 {
		return before
	}
	return s.client.withSettings(settingsOf(answer[0]))
}

// withSettings adds to settings what the client left out and gave in initialize. Some
// clients send empty settings as soon as they are initialized.
func (c *client) withSettings(settings map[string]any) map[string]any {
	merged := maps.Clone(c.settings)
	if merged == nil {
		merged = map[string]any{}
	}
	maps.Copy(merged, settings)
	return merged
}
