package dump

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"isadiff/engine/problem"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// IncompleteName is the file that marks a directory and all below it as the
// dumps of a capture that has not ended. Its first line says why.
const IncompleteName = ".isadiff-incomplete"

// maxReason bounds what is read of a mark.
const maxReason = 4 << 10

// incomplete is the problem of a directory with a mark in it.
func incomplete(full, dir string) problem.Problem {
	name := resource.ValidText(path.Join(dir, IncompleteName))
	return marked(filepath.Join(full, IncompleteName), name).In(name)
}

func marked(file, name string) problem.Problem {
	reason := "it may be under way"
	if text := firstLine(file); text != "" {
		reason = resource.ValidText(text)
	}
	return problem.New(problem.CaptureIncomplete, "%s says that the capture has not ended: %s", name, reason)
}

func firstLine(file string) string {
	text, err := regular.ReadUpTo(file, maxReason)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

// markAbove returns the problem of a tree that is a part of a marked one.
func markAbove(root string) (problem.Problem, bool) {
	at, err := filepath.Abs(root)
	if err != nil {
		return problem.Problem{}, false
	}
	for at != filepath.Dir(at) {
		at = filepath.Dir(at)
		mark := filepath.Join(at, IncompleteName)
		if info, err := os.Lstat(mark); err == nil && info.Mode().IsRegular() {
			return marked(mark, resource.ValidText(mark)).In(resource.ValidText(mark)), true
		}
	}
	return problem.Problem{}, false
}
