package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"isadiff/engine/diff"
	"isadiff/engine/input"
	"isadiff/engine/project"
	"isadiff/engine/report"
	"isadiff/engine/resource"
)

// inputFlags are the flags of every command that reads sides.
type inputFlags struct {
	ignoreTimes bool
	kernels     string
	pairs       []string
}

func (f *inputFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.kernels, "kernels", "", "only kernels whose name or key matches `GLOB`")
	c.Flags().BoolVar(&f.ignoreTimes, "ignore-times", false, "treat stale files as warnings, for a tree that was copied without its times")
}

// addPairs adds the flag of the commands that compare two sides.
func (f *inputFlags) addPairs(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.pairs, "pair", nil, "pair kernel OLD with kernel NEW: `OLD=NEW`; * stands for the same text on both sides; may be repeated")
}

// orders returns what --pair says as the configuration has it; nil if it was not given.
func (f *inputFlags) orders() (map[string]any, error) {
	if len(f.pairs) == 0 {
		return nil, nil
	}
	pairs := make(map[string]any, len(f.pairs))
	for _, text := range f.pairs {
		before, after, err := diff.SplitOrder(text)
		if err != nil {
			return nil, usage("--pair %v", err)
		}
		if _, err := diff.NewOrder(before, after, ""); err != nil {
			return nil, usage("--pair %s: %v", text, err)
		}
		if other, given := pairs[before]; given && other != after {
			return nil, usage("--pair pairs %q with %q and with %q", before, other, after)
		}
		pairs[before] = after
	}
	return pairs, nil
}

// options returns the project's configuration, with flags by key, and the options
// of a command that judges kernels: without --kernels those count that the project
// names, as for watch, which is said.
func (p *program) options(f *inputFlags, flags map[string]any, n needs) (*project.Config, input.Options, error) {
	kernels, err := f.matcher()
	if err != nil {
		return nil, input.Options{}, err
	}
	if f.kernels != "" {
		if flags == nil {
			flags = map[string]any{}
		}
		flags["kernels"] = f.kernels
	}
	pairs, err := f.orders()
	if err != nil {
		return nil, input.Options{}, err
	}
	if pairs != nil {
		if flags == nil {
			flags = map[string]any{}
		}
		flags["pairs"] = pairs
	}
	if n.judged == nil {
		n.keys = append(slices.Clone(n.keys), "kernels", "producers")
	}
	config, err := p.project(flags, n)
	if err != nil {
		return nil, input.Options{}, err
	}
	if f.kernels == "" && !config.Kernels.All() {
		kernels = config.Kernels
		p.warn(report.Warnings([]string{fmt.Sprintf("limited to kernels that match %q (kernels, %s); --kernels '*' takes all", kernels, config.Origin("kernels"))}, p.style(p.stderr)))
	}
	return config, input.Options{Producers: config.Producers, Producer: config.Producer, IgnoreTimes: f.ignoreTimes, Kernels: kernels}, nil
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

// matcher returns what --kernels matches.
func (f *inputFlags) matcher() (*resource.Matcher, error) {
	m, err := resource.NewMatcher(f.kernels)
	if err != nil {
		return nil, usage("--kernels: %v", err)
	}
	return m.From("--kernels"), nil
}
