// Package watch turns a tree of files into settled changes: it reports in batches
// which files have settled. It uses file events if the file system sends them, and
// polls otherwise.
//
// An idle watcher looks only for changes that send no event. Every two seconds it
// checks what the root is, in few system calls and at the same moments for all
// watchers of a process. As a safety net it checks the times of all known files
// every 30 s, or less often if that would take more than 0.02 % of one processor,
// but at least every five minutes. Events do not postpone this.
//
// It knows nothing about the files but their names and how a finished one ends.
// docs/use/watching.md says what it can and cannot see.
package watch
