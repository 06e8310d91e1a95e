package main

import (
	"strings"

	"github.com/spf13/cobra"

	"isadiff/engine/diff"
	"isadiff/engine/input"
	"isadiff/engine/judge"
	"isadiff/engine/kept"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
)

func (p *program) merge() *cobra.Command {
	var (
		path  string
		noISA bool
		opt   inputFlags
	)
	c := &cobra.Command{
		Use:   "merge SNAPSHOT... -o PATH",
		Short: "Merge the snapshots of a test run that was sharded over machines",
		Long: `Merge the kernels of several snapshots or dump directories into one snapshot. A
kernel that several of them have must be the same in each: different figures,
instructions or targets mean that they are not of one run, and nothing is written.
The assembly that is kept beside them comes along. Of shards that are called
shard-I-of-N, as those of "isadiff capture --shard", all must be given.

Exit codes: 0 written; 2 not written, with the reason.`,
		Example: `  isadiff merge shard-*.json -o after.json
  isadiff merge dumps/shard-*-of-4 -o after.json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("isadiff merge: SNAPSHOT is missing")
			}
			if path == "" {
				return usage("isadiff merge: -o PATH is missing")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			p.document = path == "-"
			if missing := missingShards(args); len(missing) > 0 {
				p.doubt(missing)
				return p.end(diff.NotTrustworthy)
			}
			o, err := p.open(&opt, nil, judge.Needs{})
			if err != nil {
				return err
			}
			o.Read.NeedKernels, o.Read.Digest = true, true
			var shards []snapshot.Shard
			origins := map[*resource.Record]*kept.Origin{}
			bare := map[string]string{} // by key: the snapshot that it came from, which keeps no assembly
			for _, name := range args {
				side, err := input.Read(c.Context(), name, o.Read)
				if err != nil {
					return err
				}
				shard := snapshot.Shard{Side: side}
				if strings.HasSuffix(name, ".json") {
					_, shard.Meta = snapshot.Load(name)
				}
				shards = append(shards, shard)
				if noISA {
					continue
				}
				origin, err := kept.Of(side)
				if err != nil {
					p.caution(err.Error())
				}
				defer origin.Close()
				for _, r := range side.Records {
					if origin != nil {
						origins[r] = origin
					} else if err == nil {
						bare[r.Key] = name
					}
				}
			}
			merged := snapshot.Merge(shards)
			merged.Side.Origin = path
			p.caution(merged.Side.Warnings...)
			if !merged.Side.Trustworthy() {
				p.doubt(merged.Side.Doubts())
				return p.end(diff.NotTrustworthy)
			}
			lacking, err := p.keepMerged(path, merged, origins)
			if err != nil {
				return err
			}
			p.caution(report.Unmerged(lacking, bare)...)
			if err := p.say(report.Merged(len(args), len(merged.Side.Records), path)); err != nil {
				return err
			}
			return p.end(diff.OK)
		},
	}
	pathVar(c, &path, "output", "o", "write the snapshot to `PATH`; - is stdout, without other output")
	c.Flags().BoolVar(&noISA, "no-isa", false, "keep the figures alone, without the assembly")
	opt.add(c)
	return c
}

// keepMerged writes a merged snapshot, with the assembly of those records that have an
// origin, and returns the keys of those that have none although others do.
func (p *program) keepMerged(path string, merged snapshot.Shard, origins map[*resource.Record]*kept.Origin) ([]string, error) {
	if path == "-" {
		return nil, p.keep(path, merged.Side, merged.Meta)
	}
	var assembly kept.From
	if len(origins) > 0 {
		assembly = func(r *resource.Record) *kept.Origin { return origins[r] }
	}
	return snapshot.WriteKept(path, merged.Side, merged.Meta, assembly)
}
