package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"isadiff/engine/atomicfile"
	"isadiff/engine/problem"
	"isadiff/engine/regular"
	"isadiff/engine/snapshot"
)

// Is reports whether a text is empty or a report of isadiff in any format: what a new
// report may replace, as it can be made again. A snapshot is not a report.
func Is(text []byte) bool {
	text = bytes.TrimSpace(text)
	switch {
	case len(text) == 0:
		return true
	case text[0] == '{':
		return isJSON(text)
	case text[0] == '<':
		return pages.Match(text)
	case text[0] == '#':
		return markdowns.Match(text)
	default:
		return logs.Match(text)
	}
}

// What tells our reports in text from other files.
var (
	pages     = regexp.MustCompile(`^(<!DOCTYPE html>[^$]{0,1000}\n<title>isadiff: |<\?xml [^>]*>\s*<testsuites name="isadiff")`)
	markdowns = regexp.MustCompile(`^###? ?\S* ?isadiff: (OK|REGRESSION|NOT TRUSTWORTHY)\r?\n`)
	logs      = regexp.MustCompile(`(?m)^(compared \d+ of \d+ kernels; .*; worsened: \d+; improved: \d+|accepted: \d+ of \d+ worsened|budgets: \d+ checked; \d+ broken|` +
		`\d+ problems? makes? the answer not trustworthy|::stop-commands::isadiff-[0-9a-f]{32})$`)
)

// trendMembers are those of the figures over many snapshots, which bear no name. A
// history has moves besides.
var trendMembers = []string{"kernels", "points", "problem_codes", "problems", "warnings"}

func isJSON(text []byte) bool {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return false
	}
	if slices.Equal(slices.DeleteFunc(slices.Sorted(maps.Keys(members)), func(name string) bool { return name == "moves" }), trendMembers) {
		var points []struct{ Label, Origin, Revision *string }
		return json.Unmarshal(members["points"], &points) == nil && !slices.ContainsFunc(points, func(p struct{ Label, Origin, Revision *string }) bool {
			return p.Label == nil || p.Origin == nil || p.Revision == nil
		})
	}
	var tool, verdict string
	if json.Unmarshal(members["tool"], &tool) == nil && json.Unmarshal(members["verdict"], &verdict) == nil {
		return (tool == snapshot.Tool || tool == whereTool || tool == whyTool || tool == bisectTool) && strings.HasPrefix(verdict, "RESULT: ")
	}
	var runs []struct {
		Tool struct{ Driver struct{ Name string } }
	}
	return json.Unmarshal(members["runs"], &runs) == nil && len(runs) == 1 && runs[0].Tool.Driver.Name == sarifName
}

// Save writes a report to path, whole or not at all, in place of an earlier one
// and of no other file. An error is a problem.
func Save(path string, data []byte) error {
	if err := Replaceable(path); err != nil {
		return err
	}
	if err := atomicfile.Write(path, data); err != nil {
		return problem.New(problem.OutputUnwritable, "%s cannot be written: %v", path, problem.Cause(err))
	}
	return nil
}

// Replaceable returns a problem if a file stands at path that is no report.
func Replaceable(path string) error {
	if !atomicfile.Replaces(path) {
		return nil
	}
	text, err := regular.Read(path)
	if _, large := errors.AsType[problem.TooLarge](err); !large && (err != nil || Is(text)) { // what is not there or cannot be read is for the writer to tell
		return nil
	}
	return problem.New(problem.OutputUnwritable, "%s exists and is no report of isadiff, so it is not replaced", path).
		Mended("give another path, or remove the file if nobody needs it")
}
