package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"isadiff/engine/judge"
	"isadiff/engine/project"
	"isadiff/engine/resource"
)

// inputFlags are the flags of every command that reads sides.
type inputFlags struct{ judge.Inputs }

func (f *inputFlags) add(c *cobra.Command) {
	f.Dash = "--"
	c.Flags().StringVar(&f.Kernels, "kernels", "", "only kernels whose name or key matches `GLOB`")
	c.Flags().BoolVar(&f.IgnoreTimes, "ignore-times", false, "treat stale files as warnings, for a tree that was copied without its times")
}

// addPairs adds the flag of the commands that compare two sides.
func (f *inputFlags) addPairs(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.Pairs, "pair", nil, "pair kernel OLD with kernel NEW: `OLD=NEW`; * stands for the same text on both sides; may be repeated")
}

// open returns the project of the working directory, with flags by key, and how a
// command that judges kernels reads its sides: without --kernels those count that the
// project names, as for watch, which is said.
func (p *program) open(f *inputFlags, flags map[string]any, n judge.Needs) (judge.Opened, error) {
	wd, err := workingDir()
	if err != nil {
		return judge.Opened{}, err
	}
	o, err := judge.Open(project.Options{Dir: wd, Flags: flags}, f.Inputs, n)
	p.caution(o.Warnings...)
	return o, p.lost(err)
}

// project reads the configuration of the working directory, with flags by key, and
// says what of it could not be used. Where the command needs it, that is an error.
func (p *program) project(flags map[string]any, n judge.Needs) (*project.Config, error) {
	wd, err := workingDir()
	if err != nil {
		return nil, err
	}
	config, warnings, err := judge.Project(project.Options{Dir: wd, Flags: flags}, n)
	p.caution(warnings...)
	return config, p.lost(err)
}

// lost says of several parts of the configuration which cannot be used: the first is
// the error.
func (p *program) lost(err error) error {
	if u := (judge.Unusable{}); errors.As(err, &u) {
		p.doubt(u[1:])
	}
	return err
}

// whence adds to the problems of a whole side where its path was set: who gave none
// on the command line cannot know what is looked at.
func whence(side *resource.Side, config *project.Config, key string) {
	origin := config.Origin(key)
	if origin.Layer == project.Flag {
		return
	}
	for i := range side.Problems {
		if p := &side.Problems[i]; p.File == side.Origin {
			p.Message += fmt.Sprintf(" (%s, from %s)", key, origin)
		}
	}
}
