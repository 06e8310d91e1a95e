package main

import (
	"fmt"
	"time"

	"isadiff/engine/accept"
	"isadiff/engine/gate"
	"isadiff/engine/project"
	"isadiff/engine/report"
)

// project reads the configuration of the working directory, with flags by key,
// and says what of it could not be used.
func (p *program) project(flags map[string]any) (*project.Config, error) {
	wd, err := workingDir()
	if err != nil {
		return nil, err
	}
	config, err := project.Load(project.Options{Dir: wd, Flags: flags})
	if err != nil {
		return nil, err
	}
	for _, f := range config.Faults {
		p.warn(report.Warnings([]string{fmt.Sprint(f)}, p.style(p.stderr)))
	}
	return config, nil
}

// rules returns what a project allows today.
func rules(c *project.Config) *gate.Rules { return gate.Load(c, accept.DateOf(time.Now())) }
