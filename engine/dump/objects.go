package dump

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"isadiff/engine/codeobject"
	"isadiff/engine/gfx"
	"isadiff/engine/problem"
	"isadiff/engine/producer"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// ReadObject reads a file that holds code objects as a side of its own: keys begin
// with what is in the file, so that two files pair whatever they are called. It
// returns nil if the file holds none; binary tells whether it is of a kind that could.
func ReadObject(ctx context.Context, name string) (side *resource.Side, binary bool) {
	r := reader{large: new(sync.Mutex)}
	f := &Folder{}
	binary = r.object(ctx, name, objectFile{source: name, expected: true}, f)
	if f.objects == 0 && len(f.Problems) == 0 {
		return nil, binary
	}
	return Assemble(name, []*Folder{f}), binary
}

// An objectFile is a file that may hold code objects.
type objectFile struct {
	source   string               // as problems and records name it
	dir      string               // what keys of its kernels begin with
	told     producer.Description // what is known of it from beside it
	expected bool                 // its name is one of code objects, so that it not being readable matters
}

// readObjects reads the files of a folder that may hold code objects.
func (r *reader) readObjects(ctx context.Context, root, full string, f *Folder, entries []fs.DirEntry, opt Options) {
	for _, e := range entries {
		name := e.Name()
		if _, role := opt.Producers.Role(name); role != producer.None || !codeobject.MayName(name) || !isObjectFile(root, full, e) {
			continue
		}
		file := objectFile{
			source:   resource.ValidText(path.Join(f.Dir, name)),
			dir:      path.Join(f.Dir, unversioned(name)),
			expected: objectName.MatchString(name),
		}
		for _, p := range opt.Producers.Rows() {
			if stem, ok := strings.CutSuffix(name, strings.TrimPrefix(p.Objects, "*")); ok && p.Objects != "" && p.Describe != nil {
				told := p.Describe(producer.DumpFile{Dir: f.Dir, File: stem + strings.TrimPrefix(p.Assembly, "*"), Read: func(name string) ([]byte, error) {
					return readBeside(filepath.Join(full, name))
				}})
				if told.LDSFrom != "" { // else it is not of that compiler
					file.told, file.dir = told, told.Dir
				}
			}
		}
		r.object(ctx, filepath.Join(full, name), file, f)
	}
}

// objectName matches the names that files with code objects usually have.
var objectName = regexp.MustCompile(`(?i)\.(hsaco|co|hipfb|whl|zip|so(\.[0-9.]+)?)$`)

// isObjectFile reports whether an entry of a directory is a regular file to look at.
// A link to a file of the same tree is not, as libraries have several names: the file
// itself is read.
func isObjectFile(root, full string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type().IsRegular()
	}
	to, err := filepath.EvalSymlinks(filepath.Join(full, e.Name()))
	if err != nil {
		return codeobject.Promises(e.Name()) // it cannot be read, which is said
	}
	if info, err := os.Stat(to); err != nil || !info.Mode().IsRegular() {
		return false
	}
	if !codeobject.MayName(filepath.Base(to)) {
		return true // by its own name it is passed over
	}
	root, err = filepath.EvalSymlinks(root)
	if err != nil {
		return true
	}
	inside, err := filepath.Rel(root, to)
	return err != nil || inside == ".." || strings.HasPrefix(inside, ".."+string(filepath.Separator))
}

// soVersion is what follows the name of a shared library: libfoo.so.6.3.
// wheelName is that of a wheel: torch-2.9.1+rocm6.4-cp312-cp312-linux_x86_64.whl.
var (
	soVersion = regexp.MustCompile(`(\.so)(\.[0-9]+)+$`)
	wheelName = regexp.MustCompile(`^([^-]+)-[^/]*\.whl$`)
)

// unversioned returns a file's name without its version, so that the kernels of two
// versions pair.
func unversioned(name string) string {
	return wheelName.ReplaceAllString(soVersion.ReplaceAllString(name, "$1"), "$1.whl")
}

// object reads one file into f, if it holds code objects. It reports whether it is of
// a kind that can.
func (r *reader) object(ctx context.Context, name string, file objectFile, f *Folder) bool {
	unreadable := func(err error) {
		p := readProblem(file.source, err)
		if file.expected || ctx.Err() != nil {
			f.Problems = append(f.Problems, p)
		} else {
			f.Warnings = append(f.Warnings, p.Message+", so it is not known whether it holds code objects")
		}
	}
	in, info, err := regular.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("it is gone, or a link to what is not there")
	}
	if err != nil {
		unreadable(err)
		return false
	}
	defer in.Close()
	none := func() {
		if codeobject.Promises(name) {
			f.Problems = append(f.Problems, problem.New(problem.ObjectMalformed, "%s: %s", file.source, codeobject.Broken(info.Size())).In(file.source))
		}
	}
	header := make([]byte, codeobject.HeaderSize)
	if n, _ := in.ReadAt(header, 0); !codeobject.May(header[:n]) || codeobject.IsZip(header[:n]) && !file.expected {
		none()
		return false
	}
	if info.Size() > largeSize { // its notes may be large as well
		r.large.Lock()
		defer r.large.Unlock()
	}
	s := objects{file: file, records: map[string]int{}}
	found := codeobject.Read(ctx, in, info.Size(), s.add)
	after, err := in.Stat()
	switch {
	case err == nil && regular.StampOf(after) != regular.StampOf(info):
		err = errUnstable
	case err == nil:
		err = ctx.Err()
	}
	if err != nil {
		unreadable(err)
		return true
	}
	if !found.Device {
		none()
		return true
	}
	f.objects++
	for _, p := range found.Problems {
		p.Message = file.source + ": " + p.Message
		f.Problems = append(f.Problems, p.In(file.source))
	}
	for _, w := range found.Warnings {
		f.Warnings = append(f.Warnings, file.source+": "+w)
	}
	f.Objects = append(f.Objects, s.list...)
	f.Problems = append(f.Problems, s.problems...)
	return true
}

// objects gathers the records of the kernels of one file.
type objects struct {
	file     objectFile
	list     []*resource.Record
	records  map[string]int // by key, where in list
	problems []problem.Problem
}

func (s *objects) add(o codeobject.Object) {
	dir, source := s.file.dir, s.file.source
	if o.Path != "" {
		dir, source = path.Join(dir, path.Dir(o.Path), unversioned(path.Base(o.Path))), source+"/"+resource.ValidText(o.Path)
	}
	if o.Bundled {
		dir = path.Join(dir, cmp.Or(targetName(o.File.Identity), "unknown"))
	}
	records, problems := resource.FromFileWith(o.File, dir, source, resource.Launched{LDS: s.file.told.LDS, LDSFrom: s.file.told.LDSFrom})
	s.problems = append(s.problems, problems...)
	for _, r := range records {
		if s.file.told.Compiler != "" {
			r.Compilers = []string{resource.ValidText(s.file.told.Compiler)}
		}
		n, again := s.records[r.Key]
		if !again {
			s.records[r.Key] = len(s.list)
			s.list = append(s.list, r)
			continue
		}
		// Sources that were compiled one by one may hold a template's kernel each.
		first := s.list[n]
		if what := disagreement(first, r); what != "" || len(r.Problems) > len(first.Problems) {
			first.Problems = append(first.Problems, problem.New(problem.KernelDuplicate, "%s: %s: the file holds it more than once, with different figures%s; the first is shown",
				source, r.Name, what).In(source).Of(r.Key).Mended("leave it out with --kernels, or compare the code objects one by one"))
		}
	}
}

// targetName names a target in a key: "gfx90a:xnack+".
func targetName(t gfx.Target) string {
	return strings.Join(append([]string{t.Processor}, t.Features...), ":")
}

// disagreement says in which figures two records of one kernel differ that both have
// them; "" if in none.
func disagreement(a, b *resource.Record) string {
	var parts []string
	for m := range a.Cells {
		if x, y := a.Cells[m], b.Cells[m]; x.State == resource.Known && y.State == resource.Known && x.Value != y.Value {
			parts = append(parts, fmt.Sprintf("%s %d and %d", resource.Metric(m), x.Value, y.Value))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// hold returns the records of a tree's kernels: those of its assembly, held against
// its code objects, and of the kernels whose assembly is not there, those of the code
// objects. assembly is changed.
func hold(folders []*Folder, assembly []*resource.Record) []*resource.Record {
	var at map[string][]int // by the kernel's name, where in assembly
	var alone []*resource.Record
	for _, f := range folders {
		for _, o := range f.Objects {
			if at == nil {
				at = make(map[string][]int, len(assembly))
				for i, r := range assembly {
					at[r.Name] = append(at[r.Name], i)
				}
			}
			i, what := counterpart(assembly, at[o.Name], o)
			if i < 0 {
				alone = append(alone, o)
				continue
			}
			r := assembly[i]
			problems := o.Problems
			if what != "" {
				problems = append(slices.Clip(problems), problem.New(problem.CountsContradict, "%s: %s: the assembly %s and this code object disagree%s",
					o.Source, o.Name, r.Source, what).In(o.Source).Of(r.Key).Mended("compile again into a fresh directory, so that both are of one compile"))
			}
			if len(problems) > 0 {
				doubted := *r
				doubted.Problems = append(slices.Clip(r.Problems), problems...)
				assembly[i] = &doubted
			}
		}
	}
	return append(assembly, alone...)
}

// counterpart returns which of the candidates, by their places in assembly, is the
// assembly of a code object's kernel, and in what the two disagree; -1 if none is.
// Candidates beside the object come first, and one that agrees before the others.
func counterpart(assembly []*resource.Record, candidates []int, o *resource.Record) (best int, what string) {
	best = -1
	for _, beside := range []bool{true, false} {
		for _, i := range candidates {
			r := assembly[i]
			if !gfx.Same(r.Target, o.Target) || beside != (path.Dir(r.Source) == path.Dir(o.Source)) {
				continue
			}
			differs := disagreement(r, o)
			if differs == "" {
				return i, ""
			}
			if best < 0 {
				best, what = i, differs
			}
		}
		if best >= 0 {
			return best, what
		}
	}
	return -1, ""
}
