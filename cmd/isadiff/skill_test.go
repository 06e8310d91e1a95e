package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"isadiff/engine/problem"
)

// skillRuns is what each command of the skill for agents gives in a project whose last
// edit made a kernel spill: the exit code, and a part of its output.
var skillRuns = map[string]struct {
	exit   int
	output string
}{
	"isadiff compare HEAD --format brief -- python -m pytest tests/kernels -q":                                {1, "\nworse: k::window_filter_0 gfx942\n"},
	"isadiff capture -q -o before -- python -m pytest tests/kernels -q":                                       {0, "captured 1 compile in "},
	"isadiff capture -q -o after -- python -m pytest tests/kernels -q":                                        {0, "captured 1 compile in "},
	"isadiff diff before after --format brief":                                                                {1, "\n  why: spill stores and reloads 0 -> 67, "},
	"isadiff compare HEAD --arch gfx942 --allow-failures --format brief -- python -m pytest tests/kernels -q": {1, "\nworse: gfx942/k::window_filter_0 gfx942\n"},
	"isadiff doctor":                 {-1, "compile command"},
	"isadiff explain only-in-before": {0, "run the same tests on both sides"},
	"isadiff why before after --kernels window_filter_0 --format brief":                                              {1, "\n  live VGPRs peak at 82 -> 122, "},
	"isadiff compare HEAD -o sides --format brief -- python -m pytest tests/kernels -q":                              {1, "\nnext: isadiff why sides/before sides/after --kernels k::window_filter_0\n"},
	"isadiff why sides/before sides/after --kernels window_filter_0 --format brief":                                  {1, "\n  live VGPRs peak at 82 -> 122, "},
	"isadiff where after --kernels window_filter_0 --format brief":                                                   {0, "\n  34 spill stores, 33 reloads\n"},
	"isadiff summarize after --format brief":                                                                         {0, "vgpr_spill 136, "},
	"isadiff accept window_filter_0 --reason '128 outputs a thread halve the loads' --baseline before --dumps after": {0, "accepted.toml"},
	"isadiff snapshot before -o .isadiff/baseline.json":                                                              {0, "1 kernel in .isadiff/baseline.json\n"},
	"isadiff diff before after --pair 'window_filter_0=window_filter_0' --format brief":                              {0, "\naccepted: k::window_filter_0 gfx942"},
	"isadiff explain":                       {0, "only-in-before"},
	"isadiff explain vgpr_spill":            {0, "trigger"},
	"isadiff diff before after --occupancy": {0, "waves"},
}

// Every command of the skill is run, in the order in which an agent reads it, and gives
// what the skill says.
func TestSkill(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the compiler of this test is a shell script")
	}
	skill := filepath.Join(repository(t), "editors", "agents", "isadiff", "skills", "isadiff")
	dir, programs := t.TempDir(), t.TempDir()
	copyTo := func(side string) {
		t.Helper()
		from := filepath.Join(repository(t), "testdata", "dumps", "tile-up-spills", "gfx942", side, "window_filter", "window_filter_0", "22_final_isa.s")
		text, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "kernel.s"), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	python := "#!/bin/sh\n[ \"$*\" = '-m pytest tests/kernels -q' ] || exit 9\nmkdir -p \"$FLYDSL_DUMP_DIR/k\" && cp kernel.s \"$FLYDSL_DUMP_DIR/k/22_final_isa.s\"\n"
	if err := os.WriteFile(filepath.Join(programs, "python"), []byte(python), 0o777); err != nil {
		t.Fatal(err)
	}
	env := append(os.Environ(), "PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+t.TempDir(), "XDG_CACHE_HOME="+t.TempDir(), "FLYDSL_DUMP_DIR=", "NO_COLOR=1")
	shell := func(command string) (string, int) {
		t.Helper()
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir, cmd.Env = dir, env
		out, err := cmd.CombinedOutput()
		return string(out), exitOf(t, err)
	}
	copyTo("before")
	if out, exit := shell("git init -q && git add . && git -c user.name=a -c user.email=a@b commit -q -m before"); exit != 0 {
		t.Fatal(out)
	}
	copyTo("after")
	ran := map[string]bool{}
	for _, page := range []string{"SKILL.md", "references/verdicts.md", "references/causes.md"} {
		text, err := os.ReadFile(filepath.Join(skill, filepath.FromSlash(page)))
		if err != nil {
			t.Fatal(err)
		}
		for _, command := range commandsIn(string(text)) {
			want, known := skillRuns[command]
			if !known {
				t.Errorf("%s: nothing holds %q", page, command)
				continue
			}
			ran[command] = true
			switch {
			case strings.Contains(command, "-o before "):
				copyTo("before")
			case strings.Contains(command, "-o after "):
				copyTo("after")
			}
			out, exit := shell(command)
			if exit != want.exit && want.exit >= 0 || !strings.Contains(out, want.output) {
				t.Errorf("%s: %s\nexit %d, want %d and %q\n%s", page, command, exit, want.exit, want.output, out)
			}
		}
	}
	for command := range skillRuns {
		if !ran[command] {
			t.Errorf("the skill has no %q", command)
		}
	}
	text, err := os.ReadFile(filepath.Join(skill, "references", "verdicts.md"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		cell, row := strings.CutPrefix(line, "| `")
		cell, _, _ = strings.Cut(cell, " |")
		for code := range strings.SplitSeq(strings.Trim(cell, "`"), "`, `") {
			if row && !problem.Known(problem.Code(code)) {
				t.Errorf("there is no code %q", code)
			}
		}
	}
	if text, _ := os.ReadFile(filepath.Join(skill, "SKILL.md")); strings.Count(string(text), "\n") >= 500 {
		t.Error("the skill is longer than agents take")
	}
}

// commandsIn returns the commands of a page's blocks for the shell.
func commandsIn(text string) (commands []string) {
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```sh"
		case inside && line != "" && !strings.HasPrefix(line, "#"):
			commands = append(commands, line)
		}
	}
	return commands
}
