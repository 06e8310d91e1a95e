package report

import (
	"bytes"
	"strings"
)

// A table lays out names and figures: names to the left, figures to the right.
type table struct {
	head []string
	rows []tableRow
}

// A tableRow is a name with its figures, or with words in place of them.
type tableRow struct {
	name  string
	cells []tableCell // one for each column after the name; nil if words stand instead
	words string
	paint paint // of words
}

type tableCell struct {
	text  string
	paint paint
	keep  keep
}

// keep says which columns stay when there is no room for all: those with the
// highest grade among their cells.
type keep int

const (
	unchanged keep = iota
	context        // something changed that is no trigger
	essential
)

// gap separates columns.
const gap = "  "

// minName is how far names are shortened before anything else is cut.
const minName = 24

// render returns the table's lines for style, and the number of columns that
// were left out for lack of room.
func (t *table) render(style Style) (text []byte, dropped int) {
	widths := t.widths(0)
	columns := make([]int, 0, len(widths)) // which are shown
	for c := 1; c < len(widths); c++ {
		columns = append(columns, c)
	}
	nameLimit := 0
	if style.Width > 0 && total(widths, columns) > style.Width {
		for grade := context; grade <= essential && total(widths, columns)-widths[0]+min(widths[0], minName) > style.Width; grade++ {
			columns = t.kept(columns, grade)
		}
		dropped = len(widths) - 1 - len(columns)
		if excess := total(widths, columns) - style.Width; excess > 0 {
			nameLimit = max(minName, widths[0]-excess)
			widths = t.widths(nameLimit)
		}
	}
	names := t.names(nameLimit)
	var b bytes.Buffer
	for i := -1; i < len(t.rows); i++ {
		line := line{style: style}
		if i < 0 {
			line.add(pad(t.head[0], widths[0]), bold)
			for _, c := range columns {
				line.add(gap, plain)
				line.add(lead(t.head[c], widths[c]), bold)
			}
		} else if r := t.rows[i]; r.cells == nil {
			line.add(pad(names[i], widths[0]), plain)
			line.add(gap, plain)
			line.add(r.words, r.paint)
		} else {
			line.add(pad(names[i], widths[0]), plain)
			for _, c := range columns {
				cell := r.cells[c-1]
				line.add(gap, plain)
				line.add(lead(cell.text, widths[c]), cell.paint)
			}
		}
		b.WriteString(line.String())
		b.WriteByte('\n')
	}
	return b.Bytes(), dropped
}

// kept returns the columns in which a row has something of that grade to say;
// all of them if none has.
func (t *table) kept(columns []int, grade keep) []int {
	var kept []int
	for _, c := range columns {
		for _, r := range t.rows {
			if r.cells != nil && r.cells[c-1].keep >= grade {
				kept = append(kept, c)
				break
			}
		}
	}
	if len(kept) == 0 {
		return columns
	}
	return kept
}

func (t *table) names(limit int) []string {
	names := make([]string, len(t.rows))
	for i, r := range t.rows {
		names[i] = r.name
	}
	return labels(names, limit)
}

func (t *table) widths(nameLimit int) []int {
	widths := make([]int, len(t.head))
	for c, h := range t.head {
		widths[c] = width(h)
	}
	for _, n := range t.names(nameLimit) {
		widths[0] = max(widths[0], width(n))
	}
	for _, r := range t.rows {
		for c, cell := range r.cells {
			widths[c+1] = max(widths[c+1], width(cell.text))
		}
	}
	return widths
}

func total(widths, columns []int) int {
	sum := widths[0]
	for _, c := range columns {
		sum += len(gap) + widths[c]
	}
	return sum
}

// A line collects painted pieces and cuts them to the style's width.
type line struct {
	style Style
	b     strings.Builder
	cells int
	blank string // not written until something follows, so that no line ends in blanks
	full  bool
}

func (l *line) add(text string, p paint) {
	trimmed := strings.TrimRight(text, " ")
	blank := text[len(trimmed):]
	if trimmed == "" {
		l.blank += blank
		return
	}
	if l.full {
		return
	}
	room := l.style.Width - l.cells - len(l.blank)
	if l.style.Width > 0 && width(trimmed) > room {
		trimmed, l.full = head(trimmed, room), true
		if room <= 0 {
			return
		}
	}
	inner := strings.TrimLeft(trimmed, " ")
	l.b.WriteString(l.blank)
	l.b.WriteString(trimmed[:len(trimmed)-len(inner)])
	l.b.WriteString(l.style.paint(p, inner))
	l.cells += len(l.blank) + width(trimmed)
	l.blank = blank
}

func (l *line) String() string { return l.b.String() }

func pad(s string, n int) string  { return s + strings.Repeat(" ", max(0, n-width(s))) }
func lead(s string, n int) string { return strings.Repeat(" ", max(0, n-width(s))) + s }
