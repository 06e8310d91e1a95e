package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"isadiff/engine/diff"
	"isadiff/lsp"
)

func (p *program) lsp() *cobra.Command {
	c := &cobra.Command{
		Use:   "lsp",
		Short: "Run the language server on stdin and stdout",
		Long: `lsp speaks the Language Server Protocol on stdin and stdout. An editor starts
it; it watches the baseline and the dump directory of each workspace folder, and
shows on the Python definitions what the kernels use.

It exits with 0 if the editor said shutdown first, and with 1 otherwise.`,
		Args: operands(),
		RunE: func(c *cobra.Command, _ []string) error {
			wire := p.stdout
			// Whatever else is printed must not reach the editor.
			p.stdout, os.Stdout = p.stderr, os.Stderr
			// A terminal that goes away takes the editor in it along, and with the server
			// what it compiles.
			ctx, stop := hangup(c.Context())
			defer stop()
			context.AfterFunc(ctx, stop) // a second signal ends the process at once
			s := lsp.New(lsp.Options{Version: build().Version, Log: p.stderr})
			if s.Run(ctx, p.stdin, wire) != 0 {
				return verdict(diff.Regression)
			}
			return nil
		},
	}
	c.Flags().Bool("stdio", true, "accepted for editors that pass it; the only transport")
	c.Flags().Int("clientProcessId", 0, "the editor's process; the same as in initialize")
	must(c.Flags().MarkHidden("clientProcessId"))
	return c
}
