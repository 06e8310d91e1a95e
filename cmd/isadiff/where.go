package main

import (
	"github.com/spf13/cobra"

	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/where"
)

func (p *program) where() *cobra.Command {
	var (
		kernels     string
		ignoreTimes bool
		shown       explained
		short       shortFlag
	)
	c := &cobra.Command{
		Use:   "where FILE.s|DIR|SNAPSHOT",
		Short: "Show which source lines registers and spills come from",
		Long: `Show for every kernel how many registers hold a value at once, at which
instruction and source line, and what is on each line: spill stores and reloads,
scratch and LDS instructions, the most live VGPRs; and its loops. Source lines need
debug locations, which FLYDSL_DEBUG_ENABLE_DEBUG_INFO=1 makes, or
-gline-tables-only with HIP. A snapshot needs the assembly that it keeps
(NAME.isa.zst). "isadiff why" compares two sides in the same way.

Live registers explain the allocated count, which remains the metric. Figures that
the text does not determine say "at least", or ? with the reason.

Exit codes: 0 all figures were found; 2 some were not, or a peak is above the
allocated count, so the dump contradicts itself.`,
		Example: `  isadiff where ~/.flydsl/debug --kernels 'softmax*'
  isadiff where dumps/softmax_0/23_final_isa.s --json where.json`,
		Args: operands("FILE.s|DIR|SNAPSHOT"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := shown.claim(p); err != nil {
				return err
			}
			match, err := resource.NewMatcher(kernels)
			if err != nil {
				return usage("--kernels: %v", err)
			}
			result, err := where.Read(c.Context(), args[0], where.Options{Kernels: match, IgnoreTimes: ignoreTimes, List: shown.assembly || shown.html != ""})
			if err != nil {
				return err
			}
			if p.whole = short.asked(); p.whole {
				if err := p.brief(report.BriefWhere(result, report.Options{})); err != nil {
					return err
				}
			} else {
				p.caution(result.Warnings...)
				if err := p.say(report.Where(result, report.Options{Style: p.style(p.textOut()), Assembly: shown.assembly})); err != nil {
					return err
				}
				p.doubt(result.Problems)
			}
			if err := shown.save(p,
				func() ([]byte, error) { return report.WhereJSON(result) },
				func() ([]byte, error) { return report.WhereHTML(result, build().Version) }); err != nil {
				return err
			}
			return p.end(report.WhereVerdict(result))
		},
	}
	shown.add(c, "also the instructions, with the live VGPRs at each")
	short.add(c)
	c.Flags().StringVar(&kernels, "kernels", "", "only kernels whose name or key matches `GLOB`")
	c.Flags().BoolVar(&ignoreTimes, "ignore-times", false, "treat stale files as warnings, for a tree that was copied without its times")
	return c
}
