package capture

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"isadiff/engine/dump"
	"isadiff/engine/problem"
	"isadiff/engine/producer"
)

// A judge decides whether a capture is whole.
type judge struct {
	runs     []run
	hookless bool // the hook does not see the compiles of the producer
	lenient  bool // see [Options.AllowFailures]
}

func (j *judge) add(r run) { j.runs = append(j.runs, r) }

func (j *judge) compilers() (all []dump.Compiler) {
	for _, r := range j.runs {
		for _, c := range r.journal.compilers {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	slices.SortFunc(all, func(a, b dump.Compiler) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Stamp, b.Stamp), cmp.Compare(a.Python, b.Python))
	})
	return all
}

func (j *judge) foreign() (all []string) {
	for _, r := range j.runs {
		all = append(all, r.journal.foreign...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (j *judge) roots() (all []string) {
	for _, r := range j.runs {
		all = append(all, r.journal.roots...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (j *judge) external() (all []string) {
	for _, r := range j.runs {
		all = append(all, r.journal.external...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// A finding collects what keeps a capture from being whole.
type finding struct {
	root     string
	problems []problem.Problem
	warnings []string
	failures string // of the warnings: the failures that were allowed
}

func (f *finding) problem(code problem.Code, file, format string, args ...any) {
	p := problem.New(code, format, args...)
	if file != "" {
		p = p.In(f.name(file))
	}
	if !slices.Contains(f.problems, p) {
		f.problems = append(f.problems, p)
	}
}

// name returns a path as the directory's own listing shows it.
func (f *finding) name(path string) string {
	if rel, err := filepath.Rel(f.root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// verdict returns what is wrong with a capture, the gravest first.
func (j *judge) verdict(ctx context.Context, root string, s *seen, d *directory) *finding {
	f := &finding{root: root}
	folders, err := findFolders(root, d.table)
	if err != nil {
		f.problem(problem.InputUnreadable, "", "%s cannot be read: %v", root, err)
	}
	if ctx.Err() != nil {
		f.problem(problem.CaptureInterrupted, "", "the capture into %s was interrupted before its command had ended", root)
	}
	compiles := 0
	var allowed []*run
	for i := range j.runs {
		r := &j.runs[i]
		compiles += len(r.journal.compiles)
		if ctx.Err() == nil && r.Exit != 0 {
			if why, counts := j.counts(r); counts {
				f.failure(r, why)
			} else {
				allowed = append(allowed, r)
			}
		}
		f.stopped(r)
		f.withoutISA(r)
		f.withoutDump(r)
		f.overwritten(r)
		for _, e := range r.journal.errors {
			f.warnings = append(f.warnings, fmt.Sprintf("the hook into FlyDSL failed in %s: %s", e.Where, e.Error))
		}
		if r.journal.damaged {
			f.warnings = append(f.warnings, "a journal of the hook could not be read")
		}
	}
	f.allowed(allowed)
	for _, folder := range folders {
		fresh := folder.assembly(d.since)
		s.kernels += min(fresh, 1)
		s.unseen = s.unseen || fresh > 0 && !j.wrote(folder.path)
		if fresh == 0 && !folder.origin.IsZero() && !folder.origin.Before(d.since) && !j.failedIn(folder.path) {
			f.problem(problem.CaptureNoISA, folder.path, "the compile in %s left no final assembly", f.name(folder.path))
		}
	}
	if compiles == 0 && s.kernels > 0 && !j.hookless {
		f.warnings = append(f.warnings, "the hook did not see the compiles (no Python, or one with -E, -I or -S?): specializations share their kernel's directory")
		for _, dir := range s.overwritten {
			f.problem(problem.CaptureOverwritten, dir, "%s was written several times with different kernels; only the last is left", f.name(dir))
		}
	}
	if len(f.problems) == 0 {
		for i := range j.runs {
			f.nothing(&j.runs[i], folders, d, j.hookless)
		}
	}
	if len(f.problems) == 0 && !d.live {
		f.read(ctx, d.table)
	}
	return f
}

// wrote reports whether the hook saw who wrote the assembly in a directory.
func (j *judge) wrote(dir string) bool {
	for _, r := range j.runs {
		for _, c := range r.journal.compiles {
			if slices.ContainsFunc(c.Written, func(w writtenDump) bool { return w.Dir == dir && w.Stage != "" }) {
				return true
			}
		}
	}
	return false
}

// failedIn reports whether a compile that failed wrote into a directory.
func (j *judge) failedIn(dir string) bool {
	for _, r := range j.runs {
		for _, c := range r.journal.compiles {
			if slices.ContainsFunc(c.Written, func(w writtenDump) bool { return w.Dir == dir && w.Stage == "" }) {
				return true
			}
		}
	}
	return false
}

// firstSignal is the first exit status by which a shell says that a signal ended a
// command.
const firstSignal = 128

// counts reports whether a command that failed makes a capture not whole, and why that
// is not allowed, where it could be: what it would have compiled is not known unless
// all that failed had compiled first.
func (j *judge) counts(r *run) (why string, counts bool) {
	if !j.lenient {
		return "", true
	}
	if r.Exit < 0 || r.Exit >= firstSignal || r.fatal {
		return "only an exit status is allowed", true
	}
	if len(r.journal.compiles) == 0 {
		if j.hookless {
			return "how the compiles of this compiler end cannot be seen", true
		}
		return "the hook into FlyDSL saw no compile end", true
	}
	for _, c := range r.journal.compiles {
		if !c.ended || c.Error != "" {
			return "a compile failed", true
		}
	}
	for _, e := range r.journal.failed {
		if !e.Test {
			return fmt.Sprintf("%s failed before it had compiled: %s", e.Name, firstOf(e.Error)), true
		}
	}
	return "", false
}

// allowed says of which failures nothing is made.
func (f *finding) allowed(runs []*run) {
	if len(runs) == 0 {
		return
	}
	var archs []string
	compiles := 0
	for _, r := range runs {
		if r.Arch != "" {
			archs = append(archs, r.Arch)
		}
		compiles += len(r.journal.compiles)
	}
	f.failures = fmt.Sprintf("`%s` ended with %s%s, which is allowed, as %s ended well: what it would have compiled later is missing",
		runs[0].command, runs[0].State, forArch(strings.Join(archs, ", ")), problem.Count(compiles, "compile"))
	f.warnings = append(f.warnings, f.failures)
}

// failure says that the command failed, and why that is not allowed where others are.
func (f *finding) failure(r *run, why string) {
	message := fmt.Sprintf("`%s` ended with %s%s", r.command, r.State, forArch(r.Arch))
	if r.State == "not started" {
		message = fmt.Sprintf("`%s` was not run%s", r.command, forArch(r.Arch))
		if r.Cause != "" {
			message += ": " + r.Cause
		}
		f.problems = append(f.problems, problem.New(problem.CaptureFailed, "%s", message).Mended("check the command's name and PATH"))
		return
	}
	if r.Cause != "" {
		message += ": " + r.Cause
	}
	if why != "" {
		message += "; this failure is not allowed: " + why
	}
	f.problem(problem.CaptureFailed, "", "%s", message)
}

// stopped says of tests that were stopped and yet ended well, as by pytest.exit with 0.
func (f *finding) stopped(r *run) {
	for _, e := range r.journal.failed {
		if e.Event == "tests-stopped" && r.Exit == 0 {
			f.problem(problem.CaptureFailed, "", "`%s` ended well%s, but %s %s", r.command, forArch(r.Arch), e.Name, strings.TrimPrefix(firstOf(e.Error), "it "))
		}
	}
}

// withoutISA names the compiles that left no final assembly.
func (f *finding) withoutISA(r *run) {
	for _, c := range r.journal.compiles {
		switch {
		case !c.ended:
			f.problem(problem.CaptureNoISA, "", "the process died while it compiled %s%s", c.Name, because(r.Cause))
		case c.Error != "":
			f.problem(problem.CaptureNoISA, "", "the compile of %s failed: %s", c.Name, firstOf(c.Error))
		case c.Dump && !slices.ContainsFunc(c.Written, func(w writtenDump) bool { return w.Stage != "" }):
			place := c.Dir
			if len(c.Written) > 0 {
				place = c.Written[0].Dir
			}
			f.problem(problem.CaptureNoISA, place, "the compile of %s left no final assembly in %s", c.Name, f.name(place))
		}
	}
}

// withoutDump names the compiles whose dump is not in the directory.
func (f *finding) withoutDump(r *run) {
	for _, c := range r.journal.compiles {
		switch {
		case !c.Dump:
			f.problem(problem.CaptureElsewhere, "", "%s was compiled while FLYDSL_DUMP_IR was off", c.Name)
		case !inside(c.Dir, r.out):
			f.problem(problem.CaptureElsewhere, "", "%s was dumped into %s, which is not in %s", c.Name, c.Dir, r.out)
		}
	}
	var names, missed []string
	for _, c := range r.journal.compiles {
		names = append(names, c.Name)
	}
	for _, e := range r.journal.failed {
		if e.Event == "launch-failed" && !slices.Contains(names, e.Name) {
			f.problem(problem.CaptureNoISA, "", "the launch of %s failed before its compile%s: %s", e.Name, forArch(r.Arch), firstOf(e.Error))
		}
	}
	for _, name := range r.journal.launched {
		if !slices.Contains(names, name) {
			missed = append(missed, name)
		}
	}
	if len(missed) > 0 {
		f.problem(problem.CaptureCached, "", "%s was launched and not compiled%s: it came from a cache, which dumps nothing",
			strings.Join(missed, ", "), forArch(r.Arch))
	}
}

// overwritten names the directories that two different kernels were dumped into.
func (f *finding) overwritten(r *run) {
	digests := map[string][]string{}
	var dirs []string
	for _, c := range r.journal.compiles {
		for _, w := range c.Written {
			if w.Digest != "" && !slices.Contains(digests[w.Dir], w.Digest) {
				digests[w.Dir] = append(digests[w.Dir], w.Digest)
				dirs = append(dirs, w.Dir)
			}
		}
	}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		if n := len(digests[dir]); n > 1 {
			f.problem(problem.CaptureOverwritten, dir, "%d different compiles were dumped into %s; only the last is left", n, f.name(dir))
		}
	}
}

// nothing says that a run compiled no kernel, and why.
func (f *finding) nothing(r *run, folders []*folder, d *directory, hookless bool) {
	for _, folder := range folders {
		if inside(folder.path, r.out) && folder.assembly(d.since) > 0 {
			return
		}
	}
	why := "; it launched none"
	switch {
	case hookless:
		why = " into " + f.root
	case len(r.journal.compiles) > 0:
		why = ""
	case r.journal.pythons == 0:
		why = "; it ran no Python that loads modules from PYTHONPATH"
	case len(r.journal.compilers) == 0:
		why = "; it did not import FlyDSL"
	}
	f.problem(problem.CaptureEmpty, "", "`%s` ended well%s and compiled no kernel%s", r.command, forArch(r.Arch), why)
}

// read looks at what was dumped as every other command will.
func (f *finding) read(ctx context.Context, table *producer.Table) {
	side := dump.Read(ctx, f.root, dump.Options{Producers: table})
	for _, p := range side.Doubts() {
		if p.Code != problem.CaptureIncomplete && p.Code != problem.RunUnderWay {
			f.problems = append(f.problems, p)
		}
	}
	f.warnings = append(f.warnings, side.Warnings...)
}

func forArch(arch string) string {
	if arch == "" {
		return ""
	}
	return " for " + arch
}

func because(cause string) string {
	if cause == "" {
		return ""
	}
	return ": " + cause
}

// firstOf returns the first line of an error.
func firstOf(text string) string {
	line, _, more := strings.Cut(text, "\n")
	if more {
		line += " ..."
	}
	return line
}

// inside reports whether a path is a folder or below it.
func inside(path, root string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}
