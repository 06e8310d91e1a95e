package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

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

// A buildVersion says which build this is.
type buildVersion struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	Commit  string `json:"commit"` // "" if it was not built in a checkout
}

func build() buildVersion {
	v := buildVersion{Version: release, Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if v.Version == "" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v.Commit = s.Value
		}
	}
	if v.Version == "" || v.Version == "(devel)" {
		v.Version = "devel"
	}
	return v
}

func orUnknown(commit string) string {
	if commit == "" {
		return "unknown commit"
	}
	return commit[:min(12, len(commit))]
}
