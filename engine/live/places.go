package live

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"isadiff/engine/locate"
)

// places remembers where kernels are defined. Kernels of one definition share a
// place, and a change of one file looks again only for those that it may move.
type places struct {
	found map[placeKey]*foundPlace
	epoch uint64 // grows when anything changed that a place or its age depends on
	stats map[string]statResult
}

// A placeKey is what a place depends on besides the sources.
type placeKey struct {
	symbol       string
	path         string
	line, column int
	more         string // further locations, as text
}

type foundPlace struct {
	place *locate.Place
	at    []locate.Location
	old   bool   // the sources changed since
	used  uint64 // the sweep it was last asked for in
}

type statResult struct {
	info os.FileInfo
	err  error
}

func (p *places) reset() {
	p.found = map[placeKey]*foundPlace{}
	p.stats = map[string]statResult{}
	p.epoch++
}

// find returns the place of a kernel; the same pointer as long as it says the
// same.
func (p *places) find(symbol string, at []locate.Location, r *locate.Resolver) *locate.Place {
	key := placeKey{symbol: symbol}
	if len(at) > 0 {
		key.path, key.line, key.column = at[0].Path, at[0].Line, at[0].Column
	}
	if len(at) > 1 {
		key.more = rest(at[1:])
	}
	f := p.found[key]
	if f != nil && !f.old {
		f.used = p.epoch
		return f.place
	}
	r.Stat = p.stat
	query := locate.Query{Symbol: symbol, At: at}
	if f != nil {
		query.Last = f.place
	}
	place := r.Resolve(query)
	if f == nil {
		f = &foundPlace{at: at}
		p.found[key] = f
	}
	if f.place == nil || !reflect.DeepEqual(*f.place, place) {
		f.place = &place
	}
	f.old, f.used = false, p.epoch
	return f.place
}

// sourceChanged marks the places that another text of a file may move: those
// within it, those whose location may mean it, and those that were found by name
// or not at all.
func (p *places) sourceChanged(file string) {
	p.epoch++
	clear(p.stats)
	name := filepath.Base(file)
	for _, f := range p.found {
		sure := f.place.Match == locate.Exact || f.place.Match == locate.Moved
		if !sure || within(f.place, file) || slices.ContainsFunc(f.at, func(l locate.Location) bool { return strings.EqualFold(lastName(l.Path), name) }) {
			f.old = true
		}
	}
}

// sweep forgets the places that no kernel of the last State has.
func (p *places) sweep(kernels int) {
	if len(p.found) <= 2*kernels+64 {
		return
	}
	for key, f := range p.found {
		if f.used != p.epoch {
			delete(p.found, key)
		}
	}
}

// stat asks the file system once for each path that no file of the project has.
func (p *places) stat(path string) (os.FileInfo, error) {
	if s, ok := p.stats[path]; ok {
		return s.info, s.err
	}
	info, err := os.Stat(path)
	if len(p.stats) > 1<<16 {
		clear(p.stats)
	}
	p.stats[path] = statResult{info, err}
	return info, err
}

func within(place *locate.Place, file string) bool {
	return slices.ContainsFunc(place.Candidates, func(c locate.Candidate) bool { return c.Path == file })
}

// lastName returns the last name of a path of any system.
func lastName(p string) string { return path.Base(strings.ReplaceAll(p, `\`, "/")) }

func rest(at []locate.Location) string {
	var b strings.Builder
	for _, l := range at {
		fmt.Fprintf(&b, "%s\x00%d:%d\x00", l.Path, l.Line, l.Column)
	}
	return b.String()
}
