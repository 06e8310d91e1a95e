package dump

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"isadiff/engine/locate"
	"isadiff/engine/problem"
	"isadiff/engine/producer"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// A Folder is one directory of a dump tree with assembly or traces of a compile.
// It is immutable.
type Folder struct {
	Dir      string             // relative to the root, in slashes; "" for the root itself
	Stages   []Stage            // stage files of one compile; the last one counts
	Files    []File             // assembly files that are separate compiles, sorted by name
	Origin   time.Time          // modification time of the compile's first file; zero if there is none
	Leftover string             // name of the stage file that counts although a lower one is newer; "" if none
	Records  []*resource.Record // in the order of the file
	Problems []problem.Problem  // of the file as a whole
	Warnings []string
	Module   *locate.Module     // what the compile's first file says, if Options.Digest asked for it; nil if there is none
	First    string             // name of the compile's first file, "" if there is none
	Objects  []*resource.Record // of the kernels of code objects, if Options.Objects asked for them
	Unnamed  string             // name pattern of assembly that no known compiler writes and that is not read; "" if there is none, or other assembly
	Passed   string             // a file without assembly that may hold code objects, where Options.Objects did not ask for them; "" if there is none

	staged      *producer.Producer // of Stages
	objects     int                // files that hold device code
	named       []string           // compilers that the stage file that counts names
	fingerprint fingerprint        // of what a simple folder was made from; 0 for others
}

// A Stage is one stage file.
type Stage struct {
	Name    string
	ModTime time.Time
	Size    int64
}

// A File is an assembly file that is a separate compile.
type File struct {
	Stage
	Producer *producer.Producer
	Sources  []string // of its debug locations, as the compiler named them
	Missing  string   // a file that the compile writes last and that is not there yet; "" if all is

	timeless bool // its modification time means nothing
}

// Options say how a tree is read.
type Options struct {
	Producers   *producer.Table // whose dumps count; nil for those that are known
	IgnoreTimes bool            // modification times mean nothing (a copied tree): stale files are warnings
	Digest      bool            // fill in resource.Record.Digest, Text and Origin: for a baseline, and for a live session
	Objects     bool            // look for code objects as well
	Settled     bool            // the files are known to be at rest: do not check twice
	Workers     int             // how many directories of a tree are read at a time; 0: as many as there are processors
	// Known returns the result of the last reading of a directory, nil if there is
	// none. It is returned again if the files have not changed.
	Known func(dir string) *Folder
	// Held returns the content that a file had under a stamp, nil if that is not known;
	// the file is not read while it has that stamp.
	Held func(path string) ([]byte, regular.Stamp)
}

// Used returns the stage file that counts; ok is false if there is none.
func (f *Folder) Used() (s Stage, ok bool) {
	if len(f.Stages) == 0 {
		return Stage{}, false
	}
	return f.Stages[len(f.Stages)-1], true
}

// Counting returns the assembly files that count.
func (f *Folder) Counting() []Stage {
	if len(f.Files) == 0 {
		return f.Stages[max(len(f.Stages)-1, 0):]
	}
	var counting []Stage
	if s, ok := f.Used(); ok {
		counting = append(counting, s)
	}
	for _, file := range f.Files {
		counting = append(counting, file.Stage)
	}
	return counting
}

// Missing returns the file that a compile of the directory has yet to write; ""
// if all have ended.
func (f *Folder) Missing() string {
	for _, file := range f.Files {
		if file.Missing != "" {
			return file.Missing
		}
	}
	return ""
}

// ReadFolder reads one directory of the tree at root. dir is relative to it, in
// slashes. It returns nil if the directory has no files of a compile.
func ReadFolder(ctx context.Context, root, dir string, opt Options) *Folder {
	r := reader{large: new(sync.Mutex)}
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return unreadableFolder(root, dir, err)
	}
	return r.folder(ctx, root, dir, entries, manifestAbove(filepath.Join(root, filepath.FromSlash(dir))), opt)
}

// unreadableFolder is a directory of the tree at root that cannot be listed: named
// by its place in the tree, and the whole tree by its own name.
func unreadableFolder(root, dir string, err error) *Folder {
	return &Folder{Dir: dir, Problems: []problem.Problem{unreadable(cmp.Or(dir, root), err)}}
}

func unreadable(file string, err error) problem.Problem {
	return problem.Unreadable(resource.ValidText(file), err)
}

// folder reads what is listed in entries. made is the manifest of the capture that
// it is a part of, nil if it is of none.
func (r *reader) folder(ctx context.Context, root, dir string, entries []fs.DirEntry, made *Manifest, opt Options) *Folder {
	f := &Folder{Dir: dir}
	full := filepath.Join(root, filepath.FromSlash(dir))
	var marked, mayRun bool
	for _, e := range entries {
		name := e.Name()
		if e.Type().IsRegular() {
			marked, mayRun = marked || name == IncompleteName, mayRun || name == RunningName
		}
		switch p, role := opt.Producers.Role(name); {
		case role == producer.Origin:
			f.First = name
		case role != producer.Assembly || !f.regular(full, e):
		case p.Stages:
			f.staged = p
			f.Stages = append(f.Stages, Stage{Name: name})
		default:
			f.Files = append(f.Files, File{Stage: Stage{Name: name}, Producer: p})
		}
		if e.Type()&fs.ModeSymlink != 0 {
			if info, err := os.Stat(filepath.Join(full, name)); err == nil && info.IsDir() {
				f.Warnings = append(f.Warnings, resource.ValidText(path.Join(dir, name))+" is a link to a directory and was not followed")
			}
		}
	}
	if marked || mayRun {
		f.Problems = append(f.Problems, unfinished(full, resource.ValidText(cmp.Or(dir, root)), dir, marked)...)
	}
	if opt.Objects {
		r.readObjects(ctx, root, full, f, entries, opt)
	}
	if len(f.Stages) == 0 && len(f.Files) == 0 {
		if f.First == "" {
			f.Unnamed = unnamed(full, entries)
		}
		if i := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return e.Type().IsRegular() && objectName.MatchString(e.Name()) }); i >= 0 && !opt.Objects {
			f.Passed = path.Join(dir, entries[i].Name())
		}
		if f.Unnamed == "" && f.Passed == "" && len(f.Problems) == 0 && len(f.Warnings) == 0 && f.objects == 0 {
			return nil
		}
		return f
	}
	if len(f.Stages) > 0 {
		if f.First != "" {
			if info, err := os.Stat(filepath.Join(full, f.First)); err == nil {
				f.Origin = info.ModTime()
			}
		}
		slices.SortFunc(f.Stages, func(a, b Stage) int { return f.staged.CompareStages(a.Name, b.Name) })
		if known := r.known(full, f, made, opt); known != nil {
			return known
		}
		r.read(ctx, full, f, made, opt)
	}
	if len(f.Files) > 0 {
		r.files(ctx, full, f, opt)
	}
	return f
}

// regular reports whether an assembly file is one to read. That is decided by
// what it is, not by its name: a directory of that name is searched like any
// other, and a pipe or device is never opened.
func (f *Folder) regular(full string, e fs.DirEntry) bool {
	name := e.Name()
	source := resource.ValidText(path.Join(f.Dir, name))
	switch e.Type() {
	case 0:
	case fs.ModeDir:
		return false
	case fs.ModeSymlink:
		info, err := os.Stat(filepath.Join(full, name))
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				f.Problems = append(f.Problems, problem.New(problem.InputNotFound, "%s is a link that leads nowhere", source).In(source))
				return false
			}
			f.Problems = append(f.Problems, unreadable(source, err))
			return false
		}
		if info.IsDir() {
			return false
		}
		if !info.Mode().IsRegular() {
			f.Warnings = append(f.Warnings, fmt.Sprintf("%s is no regular file and was passed over", source))
			return false
		}
	default:
		f.Warnings = append(f.Warnings, fmt.Sprintf("%s is no regular file and was passed over", source))
		return false
	}
	return true
}

// read reads the stage file that counts and judges it against the others.
func (r *reader) read(ctx context.Context, full string, f *Folder, made *Manifest, opt Options) {
	used := &f.Stages[len(f.Stages)-1]
	source := resource.ValidText(path.Join(f.Dir, used.Name))
	simple := f.simple()
	data, stamp, err := r.file(ctx, filepath.Join(full, used.Name), opt)
	if err != nil {
		f.Problems = append(f.Problems, readProblem(source, err))
		return
	}
	used.ModTime, used.Size = stamp.ModTime, stamp.Size
	parsed := r.parser.Parse(data)
	records, problems := resource.FromFile(parsed, f.Dir, source)
	if opt.Digest {
		text := maphash.Bytes(seed, data)
		for i, k := range parsed.Kernels {
			records[i].Digest, records[i].Text = k.Body.Digest(data), text
		}
		spillsNear(records, data)
	}
	r.release()
	f.Records, f.Problems, f.named = records, append(f.Problems, problems...), parsed.Compilers
	compilers := f.compilers(made, opt)
	for _, r := range records {
		r.Compilers = compilers
	}
	if len(records) == 0 && len(f.Problems) == 0 {
		f.Warnings = append(f.Warnings, fmt.Sprintf("%s holds no kernels", source))
	}
	f.judgeTimes(full, used, source, opt)
	if !opt.Digest {
		return
	}
	module, complete := regular.Stamp{}, true
	if !f.Origin.IsZero() {
		module, complete = r.origin(ctx, filepath.Join(full, f.First), f, used.ModTime, opt)
	}
	if simple && complete {
		f.fingerprint = fingerprintOf(f, stamp, module, opt)
	}
}

// spillsNear notes the source lines that the first spills stand under.
func spillsNear(records []*resource.Record, data []byte) {
	for _, r := range records {
		if line := r.Sites.FirstSpill; line > 0 {
			at := locate.Near(data, line)
			r.Sites.SpillPath, r.Sites.SpillLine = at.Path, at.Line
		}
	}
}

// origin notes what the kernels were made from. The module of a compile that
// left no assembly is not the one of this assembly, so of that one only the
// places of the definitions count: the best there is. It is written first, and what
// can be read of it now is all that is asked for. ok says that it is the file of
// f.Origin, and what its stamp is.
func (r *reader) origin(ctx context.Context, path string, f *Folder, compiled time.Time, opt Options) (stamp regular.Stamp, ok bool) {
	opt.Settled = true
	text, stamp, err := r.file(ctx, path, opt)
	if err != nil {
		return stamp, false // gone since it was listed, or not for us to read: nothing of the figures depends on it
	}
	module := r.origins.Parse(text)
	r.release()
	f.Module = module
	for _, r := range f.Records {
		k := module.Kernel(r.Name)
		if k == nil {
			continue
		}
		if len(k.Locations) > 0 {
			r.Origin.Path, r.Origin.Line = k.Locations[0].Path, k.Locations[0].Line
		}
		if !module.Cut && f.Origin.Sub(compiled) <= Tolerance {
			r.Origin.Digest = k.Digest
		}
	}
	return stamp, stamp.ModTime.Equal(f.Origin)
}

// judgeTimes finds out whether the file that counts is one of an old compile.
func (f *Folder) judgeTimes(full string, used *Stage, source string, opt Options) {
	stale := func(p problem.Problem) {
		if opt.IgnoreTimes {
			f.Warnings = append(f.Warnings, p.Message+" (times are ignored)")
			return
		}
		f.Problems = append(f.Problems, p.In(source))
	}
	for i := range f.Stages[:len(f.Stages)-1] {
		s := &f.Stages[i]
		name := resource.ValidText(s.Name)
		f.Warnings = append(f.Warnings, fmt.Sprintf("%s is used; %s beside it is ignored, as its stage number is lower", source, name))
		info, err := os.Stat(filepath.Join(full, s.Name))
		if err != nil {
			continue
		}
		s.ModTime, s.Size = info.ModTime(), info.Size()
		if age := s.ModTime.Sub(used.ModTime); age > Tolerance {
			f.Leftover = used.Name
			stale(problem.New(problem.StageStale, "%s counts, as its stage number is the highest, but %s was written %s later", source, name, rounded(age)))
		}
	}
	last := used.ModTime
	if f.Leftover != "" { // the last compile that left assembly left the one that is hidden
		last = f.LastAssembly()
	}
	if age := f.Origin.Sub(last); !f.Origin.IsZero() && age > Tolerance {
		stale(problem.New(problem.DumpStale, "%s is older than the %s beside it by %s: the last compile left no assembly", source, f.First, rounded(age)))
	}
}

// LastAssembly returns when the newest stage file was written, whether it counts
// or not: the end of the last compile that left assembly. It is the zero time if
// there is none.
func (f *Folder) LastAssembly() time.Time {
	var last time.Time
	for _, s := range f.Stages {
		if s.ModTime.After(last) {
			last = s.ModTime
		}
	}
	return last
}

// rounded spells a duration in whole seconds, without the parts that are zero
// at its end: "1h", "2m30s".
func rounded(d time.Duration) string {
	s := d.Round(time.Second).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
