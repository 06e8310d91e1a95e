package snapshot

import (
	"bytes"
	"errors"
	"io/fs"
	"regexp"

	"isadiff/engine/atomicfile"
	"isadiff/engine/problem"
	"isadiff/engine/regular"
)

// begins is how a snapshot begins that isadiff or the Python program wrote: its
// members are sorted. It tells one that was cut short or that holds the marks of
// a merge from files that were never one.
var begins = regexp.MustCompile(`^\s*\{\s*"kernels":\s*\{\s*"[^"]*::[^"]*":\s*\{\s*"arch"`)

// Is reports whether a text is a snapshot, whole or damaged, or nothing at all:
// what a snapshot may take the place of. The report of a comparison is none.
func Is(text []byte) bool {
	text = trimMark(text)
	if len(bytes.TrimSpace(text)) == 0 {
		return true
	}
	if isOwn(text) {
		return true
	}
	doc, err := parse(spellBytes(text))
	if err != nil {
		return begins.Match(text)
	}
	tool := doc["tool"]
	return doc["schema"].Kind() == '0' && doc["kernels"].Kind() == '{' && doc["verdict"] == nil && (tool == nil || is(tool, Tool))
}

// Standing returns the text of the file at path that a snapshot is about to take
// the place of: nil if there is none, or if path leads to what is written to
// rather than replaced. What is no snapshot is refused.
func Standing(path string) ([]byte, error) {
	if !atomicfile.Replaces(path) {
		return nil, nil
	}
	text, err := regular.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, problem.New(problem.OutputUnwritable, "%s cannot be replaced: %v", path, problem.Cause(err))
	case !Is(text):
		return nil, taken(path)
	case text == nil:
		text = []byte{}
	}
	return text, nil
}

func taken(path string) error {
	return problem.New(problem.OutputUnwritable, "%s exists and is no snapshot, so it is not replaced", path).
		Mended("give another path, or remove the file if nobody needs it")
}

// trimMark removes the mark that some editors put before UTF-8.
func trimMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) }
