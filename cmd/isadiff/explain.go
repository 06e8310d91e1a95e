package main

import (
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
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return operands("CODE")(c, args)
		},
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
				return usage("%q is neither a problem code nor a metric; `isadiff explain` lists them", args[0])
			}
			return p.say(text)
		},
	}
}

// topics returns what can be explained.
func topics() []string {
	var all []string
	for _, i := range problem.Table {
		all = append(all, string(i.Code)+"\t"+i.Title)
	}
	for _, m := range resource.Metrics {
		all = append(all, m.Key+"\t"+m.Meaning)
	}
	return all
}
