package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"sync/atomic"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"isadiff/engine/live"
	"isadiff/engine/problem"
	"isadiff/engine/project"
	"isadiff/engine/report"
	"isadiff/watch/console"
	"isadiff/watch/session"
)

func (p *program) watch() *cobra.Command {
	var (
		baseline   string
		asJSON     bool
		poll       bool
		opt        inputFlags
		run        saving
		configured = map[string]any{}
	)
	c := &cobra.Command{
		Use:   "watch [DIR] [flags] [-- COMMAND...]",
		Short: "Compare live: show what changed against the baseline whenever a compile ends",
		Long: `Watch the dump directory DIR, the baseline and the Python sources, and print a
block for each run that has settled: the kernels that were compiled, what changed
against the baseline, and the verdict. Without arguments the configuration says
where the dumps and the baseline are; neither has to exist yet.

With a COMMAND, or with --compile for the project's own compile command, isadiff
compiles as well: at the start and whenever a source of the project was saved, as
capture does, into the directory that it watches. A save during a run begins anew.
What the command prints is in .isadiff/capture.log if it fails. Without a
configured directory DIR is .isadiff/dumps then.

On a terminal: q quit, r read again, p pause, b take a baseline,
n let the newest of overwritten dumps count, c clear, ? help.

Exit codes are those of the last verdict: 0 no regression; 1 a kernel got worse;
2 not trustworthy, also while kernels of the baseline are pending.`,
		Example: `  isadiff watch
  isadiff watch dumps --baseline before.json --json
  isadiff watch -- python -m pytest tests/kernels -q`,
		Args: func(c *cobra.Command, args []string) error {
			args, run.command = beforeDash(c, args)
			if run.configured && run.command != nil {
				return usage("isadiff watch: --compile runs the configured command; leave it out to run %s", project.Command{Args: run.command})
			}
			return operands("[DIR]")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			p.document = asJSON
			args, _ = beforeDash(c, args)
			if len(args) > 0 {
				configured["dumps"] = args[0]
			}
			if baseline != "" {
				configured["baseline"] = baseline
			}
			if opt.Kernels != "" {
				if _, err := opt.Matcher(); err != nil {
					return err
				}
				configured["kernels"] = opt.Kernels
			}
			pairs, err := opt.Orders()
			if err != nil {
				return err
			}
			if pairs != nil {
				configured["pairs"] = pairs
			}
			ctx, stop := hangup(c.Context())
			defer stop()
			context.AfterFunc(ctx, stop) // a second signal ends the process at once
			w := &watched{program: p, flags: configured, poll: poll, ignoreTimes: opt.IgnoreTimes, changed: make(chan struct{}, 1)}
			defer w.close()
			if run.asked() {
				if err := w.saves(ctx, run); err != nil {
					return err
				}
			}
			s, shown, err := w.open(ctx)
			if err != nil {
				return err
			}
			verdict, err := console.Run(ctx, s, console.Options{
				Out: p.stdout, Style: func() report.Style { return p.style(p.stdout) },
				JSON: asJSON, Project: shown, Terminal: p.terminal(asJSON),
				Reconfigured: w.changed, Reopen: func() (console.Session, report.Project, error) { return w.reopen(ctx) },
			})
			if err != nil && !closedPipe(err) {
				return problem.New(problem.OutputUnwritable, "the output cannot be written: %v", problem.Cause(err))
			}
			if !w.session.Load().Current().Ready {
				p.warn([]byte("error: ended before everything was read\n"))
			}
			return p.end(verdict)
		},
	}
	pathVar(c, &baseline, "baseline", "", "compare with `PATH`, a .json snapshot or a dump directory")
	c.Flags().BoolVar(&asJSON, "json", false, "write only JSON to stdout, one object per line")
	c.Flags().BoolVar(&run.configured, "compile", false, "compile after each save with the project's compile command")
	allowFailures(c, &run.allow)
	c.Flags().BoolVar(&poll, "poll", false, "poll instead of using file events")
	opt.add(c)
	opt.addPairs(c)
	return c
}

// A watched holds the session of the project as it is configured now.
type watched struct {
	*program
	flags             map[string]any
	poll, ignoreTimes bool
	changed           chan struct{} // holds one token after a file of the configuration changed
	config            atomic.Pointer[project.Config]
	session           atomic.Pointer[session.Session]
	saver             *saver // nil if nothing is compiled
}

// open starts a session of the project.
func (w *watched) open(ctx context.Context) (console.Session, report.Project, error) {
	wd, err := workingDir()
	if err != nil {
		return nil, report.Project{}, err
	}
	config, err := project.Load(project.Options{Dir: wd, Flags: w.flags})
	if err != nil {
		return nil, report.Project{}, err
	}
	old := w.config.Load()
	config = config.After(old)
	w.config.Store(config)
	if old == nil {
		w.mention(config.Faults, w.warn) // no console yet
	} else if !slices.Equal(old.Faults, config.Faults) {
		w.mention(config.Faults, w.aside)
	}
	if old != nil && old.SameInputs(config) {
		w.session.Load().Configured(config)
		if config.CompileText() != old.CompileText() || len(old.Invalid()) > 0 && len(config.Invalid()) == 0 { // what was saved meanwhile was not compiled
			w.saver.saved()
		}
		return nil, report.Project{}, nil
	}
	var known *live.Memory
	if before := w.session.Swap(nil); before != nil {
		before.Close()
		known = before.Memory()
	}
	reconfigured := func() {
		select {
		case w.changed <- struct{}{}:
		default:
		}
	}
	s := session.Open(ctx, session.Options{
		Project: config, Poll: w.poll, IgnoreTimes: w.ignoreTimes, After: known,
		Log:           func(line string) { w.aside([]byte(line + "\n")) },
		Configuration: project.Files(wd, config.Root),
		Reconfigured:  reconfigured,
		Saved:         w.saver.saved,
	})
	w.session.Store(s)
	w.saver.saved() // what is there may be of other sources
	if now, err := project.Load(project.Options{Dir: wd, Flags: w.flags}); err == nil && !(config.SameInputs(now) && slices.Equal(config.Faults, now.Faults)) {
		reconfigured() // it changed before it was watched
	}
	return s, report.Project{Root: config.Root, Snapshot: w.snapshotCommand()}, nil
}

// mention tells what of the configuration could not be used.
func (w *watched) mention(faults []project.Fault, say func([]byte)) {
	invalid := w.config.Load().Invalid() // which the console says, as what it shows depends on it
	for _, f := range faults {
		if f.Layer == project.Default || slices.Contains(invalid, f) {
			continue
		}
		say(report.Warnings([]string{fmt.Sprint(f)}, w.style(w.stderr)))
	}
}

// reopen starts another session if the configuration asks for one.
func (w *watched) reopen(ctx context.Context) (console.Session, report.Project, error) {
	s, shown, err := w.open(ctx)
	if err != nil {
		w.aside(fmt.Appendf(nil, "warning: the configuration cannot be read again: %v\n", err))
		return nil, report.Project{}, nil
	}
	return s, shown, nil
}

func (w *watched) close() {
	w.saver.close()
	if s := w.session.Load(); s != nil {
		s.Close()
	}
}

// snapshotCommand is the command that takes the baseline that is missed.
func (w *watched) snapshotCommand() string {
	command := "isadiff snapshot"
	if dumps, ok := w.flags["dumps"].(string); ok {
		command += " " + problem.Quoted(dumps)
	}
	if baseline, ok := w.flags["baseline"].(string); ok {
		command += " -o " + problem.Quoted(baseline)
	}
	if kernels, ok := w.flags["kernels"].(string); ok {
		command += " --kernels " + problem.Quoted(kernels)
	}
	return command
}

// aside writes to stderr while a console may have the terminal: its line begins
// anew, and in raw mode a new line does not begin at the left.
func (w *watched) aside(text []byte) {
	if f, ok := w.stderr.(*os.File); ok && w.terminal(w.document) != nil && term.IsTerminal(int(f.Fd())) {
		text = append([]byte("\r\x1b[K"), bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))...)
	}
	w.warn(text)
}

// terminal returns the terminal that a person is at: stdin, if stdout is one too
// and holds text for people. Otherwise nil.
func (p *program) terminal(document bool) *os.File {
	in, typed := p.stdin.(*os.File)
	out, shown := p.stdout.(*os.File)
	if document || !typed || !shown || !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(out.Fd())) || p.env("TERM") == "dumb" {
		return nil
	}
	return in
}
