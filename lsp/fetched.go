package lsp

import (
	"slices"
	"sync"
)

// fetched is what the client has fetched: the lenses and the diagnostics of each file,
// until it is asked to fetch them again. What it fetched between two publications may
// be of a state that neither of them saw.
type fetched struct {
	mu     sync.Mutex
	lenses map[string]string // titles, by path
	lists  map[string]string // ids of lists, by path; "" for an empty one
}

func newFetched() *fetched {
	return &fetched{lenses: map[string]string{}, lists: map[string]string{}}
}

// tookLenses notes the lines that a request is answered with.
func (v *view) tookLenses(path string, lines []placedLens) {
	if v.client.refreshLenses {
		v.fetched.mu.Lock()
		v.fetched.lenses[path] = titlesOf(lines)
		v.fetched.mu.Unlock()
		v.catchUp()
	}
}

// tookList notes a list of diagnostics that a request is answered with; catchUp is to
// follow.
func (v *view) tookList(path, id string, empty bool) {
	if empty {
		id = ""
	}
	if v.client.refreshDiagnostics {
		v.fetched.mu.Lock()
		v.fetched.lists[path] = id
		v.fetched.mu.Unlock()
	}
}

// catchUp has the publisher look if something happened since the view was taken.
func (v *view) catchUp() {
	if !slices.Equal(v.folders, v.Server.folders.view()) {
		v.publish.poke()
	}
}

// outdatedLenses reports whether the client has other lines of a file than these;
// it is asked to fetch them again then, so what it has is forgotten.
func (f *fetched) outdatedLenses(path, titles string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	had, ok := f.lenses[path]
	if ok && had != titles {
		delete(f.lenses, path)
		return true
	}
	return false
}

// outdatedLists reports whether the client has another list of any file than the
// one that id names.
func (f *fetched) outdatedLists(id func(path string) string) (outdated bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for path, had := range f.lists {
		if had != id(path) {
			delete(f.lists, path)
			outdated = true
		}
	}
	return outdated
}

// closed forgets a file that the client closed.
func (f *fetched) closed(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.lenses, path)
}

// titlesOf tells the lines of a file from others, wherever they stand.
func titlesOf(lines []placedLens) (titles string) {
	for _, l := range lines {
		titles += l.key + "\x00" + l.lens.Title + "\x00"
	}
	return titles
}
