package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

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
	name := func(path string) string { return report.EditorLine(config.Relative(path)) }
	dated := func(path, none string) string {
		info, err := os.Stat(path)
		if err != nil {
			return name(path) + ", " + none
		}
		return name(path) + ", of " + info.ModTime().Format(time.DateTime)
	}
	file := "no configuration file"
	if config.File != "" {
		file = name(config.File)
	}
	compile := config.CompileText()
	if compile == "" {
		compile = "none: set " + config.Setting("compile")
	}
	lines := []string{
		fmt.Sprintf("The project here, %s (%s):", report.EditorLine(config.Root), file),
		"  dumps     " + dated(config.Dumps, "not there yet"),
		"  baseline  " + dated(config.Baseline, "not taken yet: `isadiff snapshot` takes it"),
		"  compile   " + report.EditorLine(compile),
	}
	for _, f := range config.Faults {
		lines = append(lines, "  warning: "+report.EditorLine(fmt.Sprint(f)))
	}
	return strings.Join(lines, "\n") + "\n"
}
