// Command isadiff compares the resources that AMD GPU kernels use before and
// after a change, and says whether any got worse and whether the answer can be
// trusted. See `isadiff --help`.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"isadiff/engine/diff"
	"isadiff/engine/problem"
)

func main() {
	p := &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.Getenv}
	os.Exit(p.main(os.Args[1:], p.commands()))
}

// main runs one command line and returns the exit code.
//
// Interrupted, it ends the work in hand and gives no answer: the command returns
// the error of its context. A second signal ends the process at once.
func (p *program) main(args []string, commands []*cobra.Command) (code int) {
	defer func() {
		if crash := recover(); crash != nil {
			code = p.fail(problem.Crashed("", crash))
		}
	}()
	// A reader that goes away (`| head`) must not change the exit code: with a
	// handler, writing to a closed pipe is an error and not the end.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	root := p.root(commands)
	root.SetArgs(args)
	c, err := root.ExecuteContextC(ctx)
	return p.conclude(c, err)
}

// A verdict ends a command whose report has been written.
type verdict diff.Verdict

func (v verdict) Error() string { return diff.Verdict(v).String() }

// conclude returns the exit code for how a command ended, and says why if it has
// not been said.
func (p *program) conclude(c *cobra.Command, err error) int {
	var v verdict
	var known problem.Problem
	switch {
	case err == nil:
		return diff.OK.ExitCode()
	case errors.As(err, &v):
		return diff.Verdict(v).ExitCode()
	case errors.As(err, &known):
		return p.fail(p.instructed(c, known))
	case errors.Is(err, context.Canceled):
		return p.interrupted()
	case !p.started:
		return p.fail(p.instructed(c, usage("%v", err)))
	default:
		return p.fail(problem.New(problem.InternalError, "%v", err))
	}
}

// instructed returns a problem of usage with the usage line of its command.
func (p *program) instructed(c *cobra.Command, why problem.Problem) problem.Problem {
	if why.Code != problem.Usage || why.Next != "" || c == nil {
		return why
	}
	if c.HasParent() {
		return why.Mended("usage: %s; see %s --help", c.UseLine(), c.CommandPath())
	}
	return why.Mended("usage: isadiff COMMAND; see isadiff --help")
}

// usage is the problem of a command line that was not understood.
func usage(format string, args ...any) problem.Problem {
	return problem.New(problem.Usage, format, args...)
}

// root returns the command that holds all others.
func (p *program) root(commands []*cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:   "isadiff",
		Short: "Compare the registers, spills, scratch and LDS of AMD GPU kernels before and after a change",
		Long: `isadiff tells whether a change made any AMD GPU kernel use more registers,
spills, scratch memory or LDS, and whether the answer can be trusted.

Exit codes: 0 no regression; 1 a kernel got worse; 2 the answer is not
trustworthy, with the reason. The last line of stdout has the same verdict.`,
		Version:                    build().Version,
		Args:                       p.noCommand,
		RunE:                       p.bare,
		SilenceErrors:              true,
		SuggestionsMinimumDistance: 2,
		SilenceUsage:               true,
	}
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	root.PersistentFlags().Var(&p.color, "color", "colour the output: auto, always or never")
	must(root.RegisterFlagCompletionFunc("color", cobra.FixedCompletions(colorModes, cobra.ShellCompDirectiveNoFileComp)))
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage("%v", err) })
	root.SetGlobalNormalizationFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "kernel" {
			name = "kernels" // of one spelling; who types the other one is understood
		}
		return pflag.NormalizedName(name)
	})
	for _, c := range commands {
		p.mark(c)
	}
	root.AddCommand(commands...)
	p.checkOperands(root)
	return root
}

// checkOperands makes cobra's own commands refuse what they do not know; they
// would show help and exit with 0.
func (p *program) checkOperands(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(c *cobra.Command, args []string) error {
				if _, rest, err := c.Root().Find(args); err != nil || len(rest) > 0 {
					return usage("isadiff help: there is no command %q", strings.Join(args, " "))
				}
				return nil
			}
		case "completion":
			c.Use = "completion SHELL"
			var shells []string
			for _, shell := range c.Commands() {
				shells = append(shells, shell.Name())
			}
			c.Args = func(_ *cobra.Command, args []string) error {
				if len(args) > 0 {
					return usage("isadiff completion: %q is none of %s", args[0], strings.Join(shells, ", "))
				}
				return nil
			}
			c.RunE = func(*cobra.Command, []string) error {
				return usage("isadiff completion: the shell is missing: %s", strings.Join(shells, ", "))
			}
		}
	}
}

// mark makes a command and its subcommands say when the command line has been
// understood: errors from there on are no errors of usage.
func (p *program) mark(c *cobra.Command) {
	if run := c.RunE; run != nil {
		c.RunE = func(c *cobra.Command, args []string) error {
			p.started = true
			return run(c, args)
		}
	}
	for _, sub := range c.Commands() {
		p.mark(sub)
	}
}

func (p *program) noCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	message := fmt.Sprintf("unknown command %q", args[0])
	if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		message += fmt.Sprintf("; did you mean %q?", near[0])
	}
	return usage("%s", message)
}

// operands checks the number of operands and names the missing ones; those in brackets,
// the last, need not be there.
func operands(names ...string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		switch {
		case len(args) < len(names) && names[len(args)][0] == '[':
		case len(args) < len(names):
			return missing(c, names[len(args)])
		case len(args) > len(names):
			return usage("%s: unexpected operand %q", c.CommandPath(), args[len(names)])
		}
		return nil
	}
}

// missing is the problem of an operand that is not there: --json may have taken it.
func missing(c *cobra.Command, name string) problem.Problem {
	p := usage("%s: %s is missing", c.CommandPath(), name)
	if f := c.Flags().Lookup("json"); f != nil && f.Changed && f.NoOptDefVal == "" {
		_, operands, _ := strings.Cut(c.Use, " ")
		p = p.Mended("--json takes a path, and - is stdout: %s --json - %s", c.CommandPath(), operands)
	}
	return p
}

// must panics on an error that only a mistake in this program can cause.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// A program is one run of isadiff.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) string
	color          colorMode

	started   bool // the command line was understood
	resumable bool // what was captured before an interruption is kept
	document  bool // stdout has a document for a program, so text goes to stderr
	whole     bool // stdout has a report with warnings and problems, so stderr has none
	cautions  []string
}
