package history

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"isadiff/engine/atomicfile"
	"isadiff/engine/input"
	"isadiff/engine/kept"
	"isadiff/engine/problem"
	"isadiff/engine/regular"
	"isadiff/engine/report"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
	"isadiff/watch/capture"
)

// A Runner gives the figures of revisions: those that its store has, and captures of the
// others. Its methods may be called at the same time, but for the fields.
type Runner struct {
	Revisions *capture.Revisions // nil captures nothing
	Store     *Store
	Read      input.Options      // how kept figures are read
	Jobs      int                // captures at the same time, at least 1
	Progress  func(report.Stand) // called by one at a time; may be nil

	flights singleflight.Group

	mu       sync.Mutex
	stand    report.Stand
	began    time.Time
	captured int             // in this run
	gaps     map[string]*Gap // by tree
}

// A Gap is why a revision has no figures.
type Gap struct {
	problem.Problem
	More int // further problems
}

// Reason returns it on one line.
func (g *Gap) Reason() string {
	if g.More > 0 {
		return fmt.Sprintf("%s (and %d more)", g.Error(), g.More)
	}
	return g.Error()
}

// Side returns the figures of a revision. The error is a [Gap] if there are none, or why
// nothing can be captured.
func (r *Runner) Side(ctx context.Context, rev capture.Revision) (*resource.Side, error) {
	if err := r.Have(ctx, rev); err != nil {
		return nil, err
	}
	path, _ := r.Store.Find(rev.Tree)
	side, err := input.Read(ctx, path, r.Read)
	if err != nil {
		return nil, err
	}
	if own, _ := r.Store.ownPath(rev.Tree); len(side.Problems) > 0 && path == own && r.Revisions != nil { // damaged
		if err := r.Store.forget(path); err != nil {
			return nil, err
		}
		if err := r.Have(ctx, rev); err != nil {
			return nil, err
		}
		if side, err = input.Read(ctx, path, r.Read); err != nil {
			return nil, err
		}
	}
	for i, p := range side.Problems {
		if p.Code == problem.SnapshotInvalid { // nobody writes this file again by himself
			side.Problems[i] = p.Mended("remove the file and start its shard again, which captures the revision anew")
		}
	}
	side.Revision = rev.Commit // another one of the same sources may have been captured
	return side, nil
}

// Have captures a revision unless its figures are kept.
func (r *Runner) Have(ctx context.Context, rev capture.Revision) error {
	if _, ok := r.Store.Find(rev.Tree); ok {
		return nil
	}
	if gap := r.Store.Gap(rev.Commit); gap != nil {
		return gap
	}
	if r.Revisions == nil {
		return &Gap{Problem: problem.New(problem.InputNotFound, "no shard has captured it").Mended("start the shards that are missing or were killed again")}
	}
	_, err, _ := r.flights.Do(rev.Tree, func() (any, error) {
		if _, ok := r.Store.Find(rev.Tree); ok {
			return nil, nil
		}
		return nil, r.capture(ctx, rev)
	})
	return err
}

// capture captures a revision into the store.
func (r *Runner) capture(ctx context.Context, rev capture.Revision) error {
	r.mu.Lock()
	gap := r.gaps[rev.Tree]
	r.mu.Unlock()
	if gap != nil { // it was tried in this run
		return gap
	}
	r.count(func() { r.stand.Running++ })
	defer r.count(func() { r.stand.Running-- })
	var problems []problem.Problem
	failed, err := r.Revisions.Capture(ctx, rev, func(capture.Progress) { r.count(func() {}) }, func(dir string, result *capture.Result, warnings []string) error {
		side, err := r.readDump(ctx, dir)
		if err != nil {
			return err
		}
		if problems = side.Doubts(); len(problems) > 0 {
			return nil
		}
		for _, w := range warnings {
			if !slices.Contains(side.Warnings, w) {
				side.Warnings = append(slices.Clip(side.Warnings), w)
			}
		}
		path, _ := r.Store.ownPath(rev.Tree)
		if err := atomicfile.Write(madePath(path), made(result)); err != nil {
			return problem.New(problem.OutputUnwritable, "%s cannot be written: %v", madePath(path), problem.Cause(err))
		}
		_, err = snapshot.WriteKept(path, side, snapshot.Meta{Written: time.Now(), Revision: rev.Commit}, kept.All(kept.Tree(dir)))
		return err
	})
	if err != nil {
		return err
	}
	if problems = append(problems, failed...); len(problems) > 0 {
		gap := &Gap{Problem: problems[0], More: len(problems) - 1}
		r.mu.Lock()
		if r.gaps == nil {
			r.gaps = map[string]*Gap{}
		}
		r.gaps[rev.Tree] = gap
		r.mu.Unlock()
		if err := r.Store.note(rev.Commit, gap); err != nil {
			return err
		}
		return gap
	}
	r.count(func() { r.captured++ })
	return nil
}

func (r *Runner) readDump(ctx context.Context, dir string) (*resource.Side, error) {
	read := r.Read
	read.Kernels, read.Digest, read.NeedKernels = nil, true, true
	return input.Read(ctx, dir, read)
}

// made names what made a capture besides its sources, as far as the hook saw it: the
// compilers with their files, and what was imported from outside.
func made(r *capture.Result) []byte {
	var b bytes.Buffer
	for _, c := range r.Compilers {
		fmt.Fprintf(&b, "%q\n", []string{c.Name, c.Version, c.Stamp, c.Python})
	}
	for _, file := range r.External {
		fmt.Fprintf(&b, "%q\n", file)
	}
	return b.Bytes()
}

// All captures those of some revisions that are not kept, several at the same time, in
// the order given. What has no figures is in gaps, by commit.
func (r *Runner) All(ctx context.Context, revisions []capture.Revision) (gaps map[string]*Gap, err error) {
	gaps = map[string]*Gap{}
	var mu sync.Mutex
	r.begin(len(revisions))
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(max(1, r.Jobs))
	for _, rev := range revisions {
		if running.Err() != nil {
			break
		}
		group.Go(func() error {
			err := r.Have(running, rev)
			var gap *Gap
			if errors.As(err, &gap) {
				mu.Lock()
				gaps[rev.Commit] = gap
				mu.Unlock()
				err = nil
			}
			r.count(func() { r.stand.Done++ })
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return gaps, ctx.Err()
}

// begin begins to count anew.
func (r *Runner) begin(total int) {
	r.count(func() { r.stand.Total, r.stand.Done, r.captured, r.began = total, 0, 0, time.Now() })
}

// count changes the stand and tells it.
func (r *Runner) count(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	if r.Progress == nil || r.stand.Total == 0 {
		return
	}
	s := r.stand
	s.Elapsed = time.Since(r.began)
	if left := s.Total - s.Done; r.captured > 0 && left > 0 {
		s.Left = s.Elapsed / time.Duration(r.captured) * time.Duration(left)
	}
	r.Progress(s)
}

// Check captures anew one of the revisions that the store keeps, the first, and compares:
// with another compiler it comes out otherwise, and then nothing that is kept counts any
// more. It returns that revision, and in what it came out otherwise; "" if it did not.
func (r *Runner) Check(ctx context.Context, revisions []capture.Revision) (checked *capture.Revision, changed string, err error) {
	at := slices.IndexFunc(revisions, func(rev capture.Revision) bool { _, ok := r.Store.ownPath(rev.Tree); return ok })
	if at < 0 || r.Revisions == nil {
		return nil, "", nil
	}
	rev := revisions[at]
	path, _ := r.Store.ownPath(rev.Tree)
	was, _ := snapshot.Load(path)
	by, _ := regular.Read(madePath(path))
	failed, err := r.Revisions.Capture(ctx, rev, nil, func(dir string, result *capture.Result, _ []string) error {
		now, err := r.readDump(ctx, dir)
		if err != nil {
			return err
		}
		if changed = difference(was, now); changed == "" && !bytes.Equal(by, made(result)) {
			changed = "the compiler's files, or others that were imported from outside of the repository, are not the same"
		}
		return nil
	})
	if err != nil {
		return nil, "", err
	}
	if len(failed) > 0 { // which says nothing of what is kept
		p := failed[0]
		p.Message = fmt.Sprintf("%s was captured before, and cannot be now: %s", rev.Name, p.Message)
		return nil, "", p
	}
	if changed != "" {
		err = r.Store.Drop()
	}
	return &rev, changed, err
}

// difference says in what two captures of the same sources differ; "" if in nothing.
func difference(was, now *resource.Side) string {
	if ps := append(was.Doubts(), now.Doubts()...); len(ps) > 0 {
		return ps[0].Message
	}
	merged := snapshot.Merge([]snapshot.Shard{{Side: was}, {Side: now}}).Side
	if len(merged.Problems) > 0 {
		return strings.ReplaceAll(merged.Problems[0].Message, now.Origin, "the new capture")
	}
	if len(merged.Records) != len(was.Records) || len(was.Records) != len(now.Records) {
		return fmt.Sprintf("it had %s and has %d", problem.Count(len(was.Records), "kernel"), len(now.Records))
	}
	for i := range was.Records {
		if a, b := was.Records[i].Compilers, now.Records[i].Compilers; !slices.Equal(a, b) {
			return fmt.Sprintf("%s was made by %s and is by %s", was.Records[i].Key, list(a), list(b))
		}
	}
	return ""
}

func list(names []string) string {
	if len(names) == 0 {
		return "an unknown compiler"
	}
	return strings.Join(names, ", ")
}
