package main

import (
	"github.com/spf13/cobra"

	"isadiff/engine/gate"
	"isadiff/engine/judge"
	"isadiff/engine/report"
)

func (p *program) why() *cobra.Command {
	var (
		opt   inputFlags
		shown explained
		short shortFlag
	)
	c := &cobra.Command{
		Use:   "why BEFORE AFTER",
		Short: "Show which code made the difference: instructions, source lines and loops of two sides",
		Long: `Pair the instructions of each kernel on two sides, each a dump directory, an
assembly file or a baseline that keeps its assembly (baseline.isa.zst), and show
what became of them: the same, in other registers,
changed, moved, gone or new; by class, by source line and by loop; and where the
peak of live registers rose. What is only in other registers or elsewhere is no
news. Kernels are paired as by "isadiff diff".

Source lines need debug locations, which FLYDSL_DEBUG_ENABLE_DEBUG_INFO=1 makes,
or -gline-tables-only with HIP.

Exit codes: those of "isadiff diff", and 2 if the instructions or the counts of a
side cannot be trusted.`,
		Example: `  isadiff why before after --kernels 'softmax_*'
  isadiff why .isadiff/baseline.json dumps
  isadiff why before/22_final_isa.s after/22_final_isa.s --isa
  isadiff why before after --json why.json --html why.html`,
		Args: operands("BEFORE", "AFTER"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := shown.claim(p); err != nil {
				return err
			}
			p.whole = short.asked()
			o, err := p.open(&opt, nil, judge.Needs{Judged: gate.Keys})
			if err != nil {
				return err
			}
			w, edited, err := judge.Why(c.Context(), o, args[0], args[1])
			if err != nil {
				return err
			}
			p.caution(edited...)
			if p.whole {
				about, err := judge.PlacesOf(c.Context(), o, w)
				if err != nil {
					return err
				}
				err = p.brief(report.BriefWhy(w, report.Options{Context: about, Cautions: p.cautions}))
				if err != nil {
					return err
				}
			} else {
				p.caution(w.Warnings...)
				if err := p.say(report.Why(w, report.Options{Style: p.style(p.textOut()), Assembly: shown.assembly})); err != nil {
					return err
				}
				p.doubt(w.Problems)
			}
			if err := shown.save(p,
				func() ([]byte, error) { return report.WhyJSON(w) },
				func() ([]byte, error) { return report.WhyHTML(w, build().Version) }); err != nil {
				return err
			}
			return p.end(w.Verdict)
		},
	}
	shown.add(c, "also the instructions that are gone, new or changed")
	short.add(c)
	opt.add(c)
	opt.addPairs(c)
	return c
}

// explained are the flags of the commands that look at instructions.
type explained struct {
	assembly   bool
	json, html string
}

func (e *explained) add(c *cobra.Command, assembly string) {
	c.Flags().BoolVar(&e.assembly, "isa", false, assembly)
	pathVar(c, &e.json, "json", "", "write the figures to `PATH`; - is stdout, alone")
	pathVar(c, &e.html, "html", "", "write a page with pictures to `PATH`; - is stdout, alone")
}

// claim settles which report has stdout.
func (e *explained) claim(p *program) error {
	if e.json == "-" && e.html == "-" {
		return usage("stdout can take one report only, not json and html; give one a path")
	}
	p.document = e.json == "-" || e.html == "-"
	return nil
}

// save writes the reports that were asked for, each made when it is.
func (e *explained) save(p *program, asJSON, asHTML func() ([]byte, error)) error {
	for _, to := range [...]struct {
		path   string
		render func() ([]byte, error)
	}{{e.json, asJSON}, {e.html, asHTML}} {
		if to.path == "" {
			continue
		}
		data, err := to.render()
		if err != nil {
			return err
		}
		if err := p.save(to.path, data); err != nil {
			return err
		}
	}
	return nil
}
