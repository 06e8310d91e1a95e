package live

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"isadiff/engine/dump"
	"isadiff/engine/isa"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// A Variant is one of several contents of a kernel that one place in the dumps held
// one after the other while no source of the project changed: specializations that
// overwrite each other, or the same one after something outside of the sources
// changed. Which of them the baseline is to be compared with is not known.
type Variant struct {
	Cells   resource.Cells
	Unknown int // so many contents were too large to be held, and Cells mean nothing; 0 for one that is known

	compiled time.Time // when its compile began
	written  time.Time // when that wrote its assembly
	digest   string
}

// same reports whether a record is this variant.
func (v Variant) same(r *resource.Record) bool {
	return v.Unknown == 0 && v.digest == r.Digest && v.Cells == r.Cells
}

// variants are the contents of a dump directory that others took the place of, by
// the key of the kernel, the oldest first.
type variants map[string][]Variant

// maxVariants bounds what is kept of one kernel.
const maxVariants = 64

// with returns variants with one more, which takes the place of an equal older one.
func (vs variants) with(key string, v Variant) variants {
	next := maps.Clone(vs)
	if next == nil {
		next = variants{}
	}
	list := slices.DeleteFunc(slices.Clone(vs[key]), func(old Variant) bool {
		return v.Unknown == 0 && old.Unknown == 0 && old.digest == v.digest && old.Cells == v.Cells
	})
	if list = append(list, v); len(list) > maxVariants {
		list = list[1:]
	}
	next[key] = list
	return next
}

// sameSources returns the variants of a record that were compiled from the same sources
// as it was, and not before a run of isadiff, which tells specializations apart itself.
func (t *tree) sameSources(f *folder, r *resource.Record) (list []Variant) {
	compiled := f.compiledAt(r)
	ran := t.ran.before(f.Dir, f.file(r).ModTime)
	for _, v := range f.variants[r.Key] {
		if v.written.After(ran) && t.edits.same(v.compiled, compiled) && !v.same(r) {
			list = append(list, v)
		}
	}
	return list
}

// replaced adds to a folder's variants what it took the place of.
func (f *folder) replaced(old *folder) {
	if old == nil {
		return
	}
	f.variants = old.variants
	if old.read == nil || old.read == f.read || revealed(old.read, f.read) {
		return
	}
	for _, r := range f.read.Records {
		i := slices.IndexFunc(old.read.Records, func(was *resource.Record) bool { return was.Key == r.Key && !damaged(was) })
		if i < 0 {
			continue
		}
		was := old.read.Records[i]
		if hides(f, old) {
			continue // a leftover that was put beside it
		}
		if v := (Variant{Cells: was.Cells, compiled: old.compiledAt(was), written: old.file(was).ModTime, digest: was.Digest}); !v.same(r) {
			f.variants = f.variants.with(r.Key, v)
		}
	}
}

// revealed reports whether the stage file that counts now was there before: what hid
// it is gone, and nothing was compiled.
func revealed(was, now *dump.Folder) bool {
	used, ok := now.Used()
	before, _ := was.Used()
	return ok && used.Name != before.Name && slices.ContainsFunc(was.Stages, func(s dump.Stage) bool {
		return s.Name == used.Name && s.ModTime.Equal(used.ModTime)
	})
}

// hides reports whether the stage file that counts now is another one than before, and
// older: a leftover, which no compile has just written.
func hides(now, was *folder) bool {
	used, ok := now.read.Used()
	before, _ := was.read.Used()
	return ok && used.Name != before.Name && used.ModTime.Before(before.ModTime)
}

// damaged reports whether a record is of a file that was cut or is not whole: no
// compile that ended left it.
func damaged(r *resource.Record) bool {
	return slices.ContainsFunc(r.Problems, func(p problem.Problem) bool {
		group := problem.Lookup(p.Code).Group
		return group == problem.Lookup(problem.MetadataCut).Group || p.Code == problem.NotUTF8
	})
}

// distrust gives the records of a folder that have variants a problem that says so, and
// forgets the variants of other sources.
func (t *tree) distrust(f *folder) {
	if t.edits == nil || len(f.variants) == 0 {
		return
	}
	f.current = map[string][]Variant{}
	records := slices.Clone(f.Records)
	for i, r := range records {
		list := t.sameSources(f, r)
		if len(list) == 0 {
			continue
		}
		f.current[r.Key] = list
		doubted := *r
		doubted.Problems = append(slices.Clip(r.Problems), overwritten(r, list))
		records[i] = &doubted
	}
	f.variants = f.current
	if len(f.current) > 0 {
		t.varied[f.Dir] = true
		next := *f.Folder
		next.Records = records
		f.Folder = &next
	}
}

// overwritten is the problem of a kernel whose place in the dumps held others.
func overwritten(r *resource.Record, seen []Variant) problem.Problem {
	var figures []string
	unknown, alike := 0, 0
	for _, v := range seen {
		switch {
		case v.Unknown > 0:
			unknown += v.Unknown
		case v.Cells == r.Cells:
			alike++
		default:
			figures = append(figures, differing(v.Cells, r.Cells))
		}
	}
	known := len(seen) + 1
	for _, v := range seen {
		if v.Unknown > 0 {
			known--
		}
	}
	text := fmt.Sprintf("%s: %d compiles of the same sources wrote different instructions into one place, and only the last is left", r.Key, known)
	if known == 1 {
		text = fmt.Sprintf("%s: several compiles of the same sources wrote into one place, and only the last is left", r.Key)
	}
	if len(figures) > 0 {
		text += fmt.Sprintf(": %s, now %s", strings.Join(figures, ", then "), differing(r.Cells, lastKnown(seen, r)))
	}
	if alike > 0 {
		text += fmt.Sprintf("; %d had the same figures", alike)
	}
	if unknown > 0 {
		text += fmt.Sprintf("; of %s more the text was too large to be held, so whether it differs is not known", problem.Count(unknown, "compile"))
	}
	return problem.New(problem.Overwritten, "%s", text).In(r.Source).Of(r.Key)
}

// lastKnown returns the figures of the last variant that differ from those of a
// record.
func lastKnown(seen []Variant, r *resource.Record) resource.Cells {
	for _, v := range slices.Backward(seen) {
		if v.Unknown == 0 && v.Cells != r.Cells {
			return v.Cells
		}
	}
	return r.Cells
}

// retell judges the directories with variants anew: a source changed, or the newest
// counts.
func (t *tree) retell() {
	for dir := range t.varied {
		f := t.folders[dir]
		if f == nil || len(f.variants) == 0 {
			delete(t.varied, dir)
			continue
		}
		if f.read == nil || f.compiling {
			continue // it is judged when the compile has ended
		}
		t.exchange(f, t.make(f.read, f))
	}
}

// exchange puts a folder into the place of another one.
func (t *tree) exchange(old, f *folder) {
	f.generation(old)
	t.set(f.Dir, f)
	t.place(f)
	t.changed()
}

// newestCounts forgets the variants of a kernel, of all for "". It reports whether
// there were any.
func (t *tree) newestCounts(key string) (any bool) {
	maps.DeleteFunc(t.removed, func(_ string, f *folder) bool {
		return key == "" || slices.ContainsFunc(f.read.Records, func(r *resource.Record) bool { return r.Key == key })
	})
	for dir := range t.varied {
		f := t.folders[dir]
		if f == nil {
			continue
		}
		next := *f
		next.variants = maps.Clone(f.variants)
		maps.DeleteFunc(next.variants, func(k string, _ []Variant) bool { return key == "" || k == key })
		if len(next.variants) == len(f.variants) {
			continue
		}
		any = true
		if f.read == nil || f.compiling {
			t.set(dir, &next) // it is judged when the compile has ended
			t.place(&next)
		} else {
			t.exchange(f, t.make(f.read, &next))
		}
	}
	return any
}

// An unread is a content of an assembly file that another one overwrote before it was
// read.
type unread struct {
	name string // of the file
	last bool   // it was the last one that settled, so perhaps nothing overwrote it
	Generation
}

// generations notes what the Change says was overwritten: within its batch, or perhaps
// by what stands there by now.
func (t *tree) generations(c Change) {
	for _, file := range c.Settled {
		dir, name, ok := t.split(file.Path)
		if !ok || !t.cfg.Project.Producers.IsAssembly(name) || t.unread[dir] == nil && len(t.unread) >= maxGone {
			continue
		}
		list := t.unread[dir]
		for _, g := range file.Generations {
			list = append(list, unread{name, false, g})
		}
		if !t.stands(dir, name, file.ModTime) {
			list = append(list, unread{name, true, Generation{file.Content, file.ModTime}})
		}
		if len(list) > 0 {
			t.unread[dir] = list[max(0, len(list)-maxVariants):]
		}
	}
}

// stands reports whether a file was read as it was at a moment, or is so and will be
// read if it matters.
func (t *tree) stands(dir, name string, modTime time.Time) bool {
	f := t.folders[dir]
	is := func(s dump.Stage) bool { return s.Name == name && s.ModTime.Equal(modTime) }
	switch {
	case f != nil && f.read != nil && (slices.ContainsFunc(f.read.Stages, is) || slices.ContainsFunc(f.read.Counting(), is)):
		return true
	case f != nil && f.compiling:
		return false
	}
	info, err := os.Stat(t.path(dir, name))
	return err == nil && info.ModTime().Equal(modTime)
}

// overwrite adds the contents that were overwritten before they were read to the
// variants of the directories that were read since.
func (t *tree) overwrite() {
	for dir, list := range t.unread {
		f := t.folders[dir]
		if f == nil {
			for i := range list {
				list[i].Content = nil // if a file takes its place one day, that is no reason to hold it
			}
			continue
		}
		if f.read == nil || f.compiling {
			continue
		}
		var gone, later []unread
		for _, u := range list {
			switch now, counts := f.counting(resource.ValidText(u.name)); {
			case counts && now.ModTime.Before(u.ModTime): // what overwrote it is still to come
				later = append(later, u)
			case counts && !(u.last && now.ModTime.Equal(u.ModTime)):
				gone = append(gone, u)
			}
		}
		if t.unread[dir] = later; len(later) == 0 {
			delete(t.unread, dir)
		}
		if len(gone) == 0 {
			continue
		}
		next := *f
		displaced := next.overwrote(gone, t.cfg.Project.Kernels)
		if next.displaced = append(slices.Clip(f.displaced), displaced...); len(displaced) > 0 {
			t.displaced[dir] = true
		}
		t.exchange(f, t.make(f.read, &next))
		t.folders[dir].displaced = next.displaced
	}
}

// generation takes over what is known of overwritten kernels if what stands there now
// is still what they were overwritten with.
func (f *folder) generation(old *folder) {
	same := func(a, b dump.Stage) bool { return a.Name == b.Name && a.ModTime.Equal(b.ModTime) && a.Size == b.Size }
	if old != nil && slices.EqualFunc(f.Counting(), old.Counting(), same) {
		f.displaced = old.displaced
	}
}

// overwrote adds the contents that files had before to the variants of a folder. It
// returns a sentence about each kernel that counts and that its file does not hold any
// more.
func (f *folder) overwrote(list []unread, kernels *resource.Matcher) (displaced []string) {
	gone := map[string]resource.Cells{}
	for _, was := range list {
		source := path.Join(resource.ValidText(f.Dir), resource.ValidText(was.name))
		now := map[string]*resource.Record{}
		for _, r := range f.read.Records {
			if r.Source == source {
				now[r.Name] = r
			}
		}
		add := func(r *resource.Record, v Variant) {
			v.compiled, v.written = f.compiledAt(r), was.ModTime
			if was.ModTime.Before(v.compiled) { // as one that stood there when the session began
				v.compiled = was.ModTime
			}
			f.variants = f.variants.with(r.Key, v)
		}
		if was.Content == nil {
			for _, r := range now {
				add(r, Variant{Unknown: 1})
			}
			continue
		}
		parsed := isa.Parse(was.Content)
		records, problems := resource.FromFile(parsed, f.Dir, source)
		if len(problems) > 0 {
			continue // cut short: no compile that ended
		}
		for i, old := range records {
			switch r := now[old.Name]; {
			case r != nil:
				add(r, Variant{Cells: old.Cells, digest: parsed.Kernels[i].Body.Digest(was.Content)})
			case kernels == nil || kernels.Match(old):
				gone[old.Key] = old.Cells
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(gone)) {
		displaced = append(displaced, fmt.Sprintf(
			"%s: compiled and overwritten at once by another compile, which has no such kernel, so it is not compared (its figures: %s); give each compile a dump directory of its own",
			key, used(gone[key])))
	}
	return displaced
}

// displacements warns of kernels that one batch wrote and wrote over with others.
func (t *tree) displacements() (ws []string) {
	for _, dir := range slices.Sorted(maps.Keys(t.displaced)) {
		if f := t.folders[dir]; f != nil && len(f.displaced) > 0 {
			ws = append(ws, f.displaced...)
		} else {
			delete(t.displaced, dir)
		}
	}
	return ws
}

// otherSource warns of kernels that were compiled over one of their name from another
// source.
func otherSource(kernels []*Kernel) []string {
	var ws []string
	for _, k := range kernels {
		if w := k.OtherSource(); w != "" {
			ws = append(ws, k.Key+": "+w)
		}
	}
	return ws
}

// OtherSource is a sentence about a kernel that was compiled over one of its name from
// another source; "" for others. Their dump directory is shared, so what is compared
// are two kernels.
func (k *Kernel) OtherSource() string {
	if k.Live == nil || k.Instead == "" {
		return ""
	}
	return fmt.Sprintf("its baseline was compiled from %s, which has a kernel of the same name, so two kernels are compared; give each its own dump directory", k.Instead)
}

// used lists the triggers that are not 0: "vgpr 34, sgpr 30".
func used(cells resource.Cells) string {
	var figures []string
	for m, c := range cells {
		if resource.Metric(m).Trigger() && c != resource.Value(0) {
			figures = append(figures, fmt.Sprintf("%s %s", resource.Metric(m), c))
		}
	}
	return strings.Join(figures, ", ")
}

// differing lists the figures of a that are not those of b: "vgpr 26, sgpr 18".
func differing(a, b resource.Cells) string {
	var figures []string
	for m, c := range a {
		if c.State != b[m].State || c.Value != b[m].Value {
			figures = append(figures, fmt.Sprintf("%s %s", resource.Metric(m), c))
		}
	}
	return strings.Join(figures, ", ")
}
