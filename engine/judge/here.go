package judge

import (
	"fmt"
	"os"
	"time"

	"isadiff/engine/project"
)

// A Here tells where a project has its files, and what is there.
type Here struct {
	Root     string   `json:"root" jsonschema:"the project's root"`
	File     string   `json:"file" jsonschema:"the configuration file; empty if there is none"`
	Dumps    Stored   `json:"dumps" jsonschema:"the dump directory, which compiles write"`
	Baseline Stored   `json:"baseline" jsonschema:"the figures to compare with"`
	Compile  string   `json:"compile" jsonschema:"the command that compiles the kernels; empty if none is set"`
	Faults   []string `json:"faults" jsonschema:"what of the configuration cannot be used"`
}

// A Stored is a file or folder of a project.
type Stored struct {
	Path  string `json:"path"`
	There bool   `json:"there" jsonschema:"whether it exists"`
	Of    string `json:"of,omitempty" jsonschema:"when it was last written, in local time"`
}

// HereOf returns where a project has its files.
func HereOf(c *project.Config) Here {
	stored := func(path string) Stored {
		info, err := os.Stat(path)
		if err != nil {
			return Stored{Path: path}
		}
		return Stored{Path: path, There: true, Of: info.ModTime().Format(time.DateTime)}
	}
	h := Here{Root: c.Root, File: c.File, Dumps: stored(c.Dumps), Baseline: stored(c.Baseline), Compile: c.CompileText(), Faults: []string{}}
	for _, f := range c.Faults {
		h.Faults = append(h.Faults, fmt.Sprint(f))
	}
	return h
}
