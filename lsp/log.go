package lsp

import "runtime/debug"

// logCrash records a crash of the server itself with its stack.
func (s *Server) logCrash(where string, r any) {
	s.log.Printf("a crash of the server in %s: %v\n%s", where, r, debug.Stack())
}
