package main

import (
	"encoding/json"
	"fmt"

	"isadiff/engine/version"

	"github.com/spf13/cobra"
)

// release is the version of a release build; the linker sets it.
var release = ""

func (p *program) version() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Show the version",
		Args:  operands(),
		RunE: func(*cobra.Command, []string) error {
			v := build()
			if !asJSON {
				return p.say(fmt.Appendf(nil, "isadiff %s (%s, %s)\n", v.Version, orUnknown(v.Commit), v.Go))
			}
			data, err := json.Marshal(v)
			if err != nil {
				return err
			}
			return p.say(append(data, '\n'))
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON: version, go, commit")
	return c
}

func build() version.Build { return version.Of(release) }

func orUnknown(commit string) string {
	if commit == "" {
		return "unknown commit"
	}
	return commit[:min(12, len(commit))]
}
