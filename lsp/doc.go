// Package lsp is the language server: it shows what the live session of each
// workspace folder knows, as diagnostics, hovers, code lenses and code actions,
// and takes the commands that mend it.
//
// It has one file per feature of the protocol. A request sees one immutable
// view: the open documents and one [isadiff/engine/live.State] per folder, both
// fetched while the request is read, so that requests are answered in the order
// of the edits around them although they run concurrently. Each feature converts
// that view with the pure functions of render_*.go and returns; nothing here
// decides what is true.
//
// The transport (conn.go, outgoing.go, dispatch.go, lifecycle.go) knows nothing
// of kernels.
package lsp
