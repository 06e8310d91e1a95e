package lsp

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// versions tells which server runs where, and for which editor.
func (s *Server) versions() string {
	return fmt.Sprintf("isadiff %s, %s/%s, %s", s.version, runtime.GOOS, runtime.GOARCH, s.client.title())
}

// logCrash records a crash of the server itself with its stack.
func (s *Server) logCrash(where string, r any) {
	s.log.Printf("a crash of the server in %s: %v\n%s", where, r, debug.Stack())
}
