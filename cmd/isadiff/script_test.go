package main

import (
	"errors"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// exitCode runs isadiff and holds its exit code, and that the last line of
// stdout says the same: exit CODE ARGS... The output is that of the command for
// stdout and stderr to look at. Where a document has stdout (--json -), the
// verdict is the last line of stderr.
func exitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exit code args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec("isadiff", args[1:]...)
	got := 0
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		got = failed.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	out, errOut := ts.ReadFile("stdout"), ts.ReadFile("stderr")
	if got != want {
		ts.Fatalf("exit code %d, want %d\n%s%s", got, want, out, errOut)
	}
	text := out
	if strings.HasPrefix(out, "{") {
		text = errOut
	}
	text = colors.ReplaceAllString(text, "")
	verdicts := map[int]string{0: "RESULT: OK\n", 1: "RESULT: REGRESSION\n", 2: "RESULT: NOT TRUSTWORTHY\n"}
	if !strings.HasSuffix(text, verdicts[want]) {
		ts.Fatalf("the last line is not the verdict %q:\n%s", verdicts[want], text)
	}
	if n := strings.Count(text, "RESULT: "); n != 1 {
		ts.Fatalf("%d verdicts:\n%s", n, text)
	}
	for _, word := range []string{"panic:", "goroutine "} {
		if strings.Contains(errOut, word) {
			ts.Fatalf("a crash is shown:\n%s", errOut)
		}
	}
}

var colors = regexp.MustCompile("\x1b\\[[0-9;]*m")

// edit replaces a text that occurs in a file: edit FILE OLD NEW.
func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit file old new")
	}
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not contain %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, args[1], args[2])), 0o666))
}
