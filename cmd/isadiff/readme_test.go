package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A transcript is what a ```console block of a document shows: commands with the
// output that follows them.
type transcript struct {
	line    int // where the command is, 1-based
	command string
	output  []string
}

// transcripts returns the transcripts of a document. Lines that begin with "$ " are
// commands.
func transcripts(text string) (list []transcript) {
	inside := false
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case !inside:
		case strings.HasPrefix(line, "$ "):
			list = append(list, transcript{line: i + 1, command: line[2:]})
		case len(list) > 0:
			last := &list[len(list)-1]
			last.output = append(last.output, line)
		}
	}
	return list
}

// Every document's commands are run in the root of the repository, and must give
// the output that the document shows: a line "..." stands for any lines.
//
// Only isadiff itself is run, also where it is called by `go run`; `echo $?`
// shows the exit code of the command before. Other commands must show no output.
func TestDocuments(t *testing.T) {
	t.Parallel()
	root := repository(t)
	for _, path := range documents(t, root) {
		name, _ := filepath.Rel(root, path)
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			exit := 0
			for _, s := range transcripts(string(text)) {
				got, ran := run(t, root, s.command, &exit)
				if !ran {
					if len(s.output) > 0 {
						t.Errorf("%s:%d: %q is not run by this test and shows output", name, s.line, s.command)
					}
					continue
				}
				if !matches(s.output, strings.Split(strings.TrimSuffix(got, "\n"), "\n")) {
					t.Errorf("%s:%d: $ %s\nshown:\n%s\ngot:\n%s", name, s.line, s.command, strings.Join(s.output, "\n"), got)
				}
			}
		})
	}
}

// documents returns the paths of all documents.
func documents(t *testing.T, root string) []string {
	t.Helper()
	list := []string{filepath.Join(root, "README.md")}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md", "docs/*/*/*.md", "editors/*.md", "editors/*/README.md"} {
		more, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, more...)
	}
	return list
}

// run runs one command of a document.
func run(t *testing.T, root, command string, exit *int) (output string, ran bool) {
	if command == "echo $?" {
		return fmt.Sprintln(*exit), true
	}
	rest, found := strings.CutPrefix(command, "isadiff ")
	if !found {
		if rest, found = strings.CutPrefix(command, "go run ./cmd/isadiff "); !found {
			return "", false
		}
	}
	cmd := exec.Command("sh", "-c", "isadiff "+rest)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "HOME="+t.TempDir(), "FLYDSL_DUMP_DIR=")
	out, err := cmd.CombinedOutput()
	*exit = exitOf(t, err)
	return string(out), true
}

// matches reports whether got is what a document shows.
func matches(shown, got []string) bool {
	if len(shown) == 0 {
		return len(got) == 0 || len(got) == 1 && got[0] == ""
	}
	if shown[0] == "..." {
		for i := range len(got) + 1 {
			if matches(shown[1:], got[i:]) {
				return true
			}
		}
		return false
	}
	return len(got) > 0 && strings.TrimRight(shown[0], " ") == strings.TrimRight(got[0], " ") && matches(shown[1:], got[1:])
}

func TestMatches(t *testing.T) {
	tests := []struct {
		shown, got string
		want       bool
	}{
		{"a b", "a b", true},
		{"a b", "a c", false},
		{"a", "a b", false},
		{"a ... b", "a x y b", true},
		{"a ... b", "a b", true},
		{"a ... b", "a b c", false},
		{"...", "", true},
		{"", "", true},
		{"", "x", false},
	}
	for _, tt := range tests {
		if got := matches(strings.Fields(tt.shown), strings.Fields(tt.got)); got != tt.want {
			t.Errorf("%q against %q: %v", tt.shown, tt.got, got)
		}
	}
}
