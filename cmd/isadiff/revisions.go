package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"isadiff/engine/judge"
	"isadiff/engine/problem"
	"isadiff/engine/report"
	"isadiff/watch/capture"
	"isadiff/watch/history"
)

// revisionFlags are the flags of the commands that capture many revisions.
type revisionFlags struct {
	archs    string
	allow    bool
	noCache  bool
	jobs     int
	part     shard
	to, from string
}

func (f *revisionFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.archs, "arch", "", "compile for the architectures `A,B`, such as gfx942,gfx1201")
	c.Flags().IntVarP(&f.jobs, "jobs", "j", 1, "capture `N` revisions at the same time")
	c.Flags().BoolVar(&f.noCache, "no-cache", false, "capture all revisions again, also those that are kept")
	c.Flags().Var(&f.part, "shard", "be shard `I/N`, one of N that share the work; needs --to")
	pathVar(c, &f.to, "to", "", "keep the figures in a folder of this shard below `DIR`, not in the user's cache")
	pathVar(c, &f.from, "from", "", "take the figures that shards left in `DIR`, and capture nothing")
	allowFailures(c, &f.allow)
}

// A shard is the value of --shard: I/N. Its zero value is the whole.
type shard struct{ i, n int }

func (s *shard) String() string {
	if s.n == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.i, s.n)
}
func (s *shard) Type() string { return "I/N" }
func (s *shard) Set(text string) error {
	i, n, ok := strings.Cut(text, "/")
	var err error
	if s.i, err = strconv.Atoi(i); err == nil && ok {
		s.n, err = strconv.Atoi(n)
	}
	if !ok || err != nil || s.i < 1 || s.i > s.n || s.n > history.MaxShards {
		return fmt.Errorf("%q is no I/N with I from 1 to N", text)
	}
	return nil
}

// whole returns which of how many shards this is: 1 of 1 if none was named.
func (s *shard) whole() (i, n int) { return max(1, s.i), max(1, s.n) }

// divide leaves of a capture the architectures that a shard is for.
func (s *shard) divide(o *capture.Options) error {
	if len(o.Archs) < s.n {
		return usage("--shard %s divides the architectures of --arch, and there are %d; tests are divided by their own command, and `isadiff merge` joins them", s, len(o.Archs))
	}
	var own []string
	for at, arch := range o.Archs {
		if at%s.n == s.i-1 {
			own = append(own, arch)
		}
	}
	o.Archs, o.Out = own, filepath.Join(o.Out, history.ShardName(s.i, s.n))
	return nil
}

// missingShards returns the problem of operands that are shards, of which some are not
// there; nil if all are, or none is a shard.
func missingShards(operands []string) []problem.Problem {
	there := map[int][]bool{}
	for _, name := range operands {
		var s shard
		base := strings.TrimSuffix(filepath.Base(name), ".json")
		if _, err := fmt.Sscanf(base, "shard-%d-of-%d", &s.i, &s.n); err != nil || base != history.ShardName(s.i, s.n) || s.i < 1 || s.i > s.n || s.n > history.MaxShards {
			continue
		}
		if there[s.n] == nil {
			there[s.n] = make([]bool, s.n)
		}
		there[s.n][s.i-1] = true
	}
	var problems []problem.Problem
	for _, n := range slices.Sorted(maps.Keys(there)) {
		for i, is := range there[n] {
			if !is {
				problems = append(problems, problem.New(problem.InputNotFound, "shard %d/%d is missing: no %s is given", i+1, n, history.ShardName(i+1, n)).
					Mended("give all shards of the run; one that was killed is captured again"))
			}
		}
	}
	return problems
}

// A revisionRun is what a command works with that looks at many revisions.
type revisionRun struct {
	*history.Runner
	repository *capture.Revisions // nil if there is none and none is needed
	status     *statusLine
	command    string
}

// openRevisions opens the repository and returns what captures its revisions. Without
// operands after -- the project's command is run; with --from nothing is.
func (p *program) openRevisions(ctx context.Context, f *revisionFlags, command []string, opened judge.Opened) (*revisionRun, error) {
	switch {
	case f.part.n > 0 && f.to == "":
		return nil, usage("--shard needs --to DIR, the folder that the shards share")
	case f.from != "" && (f.to != "" || f.part.n > 0 || command != nil || f.noCache):
		return nil, usage("--from captures nothing, so --to, --shard, --no-cache and a command do not go with it")
	case f.jobs < 1:
		return nil, usage("--jobs: %d is no number of captures", f.jobs)
	}
	run := &revisionRun{status: p.status()}
	run.Runner = &history.Runner{Read: opened.Read, Jobs: min(f.jobs, 4*runtime.NumCPU())}
	run.Progress = func(s report.Stand) { run.status.set(report.Revisions(s, p.style(p.stderr))) }
	o := capture.CompareOptions{Producer: opened.Config.Producer, AllowFailures: f.allow, Quiet: true, Stdout: io.Discard, Stderr: io.Discard}
	var err error
	if f.from == "" {
		if o.Command, o.Dir, err = p.compileCommand(command); err != nil {
			return nil, err
		}
		if f.archs != "" {
			if o.Archs, err = capture.Archs(f.archs); err != nil {
				return nil, usage("--arch: %v", err)
			}
		}
	}
	run.repository, err = capture.OpenRevisions(ctx, o, f.to != "")
	switch {
	case f.from != "":
		return run, nil // a history needs no repository then
	case err != nil:
		return nil, err
	}
	run.Revisions, run.command = run.repository, o.Command.String()
	return run, nil
}

// keepRevisions opens the store of a run, which looks at some revisions, and makes sure
// that what it has counts.
func (p *program) keepRevisions(ctx context.Context, run *revisionRun, f *revisionFlags, kind string, entries []history.Entry) (err error) {
	if f.to != "" {
		share := history.Share{Tool: reader(), Kind: kind, Command: run.command, Settings: run.repository.Settings(false), Revisions: entries}
		share.Shard, share.Of = f.part.whole()
		run.Store, err = history.OpenShard(f.to, share)
	} else {
		run.Store, err = history.OpenCache(run.repository.Settings(true), reader())
		if err != nil {
			err = problem.New(problem.OutputUnwritable, "the user's cache folder cannot be used: %v", err).Mended("set XDG_CACHE_HOME or HOME, or give a folder with --to")
		}
	}
	if err != nil {
		return err
	}
	if f.noCache {
		return run.Store.Drop()
	}
	var revisions []capture.Revision
	for _, e := range slices.Backward(entries) {
		revisions = append(revisions, e.Revision())
	}
	run.status.set("isadiff: capturing a revision that is kept again, to see whether the compiler is the same")
	checked, changed, err := run.Check(ctx, revisions)
	run.status.clear()
	switch {
	case err != nil:
		return err
	case changed != "":
		p.caution(fmt.Sprintf("%s does not come out as it did when it was kept, so another compiler made it, or not always the same; all is captured again: %s", checked.Name, changed))
	case checked != nil:
		kept := 0
		for _, rev := range revisions {
			if _, ok := run.Store.Find(rev.Tree); ok {
				kept++
			}
		}
		return p.say(fmt.Appendf(nil, "kept: %d of %s; %s was captured again and came out the same, so they count\n", kept, problem.Count(len(revisions), "revision"), checked.Name))
	}
	return nil
}

// reader names the build whose figures are kept: another one may read them otherwise.
func reader() string {
	b := build()
	return strings.TrimSuffix(b.Version+"-"+b.Commit[:min(12, len(b.Commit))], "-")
}

// endRevisions ends the use of a run.
func (p *program) endRevisions(run *revisionRun) {
	run.status.clear()
	if run.Store != nil {
		run.Store.Close()
		p.resumable = true // should it have been interrupted
	}
}
