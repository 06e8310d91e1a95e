// Command isadiff-mcp is a server of the Model Context Protocol on its standard streams:
// it lets a coding agent ask what the commands of isadiff answer.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/pflag"

	"isadiff/engine/version"
	"isadiff/mcp"
)

// release is the version of a release build; the linker sets it.
var release = ""

const usage = `usage: isadiff-mcp [--read-only] [DIR...]

Serves the tools of isadiff to a coding agent, by the Model Context Protocol on
standard input and output. An agent starts it; see docs/use/agents.md.

Only DIR and what is below is read and written. Without DIR these are the client's
roots, and without roots the working directory.

`

func main() { os.Exit(run()) }

func run() int {
	flags := pflag.NewFlagSet("isadiff-mcp", pflag.ContinueOnError)
	flags.Usage = func() { fmt.Fprint(os.Stderr, usage, flags.FlagUsages()) }
	readOnly := flags.Bool("read-only", false, "without the tools that write a file or run a command: snapshot and compare")
	show := flags.Bool("version", false, "show the version")
	switch err := flags.Parse(os.Args[1:]); {
	case errors.Is(err, pflag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(os.Stderr, "error: [usage] %v\n  hint: see isadiff-mcp --help\n", err)
		return 2
	}
	build := version.Of(release)
	if *show {
		fmt.Printf("isadiff-mcp %s\n", build.Version)
		return 0
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := mcp.Serve(ctx, mcp.Options{Dirs: flags.Args(), ReadOnly: *readOnly, Version: build.Version}, os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintf(os.Stderr, "error: the session has ended: %v\n", err)
		return 2
	}
	return 0
}
