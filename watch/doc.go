// Package watch turns a tree of files into settled changes: it says which dump
// directories have settled, in batches, by file events where the file system
// sends them and by polling where it does not.
//
// While nothing happens it looks only for what sends no event: every two seconds
// at what the root is, in few system calls and at the same moments for all
// watchers of a process, and as a net at the times of all known files. The net
// comes every 30 s, or at such intervals that it takes 0.02 % of one processor if
// that is longer, but every five minutes at least; events between have no
// influence on that.
//
// It knows nothing of what the files mean beyond their names and how a finished
// one ends. See docs/use/watching.md for what it can and cannot see.
package watch
