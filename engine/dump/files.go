package dump

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"isadiff/engine/isa"
	"isadiff/engine/locate"
	"isadiff/engine/problem"
	"isadiff/engine/producer"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// files reads the assembly files that are compiles of their own.
func (r *reader) files(ctx context.Context, full string, f *Folder, opt Options) {
	for i := range f.Files {
		if err := ctx.Err(); err != nil {
			f.Problems = append(f.Problems, readProblem(resource.ValidText(cmp.Or(f.Dir, full)), err))
			return
		}
		r.compile(ctx, full, f, &f.Files[i], opt)
	}
}

// abandoned is how long after its assembly a compile may write what it writes
// last.
const abandoned = 10 * time.Second

// compile reads one of them.
func (r *reader) compile(ctx context.Context, full string, f *Folder, file *File, opt Options) {
	source := resource.ValidText(path.Join(f.Dir, file.Name))
	told := producer.Description{Dir: f.Dir}
	if describe := file.Producer.Describe; describe != nil {
		told = describe(producer.DumpFile{Dir: f.Dir, File: file.Name, Read: func(name string) ([]byte, error) {
			return readBeside(filepath.Join(full, name))
		}})
	}
	data, stamp, err := r.file(ctx, filepath.Join(full, file.Name), opt)
	if err != nil {
		f.Problems = append(f.Problems, readProblem(source, err))
		return
	}
	defer r.release()
	file.ModTime, file.Size, file.timeless = stamp.ModTime, stamp.Size, opt.IgnoreTimes
	if told.Missing != "" && time.Since(stamp.ModTime) > abandoned {
		f.Warnings = append(f.Warnings, fmt.Sprintf("%s was passed over: its compile did not end, as there is no %s beside it", source, resource.ValidText(told.Missing)))
		return
	}
	if told.Missing != "" {
		file.Missing = told.Missing
		f.Problems = append(f.Problems, problem.New(problem.InputUnstable, "%s: the compile has not ended: there is no %s beside it", source, resource.ValidText(told.Missing)).In(source))
		return
	}
	if told.Fault != "" {
		beside := resource.ValidText(path.Join(f.Dir, told.Source))
		f.Problems = append(f.Problems, problem.New(problem.InputUnreadable, "%s cannot be read: %s", beside, told.Fault).In(source))
	}
	parsed := r.parser.Parse(data)
	records, problems := resource.FromFileWith(parsed, told.Dir, source, resource.Launched{LDS: told.LDS, LDSFrom: told.LDSFrom})
	compilers, module := madeBy(file.Producer, told, parsed), ""
	if opt.Digest && told.Module != "" {
		if text, err := readBeside(filepath.Join(full, told.Module)); err == nil {
			module = r.origins.Parse(text).Digest
		}
	}
	text := uint64(0)
	if opt.Digest {
		text = maphash.Bytes(seed, data)
		spillsNear(records, data)
	}
	for i, k := range parsed.Kernels {
		records[i].Compilers, records[i].Origin.Sources = compilers, parsed.Sources
		if opt.Digest {
			records[i].Digest, records[i].Text, records[i].Origin.Digest = k.Body.Digest(data), text, module
		}
		if at := locate.InAssembly(data, k.Body.Start, k.Body.Stop); at.Path != "" {
			records[i].Origin.Path, records[i].Origin.Line = at.Path, at.Line
		}
	}
	if file.Producer.Supersedes {
		file.Sources = locate.Files(data)
	}
	f.Records = append(f.Records, records...)
	f.Problems = append(f.Problems, problems...)
	if len(records) == 0 && len(problems) == 0 {
		f.Warnings = append(f.Warnings, fmt.Sprintf("%s holds no kernels", source))
	}
}

// madeBy returns which compiler made an assembly file that is a compile of its own.
func madeBy(p *producer.Producer, told producer.Description, parsed *isa.File) []string {
	switch {
	case told.Compiler != "":
		return []string{resource.ValidText(told.Compiler)}
	case p.Names:
		return parsed.Compilers
	}
	return nil
}

// maxBeside bounds what is read of a file beside the assembly.
const maxBeside = 16 << 20

// readBeside reads a file that says more of the assembly beside it.
func readBeside(name string) ([]byte, error) { return regular.ReadUpTo(name, maxBeside) }

// A contest decides between several compiles that make one key. Where the newest
// takes the place of the others, it says so once for each key.
type contest struct {
	folders []*Folder
	files   map[string]*File // by source; made when it is asked for first
	losers  map[string]int   // by key: how many compiles another took the place of
}

// newer reports whether the newer of two records of one key takes the place of
// the other, and whether that is the second.
func (c *contest) newer(a, b *resource.Record) (second, decided bool) {
	if c.files == nil {
		c.files, c.losers = map[string]*File{}, map[string]int{}
		for _, f := range c.folders {
			for i := range f.Files {
				c.files[resource.ValidText(path.Join(f.Dir, f.Files[i].Name))] = &f.Files[i]
			}
		}
	}
	x, y := c.files[a.Source], c.files[b.Source]
	if x == nil || y == nil || x == y || !x.Producer.Supersedes || !y.Producer.Supersedes || x.timeless || x.bothCurrent(y) {
		return false, false
	}
	c.losers[a.Key]++
	return y.ModTime.After(x.ModTime), true
}

// bothCurrent reports whether two compiles are both newer than all of their
// sources: then neither took the place of the other.
func (f *File) bothCurrent(other *File) bool {
	changed, found := lastChange(slices.Concat(f.Sources, other.Sources))
	return found && f.ModTime.After(changed) && other.ModTime.After(changed)
}

// lastChange returns when the last of those sources changed that exist here.
func lastChange(sources []string) (changed time.Time, found bool) {
	for _, source := range sources {
		if !filepath.IsAbs(source) {
			continue
		}
		if info, err := os.Stat(source); err == nil {
			found = true
			if info.ModTime().After(changed) {
				changed = info.ModTime()
			}
		}
	}
	return changed, found
}

// say says which compiles count of those that made one key. If the newest is older
// than its sources, a compile may have been served from one of the others, which
// writes nothing: then it is not known which is in use.
func (c *contest) say(s *resource.Side, kept []*resource.Record) {
	s.Warnings = slices.Clip(s.Warnings)
	for _, r := range kept {
		n := c.losers[r.Key]
		if n == 0 {
			continue
		}
		s.Warnings = append(s.Warnings, fmt.Sprintf("%s: %d compiles make this key, and the newest counts: %s", r.Key, n+1, r.Source))
		f := c.files[r.Source]
		if changed, found := lastChange(f.Sources); found && !f.ModTime.After(changed) {
			s.Problems = append(s.Problems, problem.New(problem.DumpStale, "%s is the newest of %d compiles that make this key, and older than its source: which of them is in use is not known", r.Source, n+1).In(r.Source).Of(r.Key))
		}
	}
}
