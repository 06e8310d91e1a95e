package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"isadiff/engine/judge"
	"isadiff/engine/project"
	"isadiff/engine/regular"
	"isadiff/engine/report"
)

// bare answers who named no command: with the help, and with what is known of the
// project. It stays an error of usage: a script whose command is an empty variable
// must not take it for an OK.
func (p *program) bare(root *cobra.Command, _ []string) error {
	text := root.Long + "\n\n" + root.UsageString()
	if here := projectHere(); here != "" {
		text += "\n" + here
	}
	if err := p.say([]byte(text)); err != nil {
		return err
	}
	return usage("no command given")
}

// projectHere tells where the project of the working directory has its files, and
// what is there; "" if there is none.
func projectHere() string {
	wd, err := workingDir()
	if err != nil {
		return ""
	}
	config, err := project.Load(project.Options{Dir: wd})
	if err != nil || config.File == "" && !regular.Exists(filepath.Join(config.Root, ".isadiff")) {
		return ""
	}
	here := judge.HereOf(config)
	name := func(path string) string { return report.EditorLine(config.Relative(path)) }
	dated := func(s judge.Stored, none string) string {
		if !s.There {
			return name(s.Path) + ", " + none
		}
		return name(s.Path) + ", of " + s.Of
	}
	file := "no configuration file"
	if config.File != "" {
		file = name(config.File)
	}
	compile := here.Compile
	if compile == "" {
		compile = "none: set " + config.Setting("compile")
	}
	lines := []string{
		fmt.Sprintf("The project here, %s (%s):", report.EditorLine(config.Root), file),
		"  dumps     " + dated(here.Dumps, "not there yet"),
		"  baseline  " + dated(here.Baseline, "not taken yet: `isadiff snapshot` takes it"),
		"  compile   " + report.EditorLine(compile),
	}
	for _, f := range here.Faults {
		lines = append(lines, "  warning: "+report.EditorLine(f))
	}
	return strings.Join(lines, "\n") + "\n"
}
