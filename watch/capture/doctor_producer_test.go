package capture

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/project"
	"isadiff/engine/report"
)

// TestDoctorOfAnotherCompiler: a project whose compiler is not the default one is
// asked nothing about that.
func TestDoctorOfAnotherCompiler(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the interpreters of this test are shell scripts")
	}
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		write(t, path, "#!/bin/sh\n"+text)
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	has, lacks := script("has", "echo 3.9.0\n"), script("lacks", "exit 1\n")
	for _, test := range []struct {
		producer, python string
		check            string
		state            report.CheckState
		finding          string
	}{
		{"triton", has, "Triton", report.Good, "3.9.0 for " + has},
		{"triton", lacks, "Triton", report.Failed, "not installed for " + lacks},
		{"triton", has, "dumping", report.Good, "switches it on"},
		{"triton", has, "compiler", report.Good, "Triton (isadiff.toml:1)"},
		{"hip", has, "dumping", report.Note, "cannot switch it on"},
	} {
		root := t.TempDir()
		write(t, filepath.Join(root, "isadiff.toml"), "producer = '"+test.producer+"'\ndumps = 'dumps'\n")
		config, err := project.Load(project.Options{Dir: root})
		if err != nil {
			t.Fatal(err)
		}
		checks := Doctor{Config: config, Python: test.python}.Examine(t.Context())
		i := slices.IndexFunc(checks, func(c report.Check) bool { return c.Name == test.check })
		if i < 0 || checks[i].State != test.state || !strings.Contains(checks[i].Finding, test.finding) || (test.state != report.Good) != (checks[i].Mend != "") {
			t.Errorf("%s of %s: %+v", test.check, test.producer, checks)
		}
		if slices.ContainsFunc(checks, func(c report.Check) bool { return c.Name == "FlyDSL" || c.Name == "linker" }) {
			t.Errorf("%s is asked for another compiler: %+v", test.producer, checks)
		}
	}
}
