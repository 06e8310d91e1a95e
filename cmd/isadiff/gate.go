package main

import (
	"fmt"
	"slices"
	"time"

	"isadiff/engine/accept"
	"isadiff/engine/gate"
	"isadiff/engine/project"
	"isadiff/engine/report"
)

// A needs is what of the configuration decides the answer of a command.
type needs struct {
	keys   []string // those without which there is none
	judged []string // those whose loss the answer itself tells, see [gate.Load]
}

// project reads the configuration of the working directory, with flags by key,
// and says what of it could not be used. Where the command needs it, that is an error.
func (p *program) project(flags map[string]any, n needs) (*project.Config, error) {
	wd, err := workingDir()
	if err != nil {
		return nil, err
	}
	config, err := project.Load(project.Options{Dir: wd, Flags: flags})
	if err != nil {
		return nil, err
	}
	lost, told := config.Lost(n.keys...), config.Lost(n.judged...)
	for _, f := range config.Faults {
		if f.Layer != project.Default && !slices.Contains(lost, f) && !slices.Contains(told, f) {
			p.warn(report.Warnings([]string{fmt.Sprint(f)}, p.style(p.stderr)))
		}
	}
	if len(lost) > 0 {
		return nil, p.lost(config, lost)
	}
	return config, nil
}

// lost is the error of a command that needs what could not be used: the first is it,
// the others are said.
func (p *program) lost(config *project.Config, faults []project.Fault) error {
	problems := config.Problems(faults)
	if len(problems) > 1 {
		p.warn(report.Problems(problems[1:], p.style(p.stderr)))
	}
	return problems[0]
}

// rules returns what a project allows today; see [gate.Load] for keys.
func rules(c *project.Config, keys ...string) *gate.Rules {
	return gate.Load(c, accept.DateOf(time.Now()), keys...)
}
