package report

import (
	"bytes"
	"cmp"
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
	key   string      // what is shown if another row has the same name; "" if it is the name
	cells []tableCell // one for each column after the name; nil if words stand instead
	words string
	paint paint  // of words
	note  string // behind the figures, to the left
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
	context        // something changed that triggers no regression
	essential
)

// gap separates columns.
const gap = "  "

// minName is how far names are shortened before anything else is cut.
const minName = 24

// render returns the table's lines for style, and the number of columns that
// were left out for lack of room.
func (t *table) render(style Style) (text []byte, dropped int) {
	names := t.names(0)
	widths := t.widths(names)
	columns := make([]int, 0, len(widths)) // which are shown
	for c := 1; c < len(widths); c++ {
		columns = append(columns, c)
	}
	if style.Width > 0 {
		style.Width = max(style.Width, minName) // below that lines wrap: cut, they would look the same
	}
	if style.Width > 0 && total(widths, columns) > style.Width {
		for grade := context; grade <= essential && total(widths, columns)-widths[0]+min(widths[0], minName) > style.Width; grade++ {
			columns = t.kept(columns, grade)
		}
		dropped = len(widths) - 1 - len(columns)
		if excess := total(widths, columns) - style.Width; excess > 0 {
			names = t.names(max(minName, widths[0]-excess))
			widths = t.widths(names)
		}
	}
	var b bytes.Buffer
	for i := -1; i < len(t.rows); i++ {
		l := line{style: style, b: &b}
		if i < 0 {
			l.left(t.head[0], widths[0], bold)
			for _, c := range columns {
				l.blanks += len(gap)
				l.right(t.head[c], widths[c], bold)
			}
		} else if r := &t.rows[i]; r.cells == nil {
			l.name(names[i], widths[0])
			l.blanks += len(gap)
			l.left(r.words, 0, r.paint)
		} else {
			l.name(names[i], widths[0])
			for _, c := range columns {
				cell := &r.cells[c-1]
				l.blanks += len(gap)
				l.right(cell.text, widths[c], cell.paint)
			}
			l.blanks += len(gap)
			l.left(r.note, 0, dim)
		}
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
	names, keys := make([]string, len(t.rows)), make([]string, len(t.rows))
	for i, r := range t.rows {
		names[i], keys[i] = r.name, cmp.Or(r.key, r.name)
	}
	return labels(distinct(names, keys), limit)
}

func (t *table) widths(names []string) []int {
	widths := make([]int, len(t.head))
	for c, h := range t.head {
		widths[c] = width(h)
	}
	for _, n := range names {
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
	style  Style
	b      *bytes.Buffer
	cells  int
	blanks int // not written until something follows, so that no line ends in blanks
	full   bool
}

// name adds the name that begins a line. It is never cut: one that could not be
// shortened would look like another, so the line wraps.
func (l *line) name(text string, n int) {
	w := width(text)
	l.b.WriteString(text)
	l.cells, l.blanks = w, max(0, n-w)
	l.full = l.style.Width > 0 && w > l.style.Width
}

// left adds a text with blanks after it up to n cells.
func (l *line) left(text string, n int, p paint) {
	w := width(text)
	l.add(text, w, p)
	l.blanks += max(0, n-w)
}

// right adds a text with blanks before it up to n cells.
func (l *line) right(text string, n int, p paint) {
	w := width(text)
	l.blanks += max(0, n-w)
	l.add(text, w, p)
}

// add adds a text of w cells.
func (l *line) add(text string, w int, p paint) {
	if l.full || text == "" {
		return
	}
	if room := l.style.Width - l.cells - l.blanks; l.style.Width > 0 && w > room {
		l.full = true
		if room > len(ellipsis) {
			text = head(text, room)
		} else { // say that something is cut, in place of blanks
			l.blanks += room - len(ellipsis)
			if l.blanks < 1 {
				return
			}
			text = ellipsis
		}
		w = width(text)
	}
	for range l.blanks {
		l.b.WriteByte(' ')
	}
	l.b.WriteString(l.style.paint(p, text))
	l.cells += l.blanks + w
	l.blanks = 0
}

// pad returns s in n cells, to the left.
func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-width(s))) }
