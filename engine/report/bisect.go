package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
	"isadiff/engine/trace"
	"isadiff/engine/trend"
)

// A BisectStep is a revision that was held against the good one.
type BisectStep struct {
	Commit trend.Commit
	Result string      // one of the words below
	Rows   []*diff.Row // those that are worse
	Why    string      // why nobody can tell
}

// The words for how a revision stands to the good one.
const (
	BisectWorse   = "worse"
	BisectGood    = "not worse"
	BisectUnknown = "cannot tell"
)

// A Bisect is how the search for a revision ended.
type Bisect struct {
	Good, Bad   trend.Commit
	Steps       []BisectStep
	First       []trend.Commit // the first that is worse is one of them
	FirstRows   []*diff.Row    // that are worse in it than in the good one, if it is one alone
	Parent      *trend.Commit  // with which it is compared
	Made        *diff.Result   // what it changed; nil if that is not known
	Lacks       string         // why it is not
	Why         *trace.Why     // of the kernels that it made worse; nil if there is no assembly
	Rest        []string       // keys of the kernels that are worse in the bad one and not in the first
	Contradicts bool
	Verdict     diff.Verdict
}

func commitText(c trend.Commit) string {
	return short(c.Hash) + " " + oneLine(c.Subject)
}

func short(hash string) string { return hash[:min(12, len(hash))] }

// maxBisectRows bounds how many kernels are named on one line.
const maxBisectRows = 3

// worseText says what is worse in some rows: by the names of the kernels, and by their
// keys where kernels share a name.
func worseText(rows []*diff.Row) string {
	var parts []string
	named := map[string]int{}
	for _, row := range rows {
		named[bare(row.Key)]++
	}
	for _, row := range rows[:min(len(rows), maxBisectRows)] {
		name := bare(row.Key)
		if named[name] > 1 {
			name = row.Key
		}
		parts = append(parts, visible(name)+" "+Changes(row))
	}
	if more := len(rows) - maxBisectRows; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, "; ")
}

// BisectEnds returns the lines that say between what is searched, and for what.
func BisectEnds(good, bad trend.Commit, rows []*diff.Row, style Style) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "good: %s\nbad:  %s\n", commitText(good), commitText(bad))
	if len(rows) > 0 {
		fmt.Fprintf(&b, "      %s\n", style.paint(worse, "worse: "+worseText(rows)))
	}
	return b.Bytes()
}

// BisectLine returns the line of one step.
func BisectLine(s BisectStep, style Style) []byte {
	color, text := good, s.Result
	switch s.Result {
	case BisectWorse:
		color, text = worse, text+": "+worseText(s.Rows)
	case BisectUnknown:
		color, text = doubt, text+": "+oneLine(s.Why)
	}
	return fmt.Appendf(nil, "%s\n  %s\n", commitText(s.Commit), style.paint(color, text))
}

// BisectEnd returns how the search ended, without the verdict that follows.
func BisectEnd(r *Bisect, opt Options) []byte {
	var b bytes.Buffer
	switch {
	case len(r.First) == 0:
		return nil
	case len(r.First) > 1:
		fmt.Fprintf(&b, "\nthe first revision that is worse is one of these %d, of which nobody can tell:\n", len(r.First))
		for _, c := range r.First {
			fmt.Fprintf(&b, "  %s\n", commitText(c))
		}
		return b.Bytes()
	}
	c := r.First[0]
	fmt.Fprintf(&b, "\n%s is the first revision that is worse\nauthor:  %s, %s\nsubject: %s\n", opt.paint(bold, c.Hash), oneLine(c.Author), c.Date, oneLine(c.Subject))
	for _, row := range r.FirstRows {
		fmt.Fprintf(&b, "worse:   %s %s\n", visible(row.Key), opt.paint(worse, Changes(row)))
	}
	if n := len(r.Rest); n > 0 {
		names := slices.Clone(r.Rest[:min(n, maxBisectRows)])
		if n > len(names) {
			names = append(names, fmt.Sprintf("%d more", n-len(names)))
		}
		fmt.Fprintf(&b, "note: worse at BAD, but not known to be worse here: %s; search for such a kernel alone with --kernels\n", visible(strings.Join(names, ", ")))
	}
	if r.Contradicts {
		b.WriteString("note: not all results fit each other: kernels got worse and better more than once, and this is one of the revisions that made them worse\n")
	}
	if r.Verdict == diff.NotTrustworthy {
		b.WriteString("but it is not worse than its parent: that one, or an ancestor of it, is worse already, although a descendant is not; search there\n")
	}
	if r.Made == nil {
		fmt.Fprintf(&b, "what it changed is not known: %s\n", oneLine(r.Lacks))
		return b.Bytes()
	}
	fmt.Fprintf(&b, "\nwhat it changed, compared with its parent %s:\n", commitText(*r.Parent))
	made := *r.Made
	made.Problems = nil // what cannot be compared is in the table, and is no doubt about the others
	b.Write(Text(&made, opt))
	if was, is := compilersAt(r); was != nil {
		fmt.Fprintf(&b, "note: another compiler made it, %s and not %s, which may be what made it worse\n", oneLine(strings.Join(is, ", ")), oneLine(strings.Join(was, ", ")))
	}
	if r.Why != nil && len(r.Why.Kernels) > 0 {
		b.WriteByte('\n')
		for i := range r.Why.Kernels {
			if k := &r.Why.Kernels[i]; k.Differs() {
				writeWhy(&b, k, r.Why.Code, opt.Style)
			}
		}
	}
	return b.Bytes()
}

// compilersAt returns the compilers of the parent and of the first revision that is worse, of
// a kernel that is worse, where both are known and differ.
func compilersAt(r *Bisect) (was, is []string) {
	for i := range r.Made.Rows {
		row := &r.Made.Rows[i]
		if row.Before == nil || row.After == nil || row.Before.Compilers == nil || row.After.Compilers == nil || slices.Equal(row.Before.Compilers, row.After.Compilers) {
			continue
		}
		for _, worse := range r.FirstRows {
			if worse.After.Key == row.After.Key {
				return row.Before.Compilers, row.After.Compilers
			}
		}
	}
	return nil, nil
}

// bisectTool is what a report on a search names as its maker.
const bisectTool = "isadiff bisect"

// BisectJSON returns the search for programs.
func BisectJSON(r *Bisect) ([]byte, error) {
	var buf bytes.Buffer
	w := snapshot.NewWriter(&buf)
	commit := func(c trend.Commit) {
		w.KeyString("author", c.Author)
		w.KeyString("commit", c.Hash)
		w.KeyString("date", c.Date)
	}
	rows := func(rows []*diff.Row) {
		w.KeyArray("worse", func() {
			for _, row := range rows {
				w.Object(func() {
					w.KeyObject("deltas", func() {
						for _, m := range resource.ByKey {
							if change, ok := row.Delta(m); ok {
								w.KeyInt(m.String(), change)
							}
						}
					})
					w.KeyString("kernel", row.Key)
				})
			}
		})
	}
	w.Object(func() {
		w.KeyString("bad", r.Bad.Hash)
		w.KeyBool("contradicts", r.Contradicts)
		w.KeyInt("exit_code", int64(r.Verdict.ExitCode()))
		w.KeyArray("first", func() {
			for _, c := range r.First {
				w.Object(func() {
					commit(c)
					w.KeyString("subject", c.Subject)
					if len(r.First) == 1 {
						rows(r.FirstRows)
					}
				})
			}
		})
		w.KeyString("good", r.Good.Hash)
		if r.Parent != nil {
			w.KeyString("parent", r.Parent.Hash)
		}
		w.KeyArray("steps", func() {
			for _, s := range r.Steps {
				w.Object(func() {
					commit(s.Commit)
					w.KeyString("reason", s.Why)
					w.KeyString("result", s.Result)
					w.KeyString("subject", s.Commit.Subject)
					rows(s.Rows)
				})
			}
		})
		w.KeyString("tool", bisectTool)
		w.KeyString("verdict", VerdictText(r.Verdict))
		if r.Why != nil {
			w.KeyArray("why", func() {
				for i := range r.Why.Kernels {
					w.Object(func() {
						w.KeyString("kernel", r.Why.Kernels[i].Row.Key)
						w.KeyStrings("lines", Reasons(&r.Why.Kernels[i]))
					})
				}
			})
		}
	})
	return buf.Bytes(), w.Err()
}

// BisectCount says how much there is to look at.
func BisectCount(revisions, steps int) string {
	return fmt.Sprintf("%s to search, in about %s\n", problem.Count(revisions, "revision"), problem.Count(steps, "step"))
}
