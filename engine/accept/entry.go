package accept

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"isadiff/engine/resource"
)

// A Date is a day of the calendar as 2027-03-31; "" is none. Dates compare as
// strings do.
type Date string

// DateOf returns the day that a moment is in, where the moment says it is.
func DateOf(t time.Time) Date { return Date(t.Format(time.DateOnly)) }

// ParseDate reads a day.
func ParseDate(text string) (Date, error) {
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		return "", fmt.Errorf("is %q, must be a day such as 2027-03-31", text)
	}
	return Date(text), nil
}

// An Entry accepts the growth of one metric of the kernels of a glob.
type Entry struct {
	Kernels *resource.Matcher
	Metric  resource.Metric // a trigger
	Value   int64           // what is accepted, at most
	Reason  string          // "" if none was given
	Until   Date            // the last day it holds; "" without end
	Line    int             // 1-based line of the entry in its file; 0 if it is in none
}

// Expired reports whether e's last day is over.
func (e *Entry) Expired(today Date) bool { return e.Until != "" && e.Until < today }

// compare orders entries as the file has them.
func compare(a, b *Entry) int {
	return cmp.Or(cmp.Compare(a.Kernels.String(), b.Kernels.String()), cmp.Compare(a.Metric, b.Metric))
}

// Exactly returns the glob that selects the kernel of a key and no other.
func Exactly(key string) string {
	var b []byte
	for i := range len(key) {
		switch key[i] {
		case '*', '?', '[', ']', '{', '}', '\\':
			b = append(b, '\\')
		}
		b = append(b, key[i])
	}
	return string(b)
}

// Key returns the key that a glob selects, if it is for one key: the inverse of
// [Exactly]. A bare name is for every kernel of that name.
func Key(glob string) (key string, ok bool) {
	if !strings.Contains(glob, "::") {
		return "", false
	}
	var b []byte
	for i := 0; i < len(glob); i++ {
		switch glob[i] {
		case '*', '?', '[', ']', '{', '}':
			return "", false
		case '\\':
			if i++; i == len(glob) {
				return "", false
			}
		}
		b = append(b, glob[i])
	}
	return string(b), true
}

// A List is the content of one file.
type List struct {
	Path    string // as messages name it
	Entries []Entry
	Faults  []Fault // what could not be read, in the order of the file
}

// A Fault is a part of the file that accepts nothing because it cannot be read.
type Fault struct {
	Line    int // 1-based
	Message string
}

// At returns the place of an entry: ".isadiff/accepted.toml:7".
func (l *List) At(line int) string { return fmt.Sprintf("%s:%d", l.Path, line) }
