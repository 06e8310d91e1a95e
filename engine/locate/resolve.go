package locate

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"isadiff/engine/pysource"
)

// A Resolver finds the definitions of kernels. It is a value: changed sources need
// another Resolver.
type Resolver struct {
	Index *Index
	Map   []Mapping                              // the longest prefix first
	Stat  func(path string) (os.FileInfo, error) // os.Stat if nil
}

// A Query asks for the definition of a kernel.
type Query struct {
	Symbol string
	At     []Location // what its 00_origin.mlir says, the innermost call first; none if that is not known
	Last   *Place     // where it was found last by its location before the sources changed, if it was
	Edited bool       // the file that At means is known to have changed after the compile
}

// Resolve finds where a kernel is defined. It never guesses: of several
// definitions that fit, all are returned.
func (r *Resolver) Resolve(q Query) Place {
	var best Place
	known := slices.DeleteFunc(slices.Clone(q.At), func(at Location) bool { return at.Path == "" })
	if len(known) == 0 {
		return r.named(q.Symbol, "", nil)
	}
	for i, at := range known {
		if p := r.located(q, at); i == 0 || p.Match > best.Match {
			best = p
		}
	}
	best.Origin = known[0]
	return best
}

// Source returns the project's file that the path of a location certainly means.
func (r *Resolver) Source(path string) (string, bool) {
	sources, how, _ := r.files(path)
	if how != direct && how != alone {
		return "", false
	}
	return sources[0].path, true
}

// At returns the definition whose topmost decorator is at a location, whatever its
// name: a renamed kernel is still defined there.
func (r *Resolver) At(at Location) (Candidate, bool) {
	sources, how, _ := r.files(at.Path)
	if how == foreign || len(sources) != 1 {
		return Candidate{}, false
	}
	for i := range sources[0].file.Definitions {
		if d := &sources[0].file.Definitions[i]; stands(d, at.Line) && !d.Launcher {
			return Candidate{sources[0].path, *d}, true
		}
	}
	return Candidate{}, false
}

// A route tells how a location's path was led to files of the project.
type route uint8

const (
	nowhere route = iota // no file of the project ends like it
	byBase               // it does not exist here; the files have its last name in common with it, and no more
	tied                 // it does not exist here; several files end like it, equally well
	alone                // it does not exist here; one file alone ends like it, by its folder's name as well
	direct               // it is the file, as it stands or mapped
	foreign              // it exists here and is not in the project; the files end like it, by their folder's names as well
)

// located finds a kernel by one location, then by its name.
func (r *Resolver) located(q Query, at Location) Place {
	sources, how, path := r.files(at.Path)
	if how == foreign {
		return Place{Outside: path, Near: paths(sources), Reason: fmt.Sprintf("it was compiled from %s, which is not among the project's sources; if it is another copy of one, map its folder in path-map", path)}
	}
	var found []ref
	match := Exact
	for _, s := range sources {
		refs, m := inFile(s, q, at, how)
		if len(refs) > 0 {
			found, match = append(found, refs...), min(match, m)
		}
	}
	if len(sources) > 1 && len(found) == 1 && fits(found[0].definition(), q.Symbol) <= weakPattern {
		found = nil // neither its path nor its name tells it from the other files
	}
	place := Place{Match: match, Candidates: candidates(found)}
	switch {
	case len(found) == 0:
		place = r.named(q.Symbol, why(q.Symbol, at, sources, how, path), func(r ref) bool { return isOther(r, lastIn(r.source, q, at)) })
		place.Near = paths(sources)
		if how == direct {
			place.Left = sources[0].path
		}
	case len(found) > 1:
		place.Match = Ambiguous
		place.Reason = fmt.Sprintf("%s fits %d definitions: %s; %s", q.Symbol, len(found), listed(place.Candidates), settle(sources))
	case len(sources) > 1:
		// The path fits several files, and one of them has the name: that is what
		// decides.
		place.Match = ByName
	default:
		for _, r := range able(found[0].source, q.Symbol) {
			if r != found[0] {
				place.Others = append(place.Others, r.definition().Qualified)
			}
		}
	}
	return place
}

// inFile finds the definitions of one file that a location can mean. A definition
// whose name is computed will do on the very line of a file that ends like the path
// by its folder's name as well, and anywhere in the one that is surely meant.
func inFile(s *source, q Query, at Location, how route) ([]ref, Match) {
	able := overloads(able(s, q.Symbol), q.Symbol)
	others := functions(s)
	if last := lastIn(s, q, at); last != nil {
		// Another definition of the name may stand on the line by now.
		was := last.Candidates[0].Definition
		known := able
		if was.Via == "" {
			known = slices.Concat(able, others)
		} else {
			others = nil // its decorator was taken away
		}
		if same := qualified(known, was.Qualified); len(same) == 1 {
			if stands(same[0].definition(), at.Line) {
				return same, Exact
			}
			return same, Moved
		}
		// It was renamed, or is being typed: then it is none of the others.
		able = slices.DeleteFunc(able, func(r ref) bool { return isOther(r, last) })
	}
	for _, r := range able {
		if how == byBase && fits(r.definition(), q.Symbol) <= weakPattern {
			continue // a file of the same name in another folder can have any kernel there
		}
		if stands(r.definition(), at.Line) {
			if better := contenders(r, able, q.Symbol); len(better) > 0 {
				return append(better, r), Moved
			}
			return []ref{r}, Exact
		}
	}
	there := slices.IndexFunc(others, func(r ref) bool { return stands(r.definition(), at.Line) })
	if there >= 0 && fits(others[there].definition(), q.Symbol) != noFit {
		return others[there : there+1], Exact
	}
	if there >= 0 && others[there].definition().Made && how >= alone {
		return others[there : there+1], Exact
	}
	// A producer whose symbols are the functions' names may name the line of the def.
	if same := slices.IndexFunc(others, func(r ref) bool {
		return r.definition().Function == q.Symbol && r.definition().Def.Start.Line+1 == at.Line
	}); same >= 0 {
		return others[same : same+1], Exact
	}
	fitting, unknown := fittest(able, q.Symbol)
	if how != direct && len(fitting) > 0 && fits(fitting[0].definition(), q.Symbol) == weakPattern {
		fitting = nil
	}
	if len(fitting) == 0 && how == direct {
		// What name a decorator of the project's own computes, or a call, nobody else knows.
		decorated := slices.DeleteFunc(slices.Clone(others), func(r ref) bool { return !r.definition().Decorated() })
		made := slices.ContainsFunc(decorated, func(r ref) bool { return r.definition().Made })
		_, number := cutID(q.Symbol)
		switch fitting, _ = fittest(decorated, q.Symbol); {
		case len(fitting) > 0:
		case there >= 0 && !q.Edited && (others[there].definition().Decorated() || number == ""):
			return others[there : there+1], Exact
		case there >= 0 && !q.Edited, made:
			return nil, None // it stands there, or can be one of those
		default:
			fitting = unknown
		}
	}
	if r, ok := nearest(fitting, at.Line); ok {
		return []ref{r}, Moved
	}
	return fitting, Moved
}

// contenders returns the definitions that a symbol names, of which an edit may have
// moved another one to their line: one whose name says less of the symbol.
func contenders(there ref, able []ref, symbol string) []ref {
	if d := there.definition(); d.Naming != pysource.Numbered && d.Name.Kind != pysource.NameUnknown {
		return nil // the line is within the definition
	}
	best, _ := fittest(able, symbol)
	if len(best) == 0 {
		return nil
	}
	named, here := fits(best[0].definition(), symbol), fits(there.definition(), symbol)
	if here <= weakPattern && named > byFunction || here < byConstant && named == byConstant {
		return best
	}
	return nil
}

// fittest returns those of a file's definitions that can have given a symbol best,
// and those whose names tell nothing of it.
func fittest(refs []ref, symbol string) (fitting, unknown []ref) {
	best := noFit
	for _, r := range refs {
		switch f := fits(r.definition(), symbol); {
		case f == noFit:
			unknown = append(unknown, r)
		case f > best:
			best, fitting = f, []ref{r}
		case f == best:
			fitting = append(fitting, r)
		}
	}
	return fitting, unknown
}

// functions returns those of a file that no known decorator makes kernels.
func functions(s *source) []ref {
	refs := make([]ref, len(s.file.Others))
	for i := range refs {
		refs[i] = ref{s, len(s.file.Definitions) + i}
	}
	return refs
}

// able returns the definitions of a file that can have given a symbol.
func able(s *source, symbol string) (refs []ref) {
	for i := range s.file.Definitions {
		d := &s.file.Definitions[i]
		if !d.Launcher && (d.Name.Kind == pysource.NameUnknown || fits(d, symbol) != noFit) {
			refs = append(refs, ref{s, i})
		}
	}
	return refs
}

// lastIn returns where a kernel of the same compile was found before the file
// changed; nil if it was not, or elsewhere.
func lastIn(s *source, q Query, at Location) *Place {
	last := q.Last
	if last == nil || last.Match < Moved || len(last.Candidates) != 1 || last.Origin != at || last.Candidates[0].Path != s.path {
		return nil
	}
	return last
}

// isOther reports whether a definition stood beside the one that a kernel was
// found at before: then it is not that one under another name.
func isOther(r ref, last *Place) bool {
	return last != nil && r.definition().Qualified != last.Candidates[0].Definition.Qualified && slices.Contains(last.Others, r.definition().Qualified)
}

// qualified returns the definitions of a qualified name.
func qualified(refs []ref, name string) (same []ref) {
	for _, r := range refs {
		if r.definition().Qualified == name {
			same = append(same, r)
		}
	}
	return same
}

// clearly is how many times nearer to a line than any other a definition must be
// to be taken for the one that stood there.
const clearly = 4

// nearest picks of several definitions of one name the one that cannot but have
// moved from a line: the others are much farther off.
func nearest(refs []ref, line int) (ref, bool) {
	if len(refs) < 2 || slices.ContainsFunc(refs, func(r ref) bool { return r.definition().Naming != pysource.Numbered }) {
		return ref{}, false // the line of an instruction is in the middle of something
	}
	off := func(r ref) int { return max(r.definition().Topmost+1-line, line-r.definition().Topmost-1) }
	sorted := slices.SortedStableFunc(slices.Values(refs), func(a, b ref) int { return off(a) - off(b) })
	return sorted[0], off(sorted[1]) >= clearly*off(sorted[0])
}

// stands reports whether the line of a location means a definition: that of its
// topmost decorator or, where the location is that of an instruction, any of it.
func stands(d *pysource.Definition, line int) bool {
	if d.Naming == pysource.Numbered {
		return d.Topmost+1 == line
	}
	return d.Topmost < line && line <= d.Body.End.Line+1
}

// paths returns where files of the project are.
func paths(sources []*source) (all []string) {
	for _, s := range sources {
		all = append(all, s.path)
	}
	return all
}

// named finds a kernel by its symbol alone. The reason is why its location led
// nowhere, "" if it has none; not tells of a definition that it is not the
// kernel's, and may be nil.
func (r *Resolver) named(symbol string, reason string, not func(ref) bool) Place {
	refs := r.Index.byName(symbol)
	if not != nil {
		refs = slices.DeleteFunc(slices.Clone(refs), not)
	}
	p := Place{Candidates: candidates(refs)}
	switch len(refs) {
	case 0:
		if p.Reason = reason; reason == "" {
			p.Reason = fmt.Sprintf("its dump has no debug location, and no definition in the project's sources can have the symbol %s", symbol)
		}
	case 1:
		p.Match = ByName
	default:
		p.Match = Ambiguous
		cause := "its dump has no debug location"
		if reason != "" {
			cause = reason
		}
		p.Reason = fmt.Sprintf("%s; by its symbol %s it fits %d definitions: %s", cause, symbol, len(refs), listed(p.Candidates))
	}
	return p
}

// files leads the path of a location to files of the project. The path that it
// was looked for as is returned for messages.
func (r *Resolver) files(path string) ([]*source, route, string) {
	for _, m := range r.Map {
		if mapped, ok := m.apply(path); ok {
			path = mapped
			break
		}
	}
	if s := r.Index.files[filepath.Clean(path)]; s != nil {
		return []*source{s}, direct, path
	}
	names := split(path)
	if len(names) == 0 {
		return nil, nowhere, path
	}
	same := r.Index.bases[strings.ToLower(names[len(names)-1])]
	is, exists := r.sameFile(path, same)
	if is != nil {
		return []*source{is}, direct, path
	}
	var longest []*source
	most := 1
	fold := windows(path) || filepath.Separator == '\\'
	for _, s := range same {
		switch n := commonSuffix(names, s.path, fold); {
		case n > most:
			most, longest = n, []*source{s}
		case n == most:
			longest = append(longest, s)
		}
	}
	how := tied
	switch {
	case exists && most == 1:
		return nil, foreign, path
	case exists:
		how = foreign
	case len(longest) == 0:
		how = nowhere
	case most == 1:
		how = byBase
	case len(longest) == 1:
		how = alone
	}
	return longest, how, path
}

// sameFile looks for a path on this machine. If it exists it can be a file of
// the project under another spelling: through a link, or in other letters.
func (r *Resolver) sameFile(path string, among []*source) (_ *source, exists bool) {
	if !filepath.IsAbs(path) {
		return nil, false // relative to a folder that is not known
	}
	stat := r.Stat
	if stat == nil {
		stat = os.Stat
	}
	info, err := stat(path)
	if err != nil {
		return nil, false
	}
	for _, s := range among {
		if other, err := stat(s.path); err == nil && os.SameFile(info, other) {
			return s, true
		}
	}
	return nil, true
}

// why says why a location led to no definition.
func why(symbol string, at Location, sources []*source, how route, path string) string {
	switch {
	case how == direct:
		return fmt.Sprintf("nothing at %s:%d is known to define %s; if the file was edited since, compile it again", sources[0].path, at.Line, symbol)
	case len(sources) == 1:
		return fmt.Sprintf("%s does not exist here, and %s, which ends like it, does not define %s; map its folder in path-map", path, sources[0].path, symbol)
	case len(sources) > 1:
		return fmt.Sprintf("%s does not exist here, and none of the %d files that end like it defines %s; map its folder in path-map", path, len(sources), symbol)
	default:
		return fmt.Sprintf("%s does not exist here and no file of the project ends like it; map its folder in path-map", path)
	}
}

// settle says how to decide between candidates.
func settle(sources []*source) string {
	if len(sources) > 1 {
		return "map its folder in path-map"
	}
	return "compile it again"
}

// listed names candidates as file:line, a few of them.
func listed(list []Candidate) string {
	const most = 4
	var b strings.Builder
	for i, c := range list {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(list)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s:%d", c.Path, c.Definition.Ident.Start.Line+1)
	}
	return b.String()
}
