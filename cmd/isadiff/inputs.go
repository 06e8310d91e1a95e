package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"isadiff/engine/input"
	"isadiff/engine/project"
	"isadiff/engine/report"
	"isadiff/engine/resource"
)

// inputFlags are the flags of every command that reads sides.
type inputFlags struct {
	ignoreTimes bool
	kernels     string
}

func (f *inputFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.kernels, "kernels", "", "only kernels whose name or key matches `GLOB`, on both sides")
	c.Flags().BoolVar(&f.ignoreTimes, "ignore-times", false, "stale files are warnings: for a tree that was copied without its times")
}

// limited returns the options of a command that judges kernels: without --kernels
// those count that the project names, as for watch, which is said.
func (p *program) limited(f *inputFlags, config *project.Config) (input.Options, error) {
	o, err := f.options()
	if err != nil || f.kernels != "" || config.Kernels.All() {
		return o, err
	}
	o.Kernels = config.Kernels
	p.warn(report.Warnings([]string{fmt.Sprintf("limited to kernels that match %q (kernels, %s); --kernels '*' takes all", config.Kernels, config.Origin("kernels"))}, p.style(p.stderr)))
	return o, nil
}

func (f *inputFlags) options() (input.Options, error) {
	m, err := resource.NewMatcher(f.kernels)
	if err != nil {
		return input.Options{}, usage("--kernels: %v", err)
	}
	config, err := project.Load(project.Options{Dir: "."})
	if err != nil {
		return input.Options{}, err
	}
	return input.Options{Producers: config.Producers, Producer: config.Producer, IgnoreTimes: f.ignoreTimes, Kernels: m}, nil
}
