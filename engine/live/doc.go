// Package live holds a baseline, a live dump tree and Python sources, and makes
// a new immutable [State] each time something settles. It is what watch and the
// language server show. Work is proportional to what changed.
package live
