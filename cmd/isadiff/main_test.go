package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
)

var update = flag.Bool("update", false, "write the expected output in testdata anew")

// TestMain makes the test binary stand for isadiff, for an isadiff with commands
// that crash and hang, and for one that prints while it serves.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"isadiff": main,
		"isadiff-broken": func() {
			p := &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.Getenv}
			os.Exit(p.main(os.Args[1:], p.brokenCommands()))
		},
		"isadiff-noisy": func() {
			p := &program{stdin: noisy{os.Stdin}, stdout: os.Stdout, stderr: os.Stderr, env: os.Getenv}
			os.Exit(p.main(os.Args[1:], p.commands()))
		},
	})
}

// A noisy reader prints whenever it is read, as a library might.
type noisy struct{ io.Reader }

func (r noisy) Read(p []byte) (int, error) {
	fmt.Println("noise")
	return r.Reader.Read(p)
}

// brokenCommands are commands that end as no command should.
func (p *program) brokenCommands() []*cobra.Command {
	return []*cobra.Command{
		{Use: "crash", RunE: func(*cobra.Command, []string) error {
			var nothing []int
			_ = nothing[len(os.Args)]
			return nil
		}},
		{Use: "crash-late", RunE: func(*cobra.Command, []string) error {
			if err := p.say([]byte("half a report\n")); err != nil {
				return err
			}
			panic("too late")
		}},
		{Use: "wait", RunE: func(c *cobra.Command, _ []string) error {
			if err := p.say([]byte("waiting\n")); err != nil {
				return err
			}
			<-c.Context().Done()
			return c.Context().Err()
		}},
	}
}

// repository is the root of the repository, which scripts call $REPO.
func repository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestScripts(t *testing.T) {
	root := repository(t)
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"NO_COLOR", "CLICOLOR_FORCE", "FORCE_COLOR", "FLYDSL_DUMP_DIR"} {
				env.Setenv(name, "")
			}
			env.Setenv("REPO", root)
			env.Setenv("DUMPS", filepath.Join(root, "testdata", "dumps"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exit":  exitCode,
			"touch": touch,
			"edit":  edit,
		},
		Condition: func(cond string) (bool, error) {
			if cond == "devfull" {
				_, err := os.Stat("/dev/full")
				return err == nil, nil
			}
			return false, nil
		},
	})
}

// touch sets the modification time of files: touch SECONDS FILE... since a fixed
// moment, so that what is older and newer does not depend on the checkout.
func touch(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: touch seconds file...")
	}
	seconds, err := time.ParseDuration(args[0] + "s")
	ts.Check(err)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(seconds)
	for _, f := range args[1:] {
		ts.Check(os.Chtimes(ts.MkAbs(f), at, at))
	}
}
