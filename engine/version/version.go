// Package version says which build of isadiff runs.
package version

import (
	"runtime"
	"runtime/debug"
)

// A Build says which build this is.
type Build struct {
	Version string `json:"version"`
	Go      string `json:"go"`
	Commit  string `json:"commit"` // "" if it was not built in a checkout
}

// Of returns which build this is. release is the version of a release build, which the
// linker sets in the program; "" of others.
func Of(release string) Build {
	v := Build{Version: release, Go: runtime.Version()}
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
