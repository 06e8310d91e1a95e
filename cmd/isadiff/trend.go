package main

import (
	"github.com/spf13/cobra"

	"isadiff/engine/diff"
	"isadiff/engine/input"
	"isadiff/engine/judge"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/trend"
)

func (p *program) trend() *cobra.Command {
	var (
		opt            inputFlags
		show           report.TrendOptions
		metrics        []string
		asJSON, asHTML string
	)
	c := &cobra.Command{
		Use:   "trend SNAPSHOT...",
		Short: "Show the figures over many snapshots",
		Long: `Show the figures of many snapshots (or dump directories), in the order given: a
table for each metric that changed, and charts with --html. There is no verdict.

Exit codes: 0 all figures were read; 2 not trustworthy.`,
		Example: `  isadiff trend history/*.json
  isadiff trend v1.json v2.json dumps --metric vgpr --html trend.html`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return missing(c, "SNAPSHOT")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			if asJSON == "-" && asHTML == "-" {
				return usage("stdout can take one report only, not json and html; give one a path")
			}
			p.document = asJSON == "-" || asHTML == "-"
			for _, name := range metrics {
				m, known := resource.ParseMetric(name)
				if !known {
					return usage("--metric: %q is no metric; `isadiff explain` lists them", name)
				}
				show.Metrics = append(show.Metrics, m)
			}
			o, err := p.open(&opt, nil, judge.Needs{})
			if err != nil {
				return err
			}
			sides := make([]*resource.Side, len(args))
			for i, path := range args {
				if sides[i], err = input.Read(c.Context(), path, o.Read); err != nil {
					return err
				}
			}
			t := trend.Of(sides, o.Read.Kernels)
			show.Tool = build().Version
			return p.showTrend(t, show, asJSON, asHTML)
		},
	}
	c.Flags().StringSliceVar(&metrics, "metric", nil, "show `METRIC`; may be repeated")
	c.Flags().BoolVar(&show.All, "all", false, "also show kernels that did not change")
	pathVar(c, &asJSON, "json", "", "write all figures as JSON to `PATH`; - is stdout, without other output")
	pathVar(c, &asHTML, "html", "", "write a page with charts to `PATH`; - is stdout, without other output")
	opt.add(c)
	return c
}

// showTrend writes a trend to where it was asked for.
func (p *program) showTrend(t *trend.Trend, show report.TrendOptions, asJSON, asHTML string) error {
	p.caution(t.Warnings...)
	show.Style = p.style(p.textOut())
	if err := p.say(report.Trend(t, show)); err != nil {
		return err
	}
	p.doubt(t.Problems)
	if asJSON != "" {
		data, err := report.TrendJSON(t)
		if err != nil {
			return err
		}
		if err := p.save(asJSON, data); err != nil {
			return err
		}
	}
	if asHTML != "" {
		data, err := report.TrendHTML(t, show)
		if err != nil {
			return err
		}
		if err := p.save(asHTML, data); err != nil {
			return err
		}
	}
	if len(t.Problems) > 0 {
		return p.end(diff.NotTrustworthy)
	}
	return p.end(diff.OK)
}
