package capture

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"

	"isadiff/engine/producer"
	"isadiff/engine/report"
)

// versionProbe asks a Python for the version of the package that is its argument.
const versionProbe = `
import importlib.metadata as m, sys
print(m.version(sys.argv[1]))
`

// compiler looks at what a project needs whose compiler is not the default one.
func (d Doctor) compiler(ctx context.Context, p *producer.Producer) []report.Check {
	checks := []report.Check{{Name: "compiler", Finding: p.Title + " (" + d.Config.Origin("producer").String() + ")"}}
	switch {
	case p.Import != "":
		checks = append(checks, d.packageOf(ctx, p))
	case len(p.Markers) > 0:
		checks = append(checks, clang())
	}
	if len(p.Environment) == 0 {
		return append(checks, report.Check{Name: "dumping", State: report.Note, Finding: "isadiff capture cannot switch it on",
			Mend: "keep the final assembly in the build, " + p.Assembly + ", and set " + d.Config.Setting("dumps") + " to its folder"})
	}
	return append(checks, report.Check{Name: "dumping", Finding: "isadiff capture switches it on"})
}

// packageOf looks for the Python package of a compiler.
func (d Doctor) packageOf(ctx context.Context, p *producer.Producer) report.Check {
	c := report.Check{Name: p.Title}
	python := d.Python
	if python == "" {
		python = d.findPython()
	}
	if python == "" {
		c.State, c.Finding, c.Mend = report.Failed, "no python3 on PATH", "install Python, or activate the virtual environment that has "+p.Title
		return c
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	command := exec.CommandContext(ctx, python, "-c", versionProbe, p.Import)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		c.State, c.Finding = report.Failed, fmt.Sprintf("not installed for %s", python)
		c.Mend = fmt.Sprintf("pip install %s, or activate the virtual environment that has it", p.Import)
		return c
	}
	c.Finding = strings.TrimSpace(string(out)) + " for " + python
	return c
}

// clang looks for a clang that compiles for AMD GPUs.
func clang() report.Check {
	c := report.Check{Name: "clang"}
	for _, name := range []string{"amdclang++", "hipcc", "clang++", "clang"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if out, err := exec.Command(path, "--print-targets").Output(); err == nil && !strings.Contains(string(out), "amdgcn") {
			continue
		}
		c.Finding = path
		return c
	}
	c.State, c.Finding = report.Note, "no amdclang++, hipcc or clang with an AMDGPU backend on PATH"
	c.Mend = "put the folder of the one that your build uses on PATH, or ignore this if the build finds it by itself"
	return c
}
