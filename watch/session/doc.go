// Package session connects a project's watchers to its live session: here settled
// files (package watch) become States (package live). `isadiff watch` and the
// language server open one session for each project.
//
//	dumps    --watch--> live.DumpsChanged    \
//	baseline --watch--> live.BaselineChanged  > live.Session -> State
//	sources  --watch--> live.SourcesChanged  /
package session
