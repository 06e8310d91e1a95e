package main

import (
	"context"
	"path/filepath"
	"sync"

	"github.com/spf13/cobra"

	"isadiff/engine/judge"
	"isadiff/engine/live"
	"isadiff/engine/project"
	"isadiff/watch/session"
)

// A saving says what watch compiles after a save.
type saving struct {
	command    []string // nil if none was given
	configured bool     // the project's own
	allow      bool     // failures of it
}

func (s saving) asked() bool { return s.configured || s.command != nil }

// beforeDash splits the operands at --; command is nil without one.
func beforeDash(c *cobra.Command, args []string) (before, command []string) {
	at := c.ArgsLenAtDash()
	if at < 0 {
		return args, nil
	}
	return args[:at:at], args[at:]
}

// A saver compiles what watch shows, after each save. A nil one does nothing.
type saver struct {
	watched  *watched
	saving   saving
	dir      string // where a command of the command line runs
	compiler *session.Compiler
	runs     sync.WaitGroup
}

// saves has the project compiled whenever it is saved, until ctx ends. Where no
// directory is configured, that of a capture is watched.
func (w *watched) saves(ctx context.Context, run saving) error {
	if run.command != nil && len(run.command) == 0 {
		return usage("isadiff watch: no command after --")
	}
	wd, err := workingDir()
	if err != nil {
		return err
	}
	config, err := project.Load(project.Options{Dir: wd, Flags: w.flags})
	if err != nil {
		return err
	}
	if run.configured {
		if lost := config.Lost("compile"); len(lost) > 0 {
			return w.lost(judge.Unusable(config.Problems(lost)))
		}
		if _, err := config.Command(true); err != nil {
			return usage("%v, or give a command after --", err)
		}
	}
	if len(config.Lost("dumps")) == 0 {
		dumps, err := captureDir(config)
		if err != nil {
			return err
		}
		if config.Origin("dumps").Layer == project.Default {
			if rel, err := filepath.Rel(wd, dumps); err == nil && filepath.IsLocal(rel) {
				dumps = rel // as messages name it
			}
			w.flags["dumps"] = dumps
		}
	}
	s := &saver{watched: w, saving: run, dir: wd}
	s.compiler = session.NewCompiler(w.session.Load, func(order *live.Order) { s.runs.Go(func() { s.compile(ctx, order) }) })
	w.saver = s
	return nil
}

// command returns what is run and where; the error is why nothing is.
func (s *saver) command(config *project.Config) (c session.Compile, err error) {
	c.Project, c.AllowFailures = config, s.saving.allow
	if s.saving.command != nil {
		c.Command, c.Dir = project.Command{Args: s.saving.command}, s.dir
		return c, nil
	}
	c.Command, err = config.Command(true)
	return c, err
}

// saved hears of a save.
func (s *saver) saved() {
	if s == nil {
		return
	}
	s.compiler.Soon(true)
}

// compile runs the command. The session says how it failed.
func (s *saver) compile(ctx context.Context, order *live.Order) {
	defer order.End()
	config := s.watched.config.Load()
	if len(config.Invalid()) > 0 {
		return // where to compile to is not known, which the session says
	}
	c, err := s.command(config)
	if err == nil {
		c.Order = order
		_, err = s.compiler.Run(ctx, c)
	}
	if ctx.Err() == nil {
		session.Ended(order, err, s.dir)
	}
}

// close ends the run under way and waits for its end.
func (s *saver) close() {
	if s == nil {
		return
	}
	s.compiler.Close()
	s.runs.Wait()
}
