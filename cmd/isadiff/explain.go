package main

import (
	"strings"

	"github.com/spf13/cobra"

	"isadiff/engine/report"
)

func (p *program) explain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [CODE|METRIC|WORD]",
		Short: "Explain a problem code, a metric or a word that isadiff shows; without one, list them",
		Example: `  isadiff explain metadata-cut
  isadiff explain vgpr_spill
  isadiff explain edited since`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return report.TopicNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return p.say(report.Topics())
			}
			topic := strings.Join(args, " ")
			text, known := report.Explain(topic)
			if !known {
				if near := near(topic); near != "" {
					return usage("%q is no problem code, metric or word of isadiff; did you mean %s?", topic, near)
				}
				return usage("%q is no problem code, metric or word of isadiff; `isadiff explain` lists them", topic)
			}
			return p.say(text)
		},
	}
}

// near returns the topic that a mistyped one is most likely meant to be, or "".
func near(topic string) string {
	c := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, t := range report.TopicNames() {
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
