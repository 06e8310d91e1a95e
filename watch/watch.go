package watch

import "time"

// A Batch is what settled together: one diff, one publication, however many
// files. Paths are those of the root as it was given, not resolved.
type Batch struct {
	Settled []Settled // files that are complete and stable, sorted by path
	Removed []string  // files or directories that are gone
	Rescan  bool      // the tree must be read again whole (start, overflow, root replaced, resume, net)
	Root    RootState
	Mode    Mode
}

// A Settled is one file that reached a stable state.
type Settled struct {
	Path    string
	ModTime time.Time
	Size    int64
	Cut     bool // it stayed incomplete past the limit: report it as cut short
	// Generations holds every intermediate content of the file that settled
	// since the last batch, oldest first, without the last one; usually empty.
	Generations [][]byte
}

// A RootState tells whether the root exists.
type RootState uint8

// The states of a root.
const (
	RootMissing RootState = iota
	RootPresent
)

// A Mode tells how changes are noticed.
type Mode struct {
	Polling bool
	Reason  string // why polling, in words for the user; "" when events are used
}
