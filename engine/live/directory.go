package live

import (
	"path"
	"reflect"
	"slices"
	"time"

	"isadiff/engine/dump"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// A directory is what a session knows of one dump directory. It is immutable once it
// stands in its tree, but for notes that change nothing of what it shows.
type directory struct {
	*dump.Folder // what counts of it now: what was read and what there is to doubt; empty if it is not shown
	phase
	read     *dump.Folder // as it was read last, also after it was removed: what comes then replaces it; nil if it never was
	told     times        // what settled since the compile began that is under way
	expected bool         // its 00_origin.mlir was written in this session and its assembly was not since

	future, found time.Time // a time of a file that another clock set, and when that was found

	tree      *tree
	alone     bool                 // Origin is that of an earlier compile
	variants  variants             // what other contents took the place of
	current   map[string][]Variant // those of them that were compiled from the same sources as what is there, by key
	unread    []unread             // contents that others overwrote before they were read
	displaced []string             // what there is to say of kernels that only such contents held
}

// plain reports whether the figures are those that were read.
func (d *directory) plain() bool { return d.phase == standing && d.Folder == d.read }

// absolute returns the absolute path of a file in the directory; "" for none.
func (d *directory) absolute(name string) string {
	if name == "" {
		return ""
	}
	return d.tree.path(d.Dir, name)
}

// leftover returns the absolute path of the stage file that hides a newer one; "" if
// there is none.
func (d *directory) leftover() string { return d.absolute(d.Leftover) }

// file returns the assembly file that a record of the directory was read from.
func (d *directory) file(r *resource.Record) dump.Stage {
	s, _ := d.counting(path.Base(r.Source))
	return s
}

// counting returns the assembly file of that name, as sources spell it, if it is
// one that counts.
func (d *directory) counting(name string) (dump.Stage, bool) {
	for _, s := range d.read.Counting() {
		if resource.ValidText(s.Name) == name {
			return s, true
		}
	}
	return dump.Stage{}, false
}

// has reports whether an assembly file was read as it was at a time.
func (d *directory) has(file dump.Stage) bool {
	is := func(s dump.Stage) bool { return s.Name == file.Name && s.ModTime.Equal(file.ModTime) }
	return slices.ContainsFunc(d.read.Stages, is) || slices.ContainsFunc(d.read.Counting(), is)
}

// compiledAt returns when the compile that made a record's assembly began, as well
// as it is known: the source is read before the first file is written.
func (d *directory) compiledAt(r *resource.Record) time.Time {
	file := d.file(r)
	if since := d.tree.ran.before(d.Dir, file.ModTime, false); !since.IsZero() {
		return since // when Python read the sources is not known
	}
	if !d.alone && !d.read.Origin.IsZero() && d.read.Origin.Before(file.ModTime) {
		return d.read.Origin
	}
	return file.ModTime
}

// readSources returns a moment before which a source was saved that the compile of a
// record read as it stands: that of compiledAt, or an earlier one, so that what nobody
// watched changes nothing.
func (d *directory) readSources(r *resource.Record) time.Time {
	at := d.compiledAt(r)
	if origin := d.read.Origin; !origin.IsZero() && origin.Before(at) {
		return origin
	}
	return at
}

// compiledAlone reports whether the assembly was replaced and the first file beside
// it was not: that is of a compile before.
func (d *directory) compiledAlone(old *directory) bool {
	if old.read == nil || !d.read.Origin.Equal(old.read.Origin) {
		return false
	}
	now, ok := d.read.Used()
	was, _ := old.read.Used()
	if ok && now == was {
		return old.alone
	}
	return ok && now.ModTime.After(was.ModTime) && !d.read.Origin.After(was.ModTime) && !revealed(old.read, d.read)
}

// figures returns what counts of a directory by its phase.
func (d *directory) figures() *dump.Folder {
	switch d.phase {
	case standing:
		return d.read
	case compiling:
		return d.ofBefore("%s is of the last compile, and another one is under way")
	case failed:
		if _, ok := d.read.Used(); !ok || d.tree.cfg.IgnoreTimes {
			return d.ofBefore("")
		}
		return d.ofBefore("%s is older than the " + d.read.First + " beside it: the last compile left no assembly")
	default:
		return &dump.Folder{Dir: d.Dir}
	}
}

// ofBefore is what was read of a directory where the figures are those of an earlier
// compile: the module of the first file is not theirs, and nothing rests on them if there
// is a reason.
func (d *directory) ofBefore(why string) *dump.Folder {
	next := *d.read
	next.Records = make([]*resource.Record, len(next.Records))
	for i, r := range d.read.Records {
		record := *r
		record.Origin.Digest = ""
		next.Records[i] = &record
	}
	if why == "" || slices.Contains(problem.Codes(next.Problems), problem.DumpStale) {
		return &next
	}
	source := next.Dir
	if used, ok := next.Used(); ok {
		source = join(next.Dir, used.Name)
	}
	source = resource.ValidText(source)
	next.Problems = append(slices.Clip(next.Problems), problem.New(problem.DumpStale, why, source).In(source))
	return &next
}

// keep takes the records that the directory showed before and that say the same, so
// that what did not change is seen by its pointer.
func (d *directory) keep(old *directory) {
	for i, r := range d.Records {
		for _, o := range old.Records {
			if o.Key == r.Key && reflect.DeepEqual(o, r) {
				d.Records[i] = o
			}
		}
	}
}
