package capture

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"isadiff/engine/dump"
	"isadiff/engine/problem"
	"isadiff/engine/producer"
	"isadiff/engine/project"
	"isadiff/watch"
)

// Options say what is captured and where to. The zero value of every field but
// Command and Out means its default.
type Options struct {
	Command project.Command
	Dir     string   // where the command runs; the current folder
	Root    string   // what the names of tests start at; the project's root around Dir
	Out     string   // the dump directory
	Archs   []string // architectures, one folder of Out each; none: the machine's own, into Out itself
	// Live captures into a directory that is watched: its files stay until the
	// command has replaced them. Otherwise Out must be new, empty or an earlier
	// capture, which is removed.
	Live     bool
	Env      []string // os.Environ() if nil
	Stdout   io.Writer
	Stderr   io.Writer
	Quiet    bool           // drop the lines that the compiler prints about its dumps
	Progress func(Progress) // called from one goroutine at a time
	// Began is called before the command starts. Files in Out that are not older than
	// since, by the clock of its file system, are the command's. It may be nil.
	Began func(since time.Time)
	// Listen calls take with what a watcher of Out, which exists already, sees until
	// stop is called. If it is nil, or stop is, Out is watched here.
	Listen func(take func(watch.Batch)) (stop func())
	// AllowFailures does not count that the command ends with an exit status where all
	// compiles ended well, as tests that compare numbers do without a GPU.
	AllowFailures bool
	Revision      string // noted in the directory: what the sources are
	// Producer is the compiler that the command is about; nil for the default one.
	Producer *producer.Producer
	Foreign  string // a folder from which no module may be imported; see Compare
	// Attend takes the place of running Command, which then only names what is captured:
	// a program that runs already. It is told what the program has to do, and returns how
	// the program ended, of which Exit, State and Cause count.
	Attend func(context.Context, Attendance) Ended
}

// An Attendance is what a program has to do whose compiles are captured, before it
// imports the compiler.
type Attendance struct {
	Set   map[string]string // variables of its environment, also of its children's
	Unset []string          // those to remove
	Hook  string            // the folder to import the hook from; it comes first in PYTHONPATH of Set
	// Doubtful reports whether what a dump directory holds by now cannot be told to be the
	// one compile that it is named after.
	Doubtful func(dir string) bool
}

// Progress tells how far a capture has come.
type Progress struct {
	Arch    string // "" if none was named
	Kernels int    // final assembly files so far, of all architectures
	Elapsed time.Duration
}

// A Result is the outcome of a capture.
type Result struct {
	Dir       string
	Kernels   int // final assembly files: compiles that ended
	Took      time.Duration
	Runs      []Ended
	Compilers []dump.Compiler // that the command used, as far as the hook saw them
	unseen    bool            // the hook did not see all of the compiles
	allowed   string          // of Warnings: the failures that were allowed
	Foreign   []string        // files of Options.Foreign that were imported
	roots     []string        // folders that they were imported from
	External  []string        // imported files outside of Root and of installed packages, with size and time
	Problems  []problem.Problem
	Warnings  []string
}

// Whole reports whether everything was captured.
func (r *Result) Whole() bool { return len(r.Problems) == 0 }

// An Ended is one run of the command.
type Ended struct {
	Arch     string
	Exit     int    // the command's own exit status; -1 if a signal ended it or it did not start
	State    string // in words: "exit status 1"
	Cause    string // the line of its output that says why; "" if it ended well
	Compiles int    // that the hook saw
	Took     time.Duration
}

// Run captures. The problems of the result say why a capture is not whole; an
// error means that the command was not run at all.
func Run(ctx context.Context, o Options) (*Result, error) {
	if len(o.Command.Args) == 0 {
		return nil, problem.New(problem.Usage, "no command to run")
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	out, err := filepath.Abs(o.Out)
	if err == nil && o.Root == "" {
		o.Root, err = project.FindRoot(cmp.Or(o.Dir, "."))
	}
	if err != nil {
		return nil, problem.New(problem.OutputUnwritable, "%s: %v", o.Out, err)
	}
	d, err := prepare(ctx, out, o)
	if err != nil {
		return nil, err
	}
	defer d.release()
	if o.Began != nil {
		o.Began(d.since)
	}
	h, err := installHook()
	if err != nil {
		return nil, problem.New(problem.OutputUnwritable, "the folder for temporary files: %v", err)
	}
	defer h.remove()

	started := time.Now()
	r := &Result{Dir: out}
	count := newCounter(ctx, d, o, func(kernels int, arch string) {
		if o.Progress != nil {
			o.Progress(Progress{Arch: arch, Kernels: kernels, Elapsed: time.Since(started)})
		}
	})
	judged := judge{hookless: o.hookless(), lenient: o.AllowFailures}
	archs := o.Archs
	if len(archs) == 0 {
		archs = []string{""}
	}
	for _, arch := range archs {
		run := runOne(ctx, o, h, count, filepath.Join(out, arch), arch)
		r.Runs = append(r.Runs, run.Ended)
		judged.add(run)
		if ctx.Err() != nil || run.fatal {
			break
		}
	}
	seen := count.close()
	r.Took = time.Since(started)
	r.Compilers, r.Foreign, r.External = judged.compilers(), judged.foreign(), judged.external()
	r.roots = judged.roots()
	found := judged.verdict(ctx, out, seen, d)
	r.Problems, r.Warnings, r.allowed = found.problems, found.warnings, found.failures
	r.Kernels, r.unseen = seen.kernels, seen.unseen
	if err := d.finish(ctx, r, o); err != nil {
		return nil, err
	}
	return r, nil
}

// A run is what is known of one run of the command.
type run struct {
	Ended
	out     string // where its dumps belong
	fatal   bool   // there is no use in running it for other architectures
	command string
	journal journal
}

// runOne runs the command once.
func runOne(ctx context.Context, o Options, h *hook, count *counter, out, arch string) run {
	count.begin(arch)
	r := run{Ended: Ended{Arch: arch}, out: out, command: o.Command.String()}
	journalDir, err := h.journal(arch)
	if err == nil {
		err = os.MkdirAll(out, 0o777)
	}
	if err != nil {
		r.Exit, r.State, r.fatal = -1, "not started", true
		r.Cause = err.Error()
		return r
	}
	tail := &tail{}
	if o.Quiet {
		o.Stdout, o.Stderr = withoutOwnLines(o.Stdout), withoutOwnLines(o.Stderr)
	}
	begin := time.Now()
	env := environment(o, h, out, arch, journalDir)
	var ended ending
	if o.Attend != nil {
		a := attendance(o.Env, env, h.dir)
		a.Doubtful = func(dir string) bool { return readJournal(journalDir).doubts(dir) }
		e := o.Attend(ctx, a)
		ended = ending{exit: e.Exit, state: e.State, cause: e.Cause}
	} else {
		ended = execute(ctx, process{command: o.Command, dir: o.Dir, env: env, stdout: tee(o.Stdout, tail), stderr: tee(o.Stderr, tail)})
	}
	r.Took = time.Since(begin)
	r.Exit, r.State, r.fatal = ended.exit, ended.state, ended.notStarted
	if r.Exit != 0 {
		if r.Cause = ended.cause; r.Cause == "" {
			r.Cause = tail.cause()
		}
	}
	r.journal = readJournal(journalDir)
	r.Compiles = len(r.journal.compiles)
	return r
}

// Archs reads a list of architectures as --arch spells it: "gfx942,gfx1201".
func Archs(list string) ([]string, error) {
	var archs []string
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		switch {
		case name == "":
			return nil, fmt.Errorf("an architecture is missing in %q", list)
		case !strings.HasPrefix(name, "gfx") || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
			return nil, fmt.Errorf("%q is no architecture such as gfx942", name)
		case slices.Contains(archs, name):
			return nil, fmt.Errorf("%s is named twice", name)
		}
		archs = append(archs, name)
	}
	return archs, nil
}
