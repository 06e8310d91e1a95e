package dump

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"isadiff/engine/problem"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// IncompleteName is the file that marks a directory and all below it as the
// dumps of a capture that has not ended. Its first line says why.
const IncompleteName = ".isadiff-incomplete"

// maxReason bounds what is read of a mark.
const maxReason = 4 << 10

// unfinished returns why a directory's dumps are not whole: a run that is under
// way, which will say how it ended, or the mark of one that was not whole. name is
// what to call the directory, dir its place in the tree.
func unfinished(full, name, dir string, mark bool) []problem.Problem {
	if p, ok := underWay(full, name); ok {
		return []problem.Problem{p}
	}
	if !mark {
		return nil
	}
	at := resource.ValidText(path.Join(dir, IncompleteName))
	return []problem.Problem{marked(filepath.Join(full, IncompleteName), at).In(at)}
}

func underWay(full, name string) (problem.Problem, bool) {
	since, ok := Running(full)
	if !ok {
		return problem.Problem{}, false
	}
	return UnderWay(name, since), true
}

// UnderWay is the problem of a directory into which a run has compiled since a
// time; zero if the run has not started its command yet.
func UnderWay(name string, since time.Time) problem.Problem {
	if since.IsZero() {
		return problem.New(problem.RunUnderWay, "a run that compiles into %s is about to begin", name).In(name)
	}
	return problem.New(problem.RunUnderWay, "a run that compiles into %s began at %s and has not ended", name, since.Format(time.DateTime)).In(name)
}

// begun is how the mark of a capture begins that has yet to say how it ended.
const begun = "it was begun at "

// Begun returns what a capture writes into its mark when it begins.
func Begun(at time.Time) string { return begun + at.Format(time.DateTime) }

func marked(file, name string) problem.Problem {
	reason := resource.ValidText(firstLine(file))
	at, silent := strings.CutPrefix(reason, begun)
	_, _, left := look(filepath.Dir(file))
	switch {
	case silent && left:
		return problem.New(problem.CaptureIncomplete, "%s says that a capture was begun at %s: it was killed, or ended without a word", name, at).
			Mended("capture again; if it runs on another machine, wait until it has ended")
	case silent, reason == "":
		return problem.New(problem.CaptureIncomplete, "%s says that the capture has not ended: %s", name, cmp.Or(reason, "it may be under way"))
	}
	return problem.New(problem.CaptureIncomplete, "%s says that the capture is not whole: %s", name, reason).Mended("capture again")
}

func firstLine(file string) string {
	text, err := regular.ReadUpTo(file, maxReason)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

// MarkAbove returns the problem of a tree that is part of a larger tree whose
// dumps are not whole.
func MarkAbove(root string) (problem.Problem, bool) {
	at, err := filepath.Abs(root)
	if err != nil {
		return problem.Problem{}, false
	}
	for at != filepath.Dir(at) {
		at = filepath.Dir(at)
		if p, ok := underWay(at, resource.ValidText(at)); ok {
			return p, true
		}
		mark := filepath.Join(at, IncompleteName)
		if info, err := os.Lstat(mark); err == nil && info.Mode().IsRegular() {
			return marked(mark, resource.ValidText(mark)).In(resource.ValidText(mark)), true
		}
	}
	return problem.Problem{}, false
}
