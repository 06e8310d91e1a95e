package capture

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/project"
	"isadiff/engine/report"
)

// Each thing that can be wrong is found, with what mends it.
func TestDoctor(t *testing.T) {
	python := need(t, "python3")
	rocm := t.TempDir()
	linker := filepath.Join(rocm, "llvm", "bin", "ld.lld")
	write(t, linker, "#!/bin/sh\necho 'Debian LLD 14.0.6 (compatible with GNU linkers)'\n")
	if err := os.Chmod(linker, 0o755); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	write(t, filepath.Join(root, "isadiff.toml"), "dumps = 'dumps'\nnonsense = 1\n")
	write(t, filepath.Join(root, ".isadiff", "baseline.json"), "{")
	config, err := project.Load(project.Options{Dir: root})
	if err != nil {
		t.Fatal(err)
	}
	env := map[string]string{
		"ROCM_PATH": rocm, "ARCH": "gfx942", "FLYDSL_COMPILE_LLVM_DIR": "/llvm", "FLYDSL_DUMP_IR": "1",
	}
	checks := Doctor{Config: config, Python: python, Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}.Examine(t.Context())
	expect := func(name string, state report.CheckState, finding, mend string) {
		t.Helper()
		i := slices.IndexFunc(checks, func(c report.Check) bool { return c.Name == name })
		if i < 0 {
			t.Errorf("no check %q", name)
			return
		}
		if c := checks[i]; c.State != state || !strings.Contains(c.Finding, finding) || !strings.Contains(c.Mend, mend) || (c.State != report.Good) != (c.Mend != "") {
			t.Errorf("%+v", c)
		}
	}
	expect("Python", report.Good, "3.", "")
	expect("linker", report.Failed, "LLD 14", "17 or newer")
	expect("device libraries", report.Note, "ocml.bc", "ROCM_PATH")
	expect("target", report.Failed, `ARCH is "gfx942" and FLYDSL_GPU_ARCH is ""`, "both")
	expect("dumping", report.Failed, "FLYDSL_COMPILE_LLVM_DIR", "unset")
	expect("compile cache", report.Note, "on", "FLYDSL_RUNTIME_ENABLE_CACHE=0")
	expect("dumps", report.Note, "does not exist yet", "compile")
	expect("baseline", report.Failed, "baseline.json", "write the snapshot again")
	expect("compile command", report.Note, "none", "isadiff.toml")
	expect("git", report.Note, "is in no git work tree", "git")
	expect("configuration", report.Note, "nonsense", "correct the file, variable or setting that the message names")

	checks = Doctor{Config: config, Python: filepath.Join(root, "no-python")}.Examine(t.Context())
	expect("Python", report.Failed, "does not answer", "check the path")
}

func TestOlder(t *testing.T) {
	for version, want := range map[string]bool{"0.4.1": true, "0.4.2": false, "0.4.2.dev1": false, "0.3.4.1": true, "1.0": false, "0.4": true, "x": false} {
		if got := older(version, 0, 4, 2); got != want {
			t.Errorf("%s: %v", version, got)
		}
	}
}

// A machine that only compares needs no compiler.
func TestDoctorWithoutCompiler(t *testing.T) {
	for text, want := range map[string]report.CheckState{"": report.Note, "compile = \"make\"\n": report.Failed} {
		root := t.TempDir()
		write(t, filepath.Join(root, "isadiff.toml"), text)
		config, err := project.Load(project.Options{Dir: root})
		if err != nil {
			t.Fatal(err)
		}
		d := Doctor{Config: config, Env: func(name string) (string, bool) {
			return filepath.Join(root, "none"), name == "ROCM_PATH"
		}}
		if c := d.linker(); c.State != want || c.Mend == "" {
			t.Errorf("%q: %+v", text, c)
		}
	}
}

// The plugin of pytest has to be of the binary's version.
func TestDoctorPlugin(t *testing.T) {
	for protocol, want := range map[int]report.CheckState{0: report.Note, PytestProtocol: report.Good, PytestProtocol + 1: report.Note} {
		if c := (pythonEnvironment{Plugin: protocol}).plugin(); c.State != want || (c.Mend == "") != (want == report.Good) {
			t.Errorf("%d: %+v", protocol, c)
		}
	}
	plugin, err := os.ReadFile(filepath.Join("..", "..", "cmd", "packaging", "python", "isadiff", "pytest_plugin.py"))
	if line := fmt.Sprintf("\nPROTOCOL = %d\n", PytestProtocol); err != nil || !strings.Contains(string(plugin), line) {
		t.Errorf("the plugin does not say %q: %v", line, err)
	}
}
