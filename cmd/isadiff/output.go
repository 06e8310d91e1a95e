package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"isadiff/engine/diff"
	"isadiff/engine/problem"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
)

// textOut returns where text for people goes: stdout, unless a document has it.
func (p *program) textOut() io.Writer {
	if p.document {
		return p.stderr
	}
	return p.stdout
}

// say writes text for people. A closed pipe is no error: whoever reads has seen
// enough, and the exit code stays what it is.
func (p *program) say(text []byte) error { return write(p.textOut(), text) }

// warn writes to stderr. Nobody can be told if that fails.
func (p *program) warn(text []byte) { _ = write(p.stderr, text) }

// caution warns of something, or keeps it for the report that has warnings too.
func (p *program) caution(warnings ...string) {
	if p.whole {
		p.cautions = append(p.cautions, warnings...)
		return
	}
	p.warn(report.Warnings(warnings, p.style(p.stderr)))
}

// doubt says what makes the answer not trustworthy, unless a report does.
func (p *program) doubt(problems []problem.Problem) {
	if !p.whole {
		p.warn(report.Problems(problems, p.style(p.stderr)))
	}
}

// brief writes an answer in short, which has warnings and problems too.
func (p *program) brief(b *report.Brief) error { return p.say(b.Text(p.style(p.textOut()))) }

func write(w io.Writer, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	_, err := w.Write(text)
	return unwritten(err)
}

func unwritten(err error) error {
	if err == nil || closedPipe(err) {
		return nil
	}
	return problem.New(problem.OutputUnwritable, "the output cannot be written: %v", problem.Cause(err))
}

// save writes a report to path, "-" is stdout, in place of an earlier report and
// of no other file.
func (p *program) save(path string, data []byte) error {
	if path == "-" {
		return write(p.stdout, data)
	}
	return report.Save(path, data)
}

// keep writes the snapshot of a side to path; "-" is stdout.
func (p *program) keep(path string, side *resource.Side, meta snapshot.Meta) error {
	if path != "-" {
		return snapshot.Write(path, side, meta)
	}
	out := bufio.NewWriter(p.stdout)
	err := snapshot.EncodeTo(out, side, meta)
	if err == nil {
		err = out.Flush()
	}
	return unwritten(err)
}

// end writes the verdict, which ends every comparison.
func (p *program) end(v diff.Verdict) error {
	if err := p.say([]byte(report.Verdict(v, p.style(p.textOut())))); err != nil {
		return err
	}
	if v == diff.OK {
		return nil
	}
	return verdict(v)
}

// mostCautions is how many warnings stand above an error where little room is.
const mostCautions = 5

// fail ends a run that gives no answer and returns its exit code.
func (p *program) fail(why problem.Problem) int {
	p.whole = false // nothing comes that would tell them
	p.caution(p.cautions[:min(len(p.cautions), mostCautions)]...)
	p.warn(report.Error(why, p.style(p.stderr)))
	_ = p.say([]byte(report.Verdict(diff.NotTrustworthy, p.style(p.textOut()))))
	return diff.NotTrustworthy.ExitCode()
}

// interrupted ends a run that the user stopped and returns its exit code.
func (p *program) interrupted() int {
	what := "nothing was written"
	if p.resumable {
		what = "what was captured is kept, and the same command goes on from there"
	}
	p.warn([]byte("error: interrupted; " + what + "\n"))
	_ = p.say([]byte(report.Verdict(diff.NotTrustworthy, p.style(p.textOut()))))
	return diff.NotTrustworthy.ExitCode()
}

// A destination is a report that was asked for.
type destination struct {
	format report.Format
	path   string // "-" for stdout
}

// A destinations flag collects --format F[=PATH].
type destinations struct{ list []destination }

func (d *destinations) String() string { return "" }
func (d *destinations) Type() string   { return "FORMAT[=PATH]" }
func (d *destinations) Set(s string) error {
	name, path, given := strings.Cut(s, "=")
	if !given {
		path = "-"
	}
	return d.add(name, path)
}

func (d *destinations) add(name, path string) error {
	if path == "" {
		return errEmptyPath
	}
	for _, f := range report.Formats {
		if f.Name == name {
			d.list = append(d.list, destination{f, path})
			return nil
		}
	}
	return fmt.Errorf("%q is none of %s", name, strings.Join(report.FormatNames(), ", "))
}

// placed reports whether a report says where kernels are defined.
func (d *destinations) placed() bool {
	return slices.ContainsFunc(d.list, func(d destination) bool { return d.format.Placed })
}

// explained reports whether a report says which instructions did it.
func (d *destinations) explained() bool {
	return slices.ContainsFunc(d.list, func(d destination) bool { return d.format.Explained })
}

// stdout returns the report that was asked to go to stdout, if any.
func (d *destinations) stdout() (*destination, error) {
	var found *destination
	for i := range d.list {
		if d.list[i].path != "-" {
			continue
		}
		if found != nil {
			return nil, usage("stdout can take one report only, not %s and %s; give one a path", found.format.Name, d.list[i].format.Name)
		}
		found = &d.list[i]
	}
	return found, nil
}

// A shortFlag is the flag --format of the commands that have text or the same in short.
type shortFlag string

var shortFormats = []string{"text", "brief"}

func (f *shortFlag) String() string { return string(*f) }
func (f *shortFlag) Type() string   { return "FORMAT" }
func (f *shortFlag) Set(s string) error {
	if !slices.Contains(shortFormats, s) {
		return fmt.Errorf("%q is none of %s", s, strings.Join(shortFormats, ", "))
	}
	*f = shortFlag(s)
	return nil
}

func (f *shortFlag) add(c *cobra.Command) {
	c.Flags().Var(f, "format", fmt.Sprintf("text, or brief: at most %d lines, the worst first", report.BriefLines))
	must(c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(shortFormats, cobra.ShellCompDirectiveNoFileComp)))
}

// asked reports whether the answer is to be short.
func (f *shortFlag) asked() bool { return *f == "brief" }

// jsonFlag is --json PATH, which is --format json=PATH.
type jsonFlag struct{ to *destinations }

func (f jsonFlag) String() string     { return "" }
func (f jsonFlag) Type() string       { return "PATH" }
func (f jsonFlag) Set(s string) error { return f.to.add("json", s) }
