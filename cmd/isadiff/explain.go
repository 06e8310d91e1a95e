package main

import (
	"strings"

	"github.com/spf13/cobra"

	"isadiff/engine/problem"
	"isadiff/engine/report"
	"isadiff/engine/resource"
)

func (p *program) explain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE|METRIC]",
		Short: "Explain a problem code or a metric; without one, list them",
		Example: `  isadiff explain metadata-cut
  isadiff explain vgpr_spill`,
		Args: operands("[CODE]"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return topics(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return p.say(report.Topics())
			}
			text, known := report.Explain(args[0])
			if !known {
				if near := near(args[0]); near != "" {
					return usage("%q is neither a problem code nor a metric; did you mean %s?", args[0], near)
				}
				return usage("%q is neither a problem code nor a metric; `isadiff explain` lists them", args[0])
			}
			return p.say(text)
		},
	}
}

// near returns the topic that a mistyped one is most likely meant to be, or "".
func near(topic string) string {
	c := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, t := range topics() {
		name, _, _ := strings.Cut(t, "\t")
		c.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	best := ""
	for _, name := range c.SuggestionsFor(topic) {
		if best == "" || abs(len(name)-len(topic)) < abs(len(best)-len(topic)) {
			best = name
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// topics returns what can be explained.
func topics() []string {
	var all []string
	for _, i := range problem.Table {
		all = append(all, string(i.Code)+"\t"+i.Title)
	}
	for _, g := range report.Groups {
		all = append(all, g.Name+"\t"+g.Title)
	}
	for _, m := range resource.Metrics {
		all = append(all, m.Key+"\t"+m.Meaning)
	}
	return all
}
