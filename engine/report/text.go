package report

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
	"isadiff/engine/gate"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// Options say how a report is made.
type Options struct {
	Style
	Quiet     bool // no table: the count of problems and the verdict alone
	Occupancy bool // also the waves per SIMD
	Plain     bool // of [Markdown]: without HTML, for who reads the text itself
	Assembly  bool // of [Why] and [Where]: also the instructions
	Limits    BriefLimits
	Cautions  []string // of a [Brief]: warnings of who made the result
	Context
}

// The legend of the tables.
const legend = "* = growth is a regression; others are context. before->after(+delta) if changed\n" +
	"n/a = does not exist on this target; ? = could not be read, so not trustworthy\n"

// Text returns a comparison for people, without the verdict that follows it:
// the changed and problematic kernels, notes, and the counts.
func Text(r *diff.Result, opt Options) []byte {
	var b bytes.Buffer
	if !opt.Quiet {
		for i := range r.Rows {
			if row := &r.Rows[i]; row.Unlaunchable != "" {
				fmt.Fprintf(&b, "%s\n", opt.paint(worse, visible(row.Key)+" "+facts.CannotLaunch(row.Unlaunchable)))
			}
		}
		writeTable(&b, comparison(r), opt.Style)
		writeNotes(&b, r, renamed)
		if opt.Occupancy {
			t, notes := comparedOccupancy(r)
			writeOccupancy(&b, t, notes, opt.Style)
		}
	}
	if r.Kernels != "" {
		fmt.Fprintf(&b, "limited to kernels that match %q\n", r.Kernels)
	}
	if !opt.Quiet {
		if s := Compilers(r); s != "" {
			fmt.Fprintf(&b, "%s\n", s)
		}
		fmt.Fprintf(&b, "%s\n", Tally(r))
	}
	b.WriteString(allowance(r))
	b.WriteString(Untrustworthy(len(r.Problems)))
	return b.Bytes()
}

// Summary returns the figures of one side for people and how it stands to the
// budgets, without the verdict.
func Summary(s *resource.Side, st gate.Standing, opt Options) []byte {
	var b bytes.Buffer
	if !opt.Quiet {
		writeTable(&b, figures(s), opt.Style)
		writeReasons(&b, s.Records)
		var notes keyNotes
		for _, r := range s.Records {
			notes.add(r.Key, r.Notes)
		}
		notes.write(&b)
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		if opt.Occupancy {
			t, notes := sideOccupancy(s)
			writeOccupancy(&b, t, notes, opt.Style)
		}
		fmt.Fprintf(&b, "%s\n", problem.Count(len(s.Records), "kernel"))
	}
	b.Write(Standing(st, opt))
	b.WriteString(Untrustworthy(len(st.Problems)))
	return b.Bytes()
}

// Untrustworthy returns the line that counts problems; "" if there are none.
func Untrustworthy(problems int) string {
	switch problems {
	case 0:
		return ""
	case 1:
		return "1 problem makes the answer not trustworthy\n"
	default:
		return fmt.Sprintf("%d problems make the answer not trustworthy\n", problems)
	}
}

// Verdict returns the line that ends every comparison.
func Verdict(v diff.Verdict, style Style) string {
	p := map[diff.Verdict]paint{diff.OK: good, diff.Regression: worse}[v]
	if p == plain {
		p = doubt
	}
	return style.paint(p, VerdictText(v)) + "\n"
}

// VerdictText returns the verdict as terminals and JSON have it.
func VerdictText(v diff.Verdict) string { return "RESULT: " + v.String() }

func writeTable(b *bytes.Buffer, t table, style Style) {
	if len(t.rows) == 0 {
		return
	}
	text, dropped := t.render(style)
	b.WriteString(legend)
	b.Write(text)
	if dropped > 0 {
		fmt.Fprintf(b, "%s\n", style.paint(dim, fmt.Sprintf("(%s left out for lack of room; a pipe gets all)", problem.Count(dropped, "column"))))
	}
}

// header returns the columns' names, triggers marked with an asterisk.
func header() []string {
	head := []string{"kernel"}
	for _, m := range resource.Metrics {
		if m.Trigger {
			head = append(head, "*"+m.Key)
		} else {
			head = append(head, m.Key)
		}
	}
	return head
}

// shown reports whether a row belongs into the table: it changed, or could not
// be compared, or fails.
func shown(r *diff.Row) bool { return !r.Comparable() || len(r.Deltas) > 0 || r.Failed() }

func comparison(r *diff.Result) table {
	t := table{head: header()}
	for i := range r.Rows {
		row := &r.Rows[i]
		if !shown(row) {
			continue
		}
		line := tableRow{name: demangledRow(row), key: row.Key}
		switch {
		case row.Side() != "":
			line.words, line.paint = row.Side(), unsure
		case !row.Comparable():
			line.words, line.paint = "BLOCKED: "+oneLine(row.Reason()), unsure
		default:
			line.cells = compared(row)
		}
		t.rows = append(t.rows, line)
	}
	return t
}

func compared(row *diff.Row) []tableCell {
	cells := make([]tableCell, resource.NumMetrics)
	for m := range cells {
		cells[m].text = row.After.Cells[m].String()
	}
	for _, d := range row.Deltas {
		cells[d.Metric] = tableCell{text: Change(row, d), keep: context}
		if d.Metric.Trigger() {
			cells[d.Metric].keep = essential
		}
		cells[d.Metric].paint = paints[facts.KindOf(row, d)]
	}
	return cells
}

// paints are those of what a change means.
var paints = [...]paint{facts.Worse: worse, facts.Allowed: unsure, facts.Better: better, facts.Context: plain}

// Change returns a changed cell as every table has it: 88->127(+39).
func Change(row *diff.Row, d diff.Delta) string {
	var b [64]byte
	text := append(b[:0], row.Before.Cells[d.Metric].String()...)
	text = append(append(text, "->"...), row.After.Cells[d.Metric].String()...)
	text = append(text, '(')
	if d.Change > 0 {
		text = append(text, '+')
	}
	return string(append(strconv.AppendInt(text, d.Change, 10), ')'))
}

func figures(s *resource.Side) table {
	t := table{head: append(header(), "target")}
	for _, r := range s.Records {
		cells := make([]tableCell, 0, resource.NumMetrics+1)
		for m, c := range r.Cells {
			cell := tableCell{text: c.String()}
			if resource.Metric(m).Trigger() {
				cell.keep = essential
			}
			if c.State == resource.Unparsed {
				cell.paint, cell.keep = unsure, essential
			}
			cells = append(cells, cell)
		}
		target := visible(r.Target.Processor)
		for _, f := range r.Target.Features {
			target += ":" + visible(f)
		}
		if target == "" {
			target = "?"
		}
		t.rows = append(t.rows, tableRow{name: demangled(r), key: r.Key, cells: append(cells, tableCell{text: target, keep: essential})})
	}
	return t
}

// writeNotes writes what is worth knowing about the comparison: reasons of
// cells without a value and notes of kernels in the table, and every pairing by
// name. rename says what a kernel is probably called now.
func writeNotes(b *bytes.Buffer, r *diff.Result, rename func(*diff.Result, diff.Rename) string) {
	start := b.Len()
	var records []*resource.Record
	for i := range r.Rows {
		if row := &r.Rows[i]; row.After != nil && row.Comparable() && shown(row) {
			records = append(records, row.After)
		}
	}
	writeReasons(b, records)
	var notes keyNotes
	for i := range r.Rows {
		row := &r.Rows[i]
		for _, n := range row.Notes {
			fmt.Fprintf(b, "note: %s\n", oneLine(n))
		}
		if shown(row) {
			notes.add(row.Key, recordNotes(row))
		}
	}
	notes.write(b)
	for _, pair := range r.Renamed {
		fmt.Fprintf(b, "note: %s\n", rename(r, pair))
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		for _, a := range row.Accepted {
			fmt.Fprintf(b, "%s: %s: %s\n", Allowed(a), visible(row.Key), oneLine(Accepted(a)))
		}
		for _, x := range row.Broken {
			fmt.Fprintf(b, "budget: %s: %s\n", visible(row.Key), oneLine(Broken(x)))
		}
	}
	if b.Len() > start || start > 0 {
		b.WriteByte('\n')
	}
}

// keyNotes are notes of kernels; kernels with the same note share a line.
type keyNotes struct {
	texts []string            // in the order in which they were added
	keys  map[string][]string // by text
}

func (k *keyNotes) add(key string, notes []string) {
	if k.keys == nil {
		k.keys = map[string][]string{}
	}
	for _, n := range notes {
		if _, known := k.keys[n]; !known {
			k.texts = append(k.texts, n)
		}
		k.keys[n] = append(k.keys[n], key)
	}
}

// maxNoted bounds the keys before a note: they are long, and the note is what counts.
const maxNoted = 3

func (k *keyNotes) write(b *bytes.Buffer) {
	for _, n := range k.texts {
		fmt.Fprintf(b, "note: %s: %s\n", upTo(maxNoted, k.keys[n]), oneLine(n))
	}
}

// recordNotes returns the notes of a row's records; what both sides say is said
// once.
func recordNotes(row *diff.Row) []string {
	var notes []string
	if s := Remade(row.Remade, row.Before, row.After); s != "" {
		notes = append(notes, s)
	}
	if row.After != nil {
		notes = append(notes, row.After.Notes...)
	}
	if row.Before != nil {
		for _, n := range row.Before.Notes {
			if !slices.Contains(notes, n) {
				notes = append(notes, "before: "+n)
			}
		}
	}
	return notes
}

// writeReasons says why cells have no value, once for each reason.
func writeReasons(b *bytes.Buffer, records []*resource.Record) {
	type why struct {
		state  string
		reason string
	}
	var order []why
	metrics := make(map[why][]string)
	kernels := make(map[why]int)
	for _, r := range records {
		counted := make(map[why]bool, 2)
		for m, c := range r.Cells {
			if c.State == resource.Known {
				continue
			}
			w := why{c.String(), c.Reason}
			if kernels[w] == 0 && !counted[w] {
				order = append(order, w)
			}
			if name := resource.Metric(m).String(); !slices.Contains(metrics[w], name) {
				metrics[w] = append(metrics[w], name)
			}
			if !counted[w] {
				counted[w] = true
				kernels[w]++
			}
		}
	}
	for _, w := range order {
		fmt.Fprintf(b, "%s: %s: %s (%s)\n", w.state, strings.Join(metrics[w], ", "), oneLine(w.reason), problem.Count(kernels[w], "kernel"))
	}
}
