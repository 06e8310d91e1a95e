package main

import (
	"slices"
	"time"

	"github.com/spf13/cobra"

	"isadiff/engine/accept"
	"isadiff/engine/facts"
	"isadiff/engine/gate"
	"isadiff/engine/input"
	"isadiff/engine/judge"
	"isadiff/engine/report"
	"isadiff/engine/resource"
)

func (p *program) accept() *cobra.Command {
	var (
		opt                    inputFlags
		choice                 gate.Choice
		metrics                []string
		until                  string
		before, dumps, written string
	)
	c := &cobra.Command{
		Use:   "accept KERNEL",
		Short: "Accept that a kernel got worse, in a file that you commit and review",
		Long: `Compare the baseline with the dumps, and write an entry into
.isadiff/accepted.toml for each metric of KERNEL (a name, a key or a glob) that
grew: up to its present figure, with the reason, and with the last day if there is
one. Without flags the configuration says where the baseline and the dumps are.

Accepted growth is shown and counted, and is no regression. diff names an entry
that no longer holds, has expired or is no longer needed.

Exit codes: 0 accepted, or nothing to accept; 2 not compared or not written. What
was accepted is printed, and no RESULT: whether anything else got worse, diff says.`,
		Example: `  isadiff accept window_filter_0 --reason '128 outputs a thread' --until 2027-03-31
  isadiff accept 'softmax_*' --metric vgpr --baseline before.json --dumps dumps`,
		Args: operands("KERNEL"),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if choice.Kernels, err = resource.NewMatcher(args[0]); err != nil {
				return usage("%v", err)
			}
			if err := parseChoice(&choice, metrics, until); err != nil {
				return err
			}
			o, err := p.open(&opt, flagged("baseline", before, "dumps", dumps, "accepted", written), judge.Needs{Keys: []string{"baseline", "dumps", "accepted"}})
			if err != nil {
				return err
			}
			path, err := o.Config.WritableAccepted()
			if err != nil {
				return err
			}
			old, now, err := input.ReadBoth(c.Context(), o.Config.Baseline, o.Config.Dumps, o.Read)
			if err != nil {
				return err
			}
			whence(old, o.Config, "baseline")
			whence(now, o.Config, "dumps")
			r := judge.Compare(o, old, now)
			p.caution(r.Warnings...)
			for i := range r.Rows {
				if row := &r.Rows[i]; row.Unlaunchable != "" {
					p.caution(row.Key + " " + facts.CannotLaunch(row.Unlaunchable) + "; no acceptance covers that")
				}
			}
			entries, err := gate.Propose(r, choice)
			if err != nil {
				return err
			}
			if len(entries) > 0 {
				if err := accept.Add(path, entries); err != nil {
					return err
				}
			}
			if slices.ContainsFunc(entries, func(e accept.Entry) bool { return e.Reason == "" }) {
				p.caution("no reason is noted for whoever reviews it; run it again with --reason TEXT")
			}
			return p.say(report.Added(path, entries))
		},
	}
	c.Flags().StringVar(&choice.Reason, "reason", "", "the reason `TEXT`, for the reviewer")
	c.Flags().StringVar(&until, "until", "", "the last `DAY` on which it is accepted, such as 2027-03-31")
	c.Flags().StringSliceVar(&metrics, "metric", nil, "only `METRIC`; may be repeated")
	pathVar(c, &before, "baseline", "", "compare with `PATH`, a .json snapshot or a dump directory")
	pathVar(c, &dumps, "dumps", "", "the dump directory `DIR` of the code under test")
	pathVar(c, &written, "output", "o", "write to `PATH`")
	c.Flags().BoolVar(&opt.IgnoreTimes, "ignore-times", false, "treat stale files as warnings, for a tree that was copied without its times")
	return c
}

// parseChoice completes a choice from its flags.
func parseChoice(choice *gate.Choice, metrics []string, until string) (err error) {
	for _, name := range metrics {
		m, known := resource.ParseMetric(name)
		if !known || !m.Trigger() {
			return usage("--metric: %q is no metric whose growth is a regression; `isadiff explain` lists them", name)
		}
		choice.Metrics = append(choice.Metrics, m)
	}
	if until != "" {
		if choice.Until, err = accept.ParseDate(until); err != nil {
			return usage("--until %v", err)
		}
		if choice.Until < accept.DateOf(time.Now()) {
			return usage("--until is %s, which has passed: nothing would be accepted", until)
		}
	}
	return nil
}

// flagged returns the configuration that flags set: pairs of a key and its value,
// "" if the flag was not given.
func flagged(pairs ...string) map[string]any {
	set := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			set[pairs[i]] = pairs[i+1]
		}
	}
	return set
}
