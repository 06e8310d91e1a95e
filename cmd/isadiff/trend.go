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
		opt   inputFlags
		shown trendFlags
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
			if err := shown.claim(p); err != nil {
				return err
			}
			o, err := p.open(&opt, nil, judge.Needs{})
			if err != nil {
				return err
			}
			var points trend.Lineup
			for _, path := range args {
				side, err := input.Read(c.Context(), path, o.Read)
				if err != nil {
					return err
				}
				points.Add(trend.Point{Side: side})
			}
			return p.showTrend(points.Trend(o.Read.Kernels), &shown)
		},
	}
	shown.add(c)
	opt.add(c)
	return c
}

// trendFlags are the flags of the commands that show a trend.
type trendFlags struct {
	report.TrendOptions
	names          []string
	asJSON, asHTML string
}

func (f *trendFlags) add(c *cobra.Command) {
	c.Flags().StringSliceVar(&f.names, "metric", nil, "show `METRIC`; may be repeated")
	c.Flags().BoolVar(&f.All, "all", false, "also show kernels that did not change")
	pathVar(c, &f.asJSON, "json", "", "write all figures as JSON to `PATH`; - is stdout, without other output")
	pathVar(c, &f.asHTML, "html", "", "write a page with charts to `PATH`; - is stdout, without other output")
}

// claim settles which metrics are shown and which report has stdout.
func (f *trendFlags) claim(p *program) error {
	if f.asJSON == "-" && f.asHTML == "-" {
		return usage("stdout can take one report only, not json and html; give one a path")
	}
	p.document = f.asJSON == "-" || f.asHTML == "-"
	f.Tool = build().Version
	for _, name := range f.names {
		m, err := metricOf(name)
		if err != nil {
			return err
		}
		f.Metrics = append(f.Metrics, m)
	}
	return nil
}

// metricOf returns the metric that --metric names.
func metricOf(name string) (resource.Metric, error) {
	m, known := resource.ParseMetric(name)
	if !known {
		return 0, usage("--metric: %q is no metric; `isadiff explain` lists them", name)
	}
	return m, nil
}

// showTrend writes a trend to where it was asked for.
func (p *program) showTrend(t *trend.Trend, f *trendFlags) error {
	p.caution(t.Warnings...)
	show := f.TrendOptions
	show.Style = p.style(p.textOut())
	if err := p.say(report.Trend(t, show)); err != nil {
		return err
	}
	p.doubt(t.Problems)
	if f.asJSON != "" {
		data, err := report.TrendJSON(t, show)
		if err != nil {
			return err
		}
		if err := p.save(f.asJSON, data); err != nil {
			return err
		}
	}
	if f.asHTML != "" {
		data, err := report.TrendHTML(t, show)
		if err != nil {
			return err
		}
		if err := p.save(f.asHTML, data); err != nil {
			return err
		}
	}
	if len(t.Problems) > 0 {
		return p.end(diff.NotTrustworthy)
	}
	return p.end(diff.OK)
}
