// Package where tells where the registers and spills of kernels come from: it
// reads the assembly of a file or a dump tree, analyzes each kernel's live
// registers (package pressure), and holds the peaks against the counts that the
// compiler allocated.
//
// It is informational: nothing here is ever a regression. But a peak above the
// allocated count is a contradiction, and what cannot be told is a problem with
// its cause, never a blank.
package where

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"isadiff/engine/dump"
	"isadiff/engine/input"
	"isadiff/engine/isa"
	"isadiff/engine/kept"
	"isadiff/engine/pressure"
	"isadiff/engine/problem"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
	"isadiff/engine/why"
)

// Options say what is looked at.
type Options struct {
	Kernels     *resource.Matcher // which kernels; nil for all
	IgnoreTimes bool              // a tree that was copied without its times
	List        bool              // keep the instructions

	lay bool // lay out classes and loops
}

// A Result is what was found.
type Result struct {
	Origin   string // as the user named it
	Kernels  []Kernel
	Problems []problem.Problem // why the answer is not to be trusted
	Warnings []string
}

// A Kernel is one kernel of one file.
type Kernel struct {
	pressure.Analysis
	Key    string           // "<relative directory in slashes>::<name>"
	File   string           // as the user named it, or relative to the tree in slashes
	Record *resource.Record // what the compiler allocated; nil if the metadata does not say

	Classes   []why.Tally       // of its instructions, and their mnemonics; before is 0 in each
	Mnemonics []why.Tally       // as Read finds them; nil from Analyze
	Loops     []why.Loop        // the same; nil as well if they cannot be told
	NoLoops   string            // why loops cannot be told; "" if they can
	Listing   *pressure.Listing // the instructions, if they were asked for; else nil
}

// Read looks at the assembly file, the dump tree or the snapshot with its assembly at a
// path. What is wrong with it is in the result's problems; the error is that of ctx.
func Read(ctx context.Context, name string, opt Options) (*Result, error) {
	opt.lay = true
	r := &Result{Origin: name}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.report(problem.New(problem.InputNotFound, "%s does not exist", name).In(name))
	case err != nil:
		r.report(problem.Unreadable(name, err))
	case info.IsDir():
		r.readTree(ctx, name, opt)
	case info.Mode().IsRegular() && input.IsAssembly(name):
		r.readOne(name, opt)
	case info.Mode().IsRegular() && strings.HasSuffix(name, ".json"):
		r.readKept(ctx, name, opt)
	default:
		r.report(problem.New(problem.InputKind, "%s is neither a directory, an assembly file (.s or .amdgcn) nor a .json snapshot", name).In(name))
	}
	if len(r.Kernels) == 0 && len(r.Problems) == 0 {
		p := problem.New(problem.NoKernels, "%s holds no kernel", name)
		if opt.Kernels != nil && !opt.Kernels.All() {
			p = problem.New(problem.NoKernels, "no kernel of %s matches %q", name, opt.Kernels).Mended("check the glob; `isadiff where %s` lists all kernels", problem.Quoted(name))
		}
		r.report(p.In(name))
	}
	slices.SortFunc(r.Problems, problem.Compare)
	return r, ctx.Err()
}

func (r *Result) report(p problem.Problem) { r.Problems = append(r.Problems, p) }

// readOne reads a file that the user named. One without metadata is analyzed all
// the same: only the allocated counts are missing to compare with.
func (r *Result) readOne(name string, opt Options) {
	data, err := regular.Read(name)
	if err != nil {
		r.report(problem.Unreadable(name, err))
		return
	}
	records, problems := resource.FromFile(isa.Parse(data), "", name)
	kernels, doubts := analyze(data, records, "", name, opt)
	for _, p := range problems {
		if p.Code == problem.MetadataMissing && len(kernels) > 0 {
			r.Warnings = append(r.Warnings, p.Message+", so the peaks are not compared with allocated counts")
			continue
		}
		r.report(p)
	}
	r.Kernels = kernels
	r.Problems = append(r.Problems, doubts...)
}

// readTree reads the files of a dump tree that count. A tree that is none of
// FlyDSL's may hold assembly under other names: then all of it counts.
func (r *Result) readTree(ctx context.Context, root string, opt Options) {
	side := dump.Read(ctx, root, dump.Options{IgnoreTimes: opt.IgnoreTimes})
	if len(side.Problems) > 0 && side.Problems[0].Code == problem.NoDumpFiles {
		if files := input.AssemblyFiles(root); len(files) > 0 {
			r.analyzeFiles(ctx, root, files, opt, nil)
			return
		}
	}
	r.Warnings = side.Warnings
	known := map[string][]*resource.Record{}
	for _, record := range side.Records {
		known[record.Source] = append(known[record.Source], record)
	}
	r.Problems = append(r.Problems, side.Problems...)
	r.analyzeFiles(ctx, root, slices.Sorted(maps.Keys(known)), opt, known)
}

// analyzeFiles analyzes files, several at a time. known are the records of a tree by
// their files; nil if nothing is known of the files.
func (r *Result) analyzeFiles(ctx context.Context, root string, files []string, opt Options, known map[string][]*resource.Record) {
	parts := make([]Result, len(files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, file := range files {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			parts[i].analyzeFile(root, file, opt, known)
			return nil
		})
	}
	_ = group.Wait() // its error is that of ctx, which Read returns
	for _, part := range parts {
		r.Kernels = append(r.Kernels, part.Kernels...)
		r.Problems = append(r.Problems, part.Problems...)
		r.Warnings = append(r.Warnings, part.Warnings...)
	}
}

func (r *Result) analyzeFile(root, file string, opt Options, known map[string][]*resource.Record) {
	data, err := regular.Read(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		r.report(problem.Unreadable(file, err))
		return
	}
	dir := path.Dir(file)
	if dir == "." {
		dir = ""
	}
	records, problems := known[file], []problem.Problem(nil) // the tree's own problems have those of the file
	if known == nil {
		records, problems = resource.FromFile(isa.Parse(data), dir, file)
	}
	for _, p := range problems {
		if p.Code == problem.MetadataMissing {
			if name := input.Unended(data); name != "" {
				r.report(input.Cut(p, name))
				continue
			}
			r.Warnings = append(r.Warnings, p.Message+", so the peaks are not compared with allocated counts")
			continue
		}
		r.report(p)
	}
	kernels, problems := analyze(data, records, dir, file, opt)
	r.Kernels = append(r.Kernels, kernels...)
	r.Problems = append(r.Problems, problems...)
}

// readKept reads the assembly that a snapshot keeps, one file of it after the other.
func (r *Result) readKept(ctx context.Context, name string, opt Options) {
	side, _ := snapshot.Load(name)
	r.Warnings = side.Warnings
	r.Problems = append(r.Problems, side.Problems...)
	archive, err := kept.Open(side)
	if err != nil {
		if len(r.Problems) == 0 { // otherwise it is no snapshot that could have any
			r.report(asProblem(err))
		}
		return
	}
	defer archive.Close()
	var index *pressure.Assembly // of the file of the record before
	source := ""
	for _, record := range side.Records {
		if ctx.Err() != nil {
			return
		}
		if opt.Kernels != nil && !opt.Kernels.Match(record) {
			continue
		}
		if index == nil || source != record.Source || !index.Has(record.Name) {
			text, err := archive.Text(record)
			if err != nil {
				r.report(asProblem(err))
				continue
			}
			index, source = pressure.Index(text), record.Source
		}
		k := Kernel{Key: record.Key, File: record.Source, Record: record}
		k.lay(index.List(record.Name), opt.List)
		r.Kernels = append(r.Kernels, k)
		r.Problems = append(r.Problems, k.Doubts()...)
	}
}

func asProblem(err error) problem.Problem {
	var p problem.Problem
	if !errors.As(err, &p) {
		p = problem.New(problem.InputUnreadable, "%v", err)
	}
	return p
}

// analyze analyzes the kernels of one file. records are those of the same text; dir and
// file are its directory and path as results name it. The problems are what cannot be
// known, and what contradicts the allocated counts.
func analyze(data []byte, records []*resource.Record, dir, file string, opt Options) ([]Kernel, []problem.Problem) {
	only := opt.Kernels
	index := pressure.Index(data)
	byName := make(map[string]*resource.Record, len(records))
	names := slices.Clone(index.Kernels())
	seen := make(map[string]bool, len(names))
	for _, n := range names {
		seen[n] = true
	}
	for _, record := range records {
		byName[record.Name] = record
		if !seen[record.Name] {
			seen[record.Name] = true
			names = append(names, record.Name)
		}
	}
	var kernels []Kernel
	var problems []problem.Problem
	for _, name := range names {
		key := resource.ValidText(dir) + "::" + name
		if record := byName[name]; record != nil {
			key = record.Key
		}
		if only != nil && !only.Match(&resource.Record{Key: key, Name: name}) {
			continue
		}
		k := Kernel{Key: key, File: file, Record: byName[name]}
		if opt.lay {
			k.lay(index.List(name), opt.List)
		} else {
			k.Analysis = index.Analyze(name)
		}
		kernels = append(kernels, k)
		problems = append(problems, k.Doubts()...)
	}
	return kernels, problems
}

// lay lays out a kernel's instructions by class and loop.
func (k *Kernel) lay(l *pressure.Listing, keep bool) {
	c := why.Compare(&pressure.Listing{}, l)
	k.Analysis, k.Classes, k.Mnemonics, k.Loops = l.Analysis, c.Classes, c.Mnemonics, c.Loops
	k.NoLoops = l.LoopsRefused
	if keep {
		k.Listing = l
	}
}

// One analyzes the kernel of a record in its text; nil if it cannot be told, or if the
// text contradicts the counts of the record, as it is not the one that was read then.
func One(data []byte, r *resource.Record) *pressure.Analysis {
	a := pressure.Index(data).Analyze(r.Name)
	if a.Refused != "" || len(a.Contradictions(&r.Cells)) > 0 {
		return nil
	}
	return &a
}

// Doubts returns why a kernel's figures are not to be trusted.
func (k *Kernel) Doubts() []problem.Problem {
	var ps []problem.Problem
	report := func(code problem.Code, line int, format string, args ...any) {
		message := fmt.Sprintf("%s: %s: %s", k.File, k.Kernel, fmt.Sprintf(format, args...))
		ps = append(ps, problem.New(code, "%s", message).In(k.File).At(line).Of(k.Key))
	}
	switch {
	case k.Refused != "":
		report(problem.BodyUnbounded, k.Line, "%s", k.Refused)
	case k.VGPR.Refused != "":
		report(problem.BodyUncountable, k.Line, "its live registers cannot be counted: %s", k.VGPR.Refused)
	}
	if k.Record != nil {
		for _, c := range k.Contradictions(&k.Record.Cells) {
			report(problem.CountsContradict, c.Line, "%d %s are live at line %d, but %s is %d", c.Peak.Peak, c.Registers, c.Line, c.Metric, c.Allocated)
		}
	}
	return ps
}
