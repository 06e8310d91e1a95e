package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"isadiff/engine/live"
	"isadiff/engine/problem"
	"isadiff/engine/project"
	"isadiff/engine/report"
	"isadiff/testdata"
	"isadiff/watch/session"
)

func (p *program) demo() *cobra.Command {
	var (
		keep  bool
		pause time.Duration
	)
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show a live session in a minute, without a compiler or a GPU",
		Long: `Make a small project in a temporary folder, watch it as ` + "`isadiff watch`" + ` does,
and play compiles into it: a baseline, a change that makes a kernel spill, a
leftover that would make an answer wrong, and the fix. The compiles are recorded;
the session is real.

The folder is removed at the end; --keep keeps it, so that you can continue by
hand. The exit code is 0 when the demo has ended, whatever the session reports.`,
		Example: `  isadiff demo
  isadiff demo --keep`,
		Args: operands(),
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if !c.Flags().Changed("pause") && p.terminal(false) == nil {
				pause = 0
			}
			dir, err := os.MkdirTemp("", "isadiff-demo-")
			if err != nil {
				return problem.New(problem.OutputUnwritable, "the demo's folder cannot be made: %v; name another place for temporary files in TMPDIR", err)
			}
			if !keep {
				defer func() {
					if gone := os.RemoveAll(dir); gone != nil && err == nil {
						err = problem.New(problem.OutputUnwritable, "the demo's folder cannot be removed: %v", gone)
					}
				}()
			}
			d := &demo{program: p, dir: dir, pause: pause}
			if err := d.play(c.Context()); err != nil {
				return err
			}
			return d.farewell(keep)
		},
	}
	c.Flags().BoolVar(&keep, "keep", false, "keep the folder, and say how to continue in it")
	pause = 7 * time.Second
	c.Flags().Var((*seconds)(&pause), "pause", "wait `SECONDS`, or a duration such as 1m30s, between the steps; 0 without a terminal")
	return c
}

// seconds is a flag of a duration; a plain number is one of seconds.
type seconds time.Duration

func (s *seconds) String() string { return time.Duration(*s).String() }
func (s *seconds) Type() string   { return "duration" }
func (s *seconds) Set(text string) error {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		text += "s"
	}
	d, err := time.ParseDuration(text)
	*s = seconds(d)
	return err
}

// A demo is one run of the story.
type demo struct {
	*program
	dir     string
	pause   time.Duration
	session *session.Session
	shown   *live.State
}

// Places in the project of the demo.
const (
	demoSource   = "kernels/window_filter.py"
	demoDump     = "dumps/window_filter/window_filter_0/22_final_isa.s"
	demoLeftover = "dumps/window_filter/window_filter_0/23_final_isa.s"
)

// A demoStep is one thing that happens to the project, and the standing of the
// kernel by which the session shows that it has seen it.
type demoStep struct {
	title string
	text  string
	do    func(*demo, context.Context) error
	until live.Status
}

var demoSteps = []demoStep{
	{
		title: "A baseline",
		text: `The kernel window_filter has been compiled for an MI300X (gfx942). Its figures
are saved as the baseline: that is ` + "`isadiff snapshot`" + `, or b in ` + "`isadiff watch`" + `.`,
		do:    (*demo).takeBaseline,
		until: live.Unchanged,
	},
	{
		title: "A change: OUTPUTS = 32 becomes OUTPUTS = 128, and a compile ends",
		text: `More work for each thread. Its results stay right, so no test of results fails,
but it runs out of registers.`,
		do:    func(d *demo, _ context.Context) error { return d.compile("OUTPUTS = 128", "after") },
		until: live.Worse,
	},
	{
		title: "A trap: a debug run an hour ago left a later stage in the folder",
		text: `The last stage counts, but this one is of the old code, and would say OK. isadiff
says instead that it cannot know, with the cause and the fix.`,
		do:    (*demo).leave,
		until: live.Untrustworthy,
	},
	{
		title: "The leftover is removed, the change undone, and a compile ends",
		text:  `Exactly the instructions of the baseline: no doubt is left.`,
		do:    (*demo).mend,
		until: live.Unchanged,
	},
}

// play makes the project and lets the steps happen, each after the session has
// shown the one before.
func (d *demo) play(ctx context.Context) error {
	if err := d.make(); err != nil {
		return d.cannot(err)
	}
	// Nothing that is set outside of the demo may lead it elsewhere.
	config, err := project.Load(project.Options{Dir: d.dir, Env: func(string) (string, bool) { return "", false }})
	if err != nil {
		return err
	}
	d.session = session.Open(ctx, session.Options{Project: config})
	defer d.session.Close()
	if err := d.say(fmt.Appendf(nil, "isadiff demo: a live session on the project in %s\n", d.dir)); err != nil {
		return err
	}
	if err := d.await(ctx, live.NoBaseline); err != nil {
		return err
	}
	for i, step := range demoSteps {
		if err := d.say(fmt.Appendf(nil, "\n%d. %s\n\n%s\n\n", i+1, step.title, step.text)); err != nil {
			return err
		}
		if err := step.do(d, ctx); err != nil {
			return d.cannot(err)
		}
		before := d.shown
		if err := d.await(ctx, step.until); err != nil {
			return err
		}
		if err := d.say(report.Block(before, d.shown, time.Now(), report.Project{Root: d.dir}, d.style(d.stdout))); err != nil {
			return err
		}
		if err := d.rest(ctx); err != nil {
			return err
		}
	}
	return nil
}

// demoPatience is how long the session may take to see a step. It takes a
// fraction of a second where file events work, and seconds where it has to poll.
const demoPatience = time.Minute

// await waits until the kernel stands as it should.
func (d *demo) await(ctx context.Context, standing live.Status) error {
	patience, stop := context.WithTimeout(ctx, demoPatience)
	defer stop()
	sub := d.session.Subscribe()
	defer sub.Close()
	for {
		d.shown = d.session.Current()
		if d.shown.Ready && len(d.shown.Kernels) == 1 && d.shown.Kernels[0].Status == standing {
			return nil
		}
		select {
		case <-sub.C:
		case <-patience.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return problem.New(problem.InternalError, "the session has not seen within %v that the kernel in %s is %v", demoPatience, d.dir, standing)
		}
	}
}

// rest gives a reader time.
func (d *demo) rest(ctx context.Context) error {
	if d.pause <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d.pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (d *demo) make() error {
	if err := d.write("isadiff.toml", []byte("dumps = \"dumps\"\n")); err != nil {
		return err
	}
	return d.compile("OUTPUTS = 32", "before")
}

func (d *demo) takeBaseline(ctx context.Context) error {
	_, err := d.session.SnapshotBaseline(ctx, false)
	return err
}

// compile saves the kernel with a value of its constant, and writes what the
// compiler made of that.
func (d *demo) compile(constant, recording string) error {
	source, err := testdata.Demo.ReadFile("kernels/window_filter.py")
	if err != nil {
		return err
	}
	if err := d.write(demoSource, bytes.Replace(source, []byte("OUTPUTS = 32"), []byte(constant), 1)); err != nil {
		return err
	}
	assembly, err := demoAssembly(recording)
	if err != nil {
		return err
	}
	return d.write(demoDump, assembly)
}

// leave writes what a debug run left behind.
func (d *demo) leave(context.Context) error {
	assembly, err := demoAssembly("before")
	if err != nil {
		return err
	}
	// Made elsewhere and moved: it must not be seen while it looks new.
	const made = "leftover"
	if err := d.write(made, assembly); err != nil {
		return err
	}
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(d.path(made), past, past); err != nil {
		return err
	}
	return os.Rename(d.path(made), d.path(demoLeftover))
}

func (d *demo) mend(context.Context) error {
	if err := os.Remove(d.path(demoLeftover)); err != nil {
		return err
	}
	return d.compile("OUTPUTS = 32", "before")
}

func demoAssembly(recording string) ([]byte, error) {
	return testdata.Demo.ReadFile("dumps/tile-up-spills/gfx942/" + recording + "/window_filter/window_filter_0/22_final_isa.s")
}

func (d *demo) path(name string) string { return filepath.Join(d.dir, filepath.FromSlash(name)) }

func (d *demo) write(name string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(d.path(name)), 0o777); err != nil {
		return err
	}
	return os.WriteFile(d.path(name), data, 0o666)
}

func (d *demo) cannot(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, live.ErrClosed) {
		return context.Canceled // interrupted
	}
	return problem.New(problem.OutputUnwritable, "the demo cannot go on in %s: %v", d.dir, err)
}

// farewell says how to go on.
func (d *demo) farewell(keep bool) error {
	text := `
That was it. In your project: compile with FLYDSL_DUMP_IR=1 FLYDSL_RUNTIME_ENABLE_CACHE=0
FLYDSL_DUMP_DIR=dumps, then ` + "`isadiff snapshot dumps`" + ` and ` + "`isadiff watch dumps`" + `, or open your editor.
`
	if keep {
		text += fmt.Sprintf("The folder of the demo is kept: cd %s && isadiff watch\n", problem.Quoted(d.dir))
	} else {
		text += "The folder of the demo is removed; --keep keeps it.\n"
	}
	return d.say([]byte(text))
}
