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
	Unknown int // how many contents were too large to keep; Cells then mean nothing. 0 for a content that is known

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
func (t *tree) sameSources(d *directory, r *resource.Record) (list []Variant) {
	compiled := d.compiledAt(r)
	ran := t.ran.before(d.Dir, d.file(r).ModTime, true)
	for _, v := range d.variants[r.Key] {
		if v.written.After(ran) && t.edits.same(v.compiled, compiled) && !v.same(r) {
			list = append(list, v)
		}
	}
	return list
}

// judge finds out what has to be doubted of a directory that took the place of another
// one, from what only watching can tell.
func (t *tree) judge(d directory, old *directory) *directory {
	given := d
	d.current = nil
	if d.Folder = d.figures(); !d.shown() {
		d.displaced = nil
		return &d
	}
	if d.read != old.read {
		d.alone = d.compiledAlone(old)
		d.replaced(old)
	}
	same := func(a, b dump.Stage) bool { return a.Name == b.Name && a.ModTime.Equal(b.ModTime) && a.Size == b.Size }
	if !slices.EqualFunc(d.Counting(), old.Counting(), same) {
		d.displaced = nil // what they were overwritten with is overwritten
	}
	t.distrust(&d)
	if len(d.current) > 0 && len(old.current) == 0 && !t.looked {
		t.looked = true
		t.look() // a batch may name an edit only after the compile that it led to
		return t.judge(given, old)
	}
	d.keep(old)
	for _, r := range d.Records {
		t.seen[r.Key] = true
	}
	return &d
}

// judgeAgain judges a directory in which nothing was written.
func (t *tree) judgeAgain(d *directory) { t.put(t.judge(*d, d)) }

// replaced adds to the variants of a directory what it took the place of.
func (d *directory) replaced(old *directory) {
	if old.read == nil || revealed(old.read, d.read) || hides(d.read, old.read) {
		return // a leftover came or went
	}
	for _, r := range d.read.Records {
		i := slices.IndexFunc(old.read.Records, func(was *resource.Record) bool { return was.Key == r.Key && !damaged(was) })
		if i < 0 {
			continue
		}
		was := old.read.Records[i]
		if v := (Variant{Cells: was.Cells, compiled: old.compiledAt(was), written: old.file(was).ModTime, digest: was.Digest}); !v.same(r) {
			d.variants = d.variants.with(r.Key, v)
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
func hides(now, was *dump.Folder) bool {
	used, ok := now.Used()
	before, _ := was.Used()
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

// distrust gives the records of a directory that have variants a problem that says so,
// and forgets the variants of other sources.
func (t *tree) distrust(d *directory) {
	if t.edits == nil || len(d.variants) == 0 {
		return
	}
	d.current = map[string][]Variant{}
	records := slices.Clone(d.Records)
	for i, r := range records {
		list := t.sameSources(d, r)
		if len(list) == 0 {
			continue
		}
		d.current[r.Key] = list
		doubted := *r
		doubted.Problems = append(slices.Clip(r.Problems), overwritten(r, list))
		records[i] = &doubted
	}
	if d.variants = d.current; len(d.current) > 0 {
		next := *d.Folder
		next.Records = records
		d.Folder = &next
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

// retell judges the directories again of which the times of edits decide: those with
// variants, and compiles that take each other's place.
func (t *tree) retell() {
	for _, d := range slices.Clone(t.order) {
		if len(d.variants) > 0 {
			t.judgeAgain(d)
		}
		if slices.ContainsFunc(d.Files, func(f dump.File) bool { return f.Producer.Supersedes }) {
			t.changed()
		}
	}
}

// newestCounts forgets the variants of a kernel, of all for "". It reports whether
// there were any.
func (t *tree) newestCounts(key string) (any bool) {
	for dir, d := range maps.Clone(t.dirs) {
		switch next := *d; {
		case !d.shown():
			if d.read != nil && (key == "" || slices.ContainsFunc(d.read.Records, func(r *resource.Record) bool { return r.Key == key })) {
				next.read, next.variants = nil, nil
				t.dirs[dir] = &next
			}
		case key == "" && len(d.variants) > 0 || d.variants[key] != nil:
			any = true
			next.variants = maps.Clone(d.variants)
			maps.DeleteFunc(next.variants, func(k string, _ []Variant) bool { return key == "" || k == key })
			t.judgeAgain(&next)
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

// generations notes what the batch says was overwritten: within its batch, or perhaps
// by what stands there by now.
func (t *tree) generations(c Batch) {
	for _, file := range c.Settled {
		dir, name, ok := t.split(file.Path)
		if !ok || !t.cfg.Project.Producers.IsAssembly(name) {
			continue
		}
		d := t.at(dir)
		list := slices.Clip(d.unread)
		for _, g := range file.Generations {
			list = append(list, unread{name, false, g})
		}
		if !t.stands(&d, name, file.ModTime) {
			list = append(list, unread{name, true, Generation{file.Content, file.ModTime}})
		}
		if len(list) > len(d.unread) {
			d.unread = list[max(0, len(list)-maxVariants):]
			t.put(&d)
		}
	}
}

// stands reports whether a file was read as it was at a moment, or is so and will be
// read if it matters.
func (t *tree) stands(d *directory, name string, modTime time.Time) bool {
	switch {
	case d.shown() && d.has(dump.Stage{Name: name, ModTime: modTime}):
		return true
	case d.underWay():
		return false
	}
	info, err := os.Stat(t.path(d.Dir, name))
	return err == nil && info.ModTime().Equal(modTime)
}

// overwrite adds the contents that were overwritten before they were read to the
// variants of a directory, if it was read since.
func (t *tree) overwrite(d *directory) {
	if d.underWay() {
		return
	}
	next := *d
	next.unread = nil
	var gone []unread
	for _, u := range d.unread {
		if !d.shown() {
			u.Content = nil // if a file takes its place one day, that is no reason to hold it
			next.unread = append(next.unread, u)
			continue
		}
		switch now, counts := d.counting(resource.ValidText(u.name)); {
		case counts && now.ModTime.Before(u.ModTime): // what overwrote it is still to come
			next.unread = append(next.unread, u)
		case counts && !(u.last && now.ModTime.Equal(u.ModTime)):
			gone = append(gone, u)
		}
	}
	if len(gone) == 0 {
		d.unread = next.unread // it stands in its tree by now
		return
	}
	next.displaced = append(slices.Clip(d.displaced), next.overwrote(gone, t.cfg.Project.Kernels)...)
	t.judgeAgain(&next)
}

// overwrote adds the contents that files had before to the variants of a directory. It
// returns a sentence about each kernel that counts and that its file does not hold any
// more.
func (d *directory) overwrote(list []unread, kernels *resource.Matcher) (displaced []string) {
	gone := map[string]resource.Cells{}
	for _, was := range list {
		source := path.Join(resource.ValidText(d.Dir), resource.ValidText(was.name))
		now := map[string]*resource.Record{}
		for _, r := range d.read.Records {
			if r.Source == source {
				now[r.Name] = r
			}
		}
		add := func(r *resource.Record, v Variant) {
			v.compiled, v.written = d.compiledAt(r), was.ModTime
			if was.ModTime.Before(v.compiled) { // as one that stood there when the session began
				v.compiled = was.ModTime
			}
			d.variants = d.variants.with(r.Key, v)
		}
		if was.Content == nil {
			for _, r := range now {
				add(r, Variant{Unknown: 1})
			}
			continue
		}
		parsed := isa.Parse(was.Content)
		records, problems := resource.FromFile(parsed, d.Dir, source)
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
	return figures(cells, func(m resource.Metric, c resource.Cell) bool { return m.Trigger() && c != resource.Value(0) })
}

// differing lists the figures of a that are not those of b: "vgpr 26, sgpr 18".
func differing(a, b resource.Cells) string {
	return figures(a, func(m resource.Metric, c resource.Cell) bool { return c.State != b[m].State || c.Value != b[m].Value })
}

func figures(cells resource.Cells, wanted func(resource.Metric, resource.Cell) bool) string {
	var list []string
	for m, c := range cells {
		if m := resource.Metric(m); wanted(m, c) {
			list = append(list, fmt.Sprintf("%s %s", m, c))
		}
	}
	return strings.Join(list, ", ")
}
