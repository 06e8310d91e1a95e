// Package watch turns a tree of files into settled changes: it says which dump
// directories have settled, in batches, by file events where the file system
// sends them and by polling where it does not.
//
// It knows nothing of what the files mean beyond their names and how a finished
// one ends. See docs/watching.md for what it can and cannot see.
package watch
