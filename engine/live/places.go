package live

import (
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"isadiff/engine/locate"
)

// places remembers where kernels are defined. Kernels of one definition share a
// place, and a change of one file looks again only for those that it may move.
type places struct {
	found map[string]*foundPlace
	aged  []*foundPlace         // those whose file changed its text or time since the last State
	stats map[string]statResult // since the sources changed last
	key   []byte                // that was looked for last
}

// appendKey appends what a place depends on besides the sources, as text.
func appendKey(b []byte, query locate.Query, edited bool) []byte {
	b = append(append(b, query.Symbol...), 0)
	b = strconv.AppendBool(b, edited)
	for _, l := range query.At {
		b = append(append(append(b, 0), l.Path...), 0)
		b = strconv.AppendInt(b, int64(l.Line), 10)
		b = strconv.AppendInt(append(b, ':'), int64(l.Column), 10)
	}
	return b
}

type foundPlace struct {
	key   string
	place *locate.Place
	last  *locate.Place // the last one that was found by its location; nil if none was
	at    []locate.Location
	old   bool // the sources changed since
	aged  bool // whether results are older than their source may have changed
}

type statResult struct {
	info os.FileInfo
	err  error
}

// reset makes every place be looked for again.
func (p *places) reset() {
	if p.found == nil {
		p.found = map[string]*foundPlace{}
	}
	for _, f := range p.found {
		f.old = true
	}
	p.stats = map[string]statResult{}
}

// find returns where a kernel is defined. Its place is the same pointer as long
// as it says the same.
func (p *places) find(query locate.Query, r *locate.Resolver) *foundPlace {
	p.key = appendKey(p.key[:0], query, query.Edited)
	f := p.found[string(p.key)]
	if f != nil && !f.old {
		return f
	}
	if f == nil {
		f = &foundPlace{key: string(p.key), at: query.At}
		p.key = appendKey(p.key[:0], query, !query.Edited)
		if compiled := p.found[string(p.key)]; compiled != nil {
			f.last = compiled.last
		}
		p.found[f.key] = f
	}
	query.Last = f.last
	place := r.Resolve(query)
	if f.place == nil || !reflect.DeepEqual(*f.place, place) {
		f.place = &place
	}
	if place.Match >= locate.Moved {
		f.last = f.place
	}
	f.old = false
	return f
}

// sourceChanged marks the places that another text of a file may move: those
// within it, those whose location may mean it, and those that were found by name
// or not at all.
func (p *places) sourceChanged(file string) {
	clear(p.stats)
	name := filepath.Base(file)
	for _, f := range p.found {
		sure := f.place.Match == locate.Exact || f.place.Match == locate.Moved
		if !sure || within(f.place, file) || slices.ContainsFunc(f.at, func(l locate.Location) bool { return strings.EqualFold(lastName(l.Path), name) }) {
			f.old = true
		}
	}
}

// timeChanged marks the places in a file whose text or time changed: results may
// be older than it now, or no longer.
func (p *places) timeChanged(file string) {
	p.age(func(path string) bool { return path == file })
}

// age marks the places in files that are meant.
func (p *places) age(meant func(path string) bool) {
	for _, f := range p.found {
		if !f.aged && (len(f.place.Candidates) == 0 || slices.ContainsFunc(f.place.Candidates, func(c locate.Candidate) bool { return meant(c.Path) })) {
			f.aged = true
			p.aged = append(p.aged, f)
		}
	}
}

// settled ends what timeChanged began, after all kernels were looked at, and
// forgets the places that none of them has.
func (p *places) settled(pairs []*pair) {
	for _, f := range p.aged {
		f.aged = false
	}
	p.aged = nil
	if len(p.found) <= 3*len(pairs)+64 {
		return
	}
	p.found = make(map[string]*foundPlace, len(pairs))
	for _, pair := range pairs {
		for _, f := range []*foundPlace{pair.found, pair.was} {
			if f != nil {
				p.found[f.key] = f
			}
		}
	}
}

// outdated reports whether a kernel that had the given place has to be looked for
// again.
func (f *foundPlace) outdated(place *locate.Place) bool {
	return f == nil || f.old || f.aged || f.place != place
}

// stat asks the file system once for each path that no file of the project has.
func (p *places) stat(path string) (os.FileInfo, error) {
	s, known := p.stats[path]
	if !known {
		if len(p.stats) > 1<<16 {
			clear(p.stats)
		}
		s.info, s.err = os.Stat(path)
		p.stats[path] = s
	}
	return s.info, s.err
}

func within(place *locate.Place, file string) bool {
	return slices.ContainsFunc(place.Candidates, func(c locate.Candidate) bool { return c.Path == file })
}

// lastName returns the last name of a path of any system.
func lastName(p string) string { return path.Base(strings.ReplaceAll(p, `\`, "/")) }
