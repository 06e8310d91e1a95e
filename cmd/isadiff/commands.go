package main

import "github.com/spf13/cobra"

// commands returns every subcommand; each stands in the file of its name.
func (p *program) commands() []*cobra.Command {
	return []*cobra.Command{
		p.bisect(),
		p.summarize(),
		p.capture(),
		p.compare(),
		p.merge(),
		p.doctor(),
		p.diff(),
		p.snapshot(),
		p.accept(),
		p.demo(),
		p.explain(),
		p.history(),
		p.lsp(),
		p.man(),
		p.pytest(),
		p.trend(),
		p.version(),
		p.watch(),
		p.where(),
		p.why(),
	}
}
