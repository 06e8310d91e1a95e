package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"isadiff/engine/atomicfile"
	"isadiff/engine/problem"
	"isadiff/engine/regular"
)

func (p *program) man() *cobra.Command {
	return &cobra.Command{
		Use:    "man DIR",
		Short:  "Write the manual pages into DIR",
		Long:   "Write a manual page for isadiff and one for each command, in section 1, into DIR.",
		Hidden: true, // for packagers
		Args:   operands("DIR"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return problem.New(problem.OutputUnwritable, "the folder of the manual pages cannot be made: %v", err)
			}
			for name, page := range manPages(c.Root()) {
				if err := savePage(filepath.Join(args[0], name), []byte(page)); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// savePage writes a manual page in place of an earlier one and of no other file.
func savePage(path string, page []byte) error {
	heading, _, _ := bytes.Cut(page, []byte(" "))
	if old, err := regular.ReadUpTo(path, int64(len(heading))); err == nil && !bytes.HasPrefix(old, heading) {
		return problem.New(problem.OutputUnwritable, "%s exists and is no manual page, so it is not replaced", path)
	}
	if err := atomicfile.Write(path, page); err != nil {
		return problem.New(problem.OutputUnwritable, "%s cannot be written: %v", path, problem.Cause(err))
	}
	return nil
}

// manPages returns a manual page for a command and for each below it that is
// shown in its help, by file name. They hold what `--help` says and no date, so
// that a build can be repeated.
//
// They are written here and not with cobra/doc: its Markdown converter and YAML
// writer would be three more modules in every binary, for these few macros.
func manPages(root *cobra.Command) map[string]string {
	pages := map[string]string{}
	var add func(c *cobra.Command)
	add = func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		pages[manName(c)+".1"] = manPage(c)
		for _, sub := range visible(c) {
			add(sub)
		}
	}
	root.InitDefaultVersionFlag()
	add(root)
	return pages
}

func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// visible returns the commands that the help of c lists, but for cobra's own.
func visible(c *cobra.Command) (list []*cobra.Command) {
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand() && sub.Name() != "completion" {
			list = append(list, sub)
		}
	}
	return list
}

func manPage(c *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"isadiff %s\" \"isadiff\"\n", strings.ToUpper(manName(c)), roff(c.Root().Version))
	fmt.Fprintf(&b, ".nh\n.ad l\n.SH NAME\n%s \\- %s\n", roff(manName(c)), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(c.UseLine()))
	if c.HasAvailableSubCommands() {
		fmt.Fprintf(&b, ".br\n.B %s\n.I COMMAND\n", roff(c.CommandPath()))
	}
	b.WriteString(".SH DESCRIPTION\n")
	for i, paragraph := range strings.Split(strings.TrimSpace(orElse(c.Long, c.Short+".")), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if strings.HasPrefix(paragraph, " ") { // an example, a table
			fmt.Fprintf(&b, ".nf\n%s\n.fi\n", roff(paragraph))
		} else {
			fmt.Fprintf(&b, "%s\n", roff(paragraph))
		}
	}
	manFlags(&b, "OPTIONS", c.NonInheritedFlags())
	manFlags(&b, "OPTIONS OF ALL COMMANDS", c.InheritedFlags())
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(strings.TrimRight(c.Example, "\n")))
	}
	if subs := visible(c); len(subs) > 0 {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range subs {
			fmt.Fprintf(&b, ".TP\n.BR %s (1)\n%s\n", roff(manName(sub)), roff(sub.Short))
		}
	}
	if c.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n.BR %s (1)\n", roff(manName(c.Parent())))
	}
	return b.String()
}

func manFlags(b *strings.Builder, title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	fmt.Fprintf(b, ".SH %s\n", title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "\\-\\-" + roff(f.Name)
		if f.Shorthand != "" {
			name = "\\-" + f.Shorthand + ", " + name
		}
		fmt.Fprintf(b, ".TP\n\\fB%s\\fR", name)
		if value != "" {
			fmt.Fprintf(b, " \\fI%s\\fR", roff(value))
		}
		fmt.Fprintf(b, "\n%s\n", roff(usage))
	})
}

// roff escapes text: the backslash, the hyphen that is to be copied as one, and
// what would be a macro at the start of a line.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
