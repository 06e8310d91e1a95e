// Package session joins a project's watchers to its live session: the one place
// where settled files (package watch) become States (package live). The command
// `isadiff watch` and the language server both open one for each project.
//
//	dumps    --watch--> live.DumpsChanged    \
//	baseline --watch--> live.BaselineChanged  > live.Session -> State
//	sources  --watch--> live.SourcesChanged  /
package session
