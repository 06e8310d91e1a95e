package snapshot

import (
	"errors"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"isadiff/engine/gfx"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// A Writer writes JSON in the form that all our files share: indented by two,
// non-ASCII as it is, a newline at the end. Whoever uses it gives the keys in
// order, and closes what is opened; the first error is kept and ends the writing.
type Writer struct {
	to     io.Writer
	buffer []byte
	line   bool // all on one line
	open   []level
	err    error
}

// A level is an object or an array that is being written.
type level struct {
	object bool
	filled bool   // something stands in it
	keyed  bool   // its last key has no value yet
	last   string // key
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{to: w} }

// NewLineWriter returns a Writer to w of each document on a line of its own.
func NewLineWriter(w io.Writer) *Writer { return &Writer{to: w, line: true} }

// Err returns the first error.
func (w *Writer) Err() error { return w.err }

// enough is how many bytes are gathered before they are written.
const enough = 32 << 10

// begin writes what stands before a value.
func (w *Writer) begin() {
	if len(w.open) == 0 {
		return
	}
	l := &w.open[len(w.open)-1]
	switch {
	case l.keyed:
		l.keyed = false
		w.buffer = append(w.buffer, ':')
		if !w.line {
			w.buffer = append(w.buffer, ' ')
		}
		return
	case l.object:
		w.fail(errors.New("a value without a key"))
	case l.filled:
		w.buffer = append(w.buffer, ',')
	}
	l.filled = true
	w.newLine(len(w.open))
}

// end follows a value.
func (w *Writer) end() {
	if len(w.open) == 0 {
		w.buffer = append(w.buffer, '\n')
	}
	if w.err != nil {
		w.buffer = w.buffer[:0]
	} else if len(w.open) == 0 || len(w.buffer) >= enough {
		_, w.err = w.to.Write(w.buffer)
		w.buffer = w.buffer[:0]
	}
}

// newLine begins a line at a depth.
func (w *Writer) newLine(depth int) {
	if w.line {
		return
	}
	w.buffer = append(w.buffer, indentation[:1+2*min(depth, maxIndent)]...)
	for range depth - maxIndent {
		w.buffer = append(w.buffer, "  "...)
	}
}

// indentation is a line end and the blanks of maxIndent levels.
const (
	indentation = "\n                                "
	maxIndent   = (len(indentation) - 1) / 2
)

// within writes what f writes between two brackets.
func (w *Writer) within(object bool, brackets string, f func()) {
	w.begin()
	w.buffer = append(w.buffer, brackets[0])
	w.open = append(w.open, level{object: object})
	f()
	l := w.open[len(w.open)-1]
	w.open = w.open[:len(w.open)-1]
	if l.keyed {
		w.fail(errors.New("a key without a value"))
	}
	if l.filled {
		w.newLine(len(w.open))
	}
	w.buffer = append(w.buffer, brackets[1])
	w.end()
}

// Object writes an object whose members f writes.
func (w *Writer) Object(f func()) { w.within(true, "{}", f) }

// Array writes an array whose elements f writes.
func (w *Writer) Array(f func()) { w.within(false, "[]", f) }

// KeyObject, KeyArray, KeyString, KeyInt, KeyBool and KeyStrings write a whole member.
func (w *Writer) KeyObject(name string, f func()) {
	w.Key(name)
	w.Object(f)
}

func (w *Writer) KeyArray(name string, f func()) {
	w.Key(name)
	w.Array(f)
}

func (w *Writer) KeyString(name, s string) {
	w.Key(name)
	w.String(s)
}

func (w *Writer) KeyInt(name string, n int64) {
	w.Key(name)
	w.Int(n)
}

func (w *Writer) KeyBool(name string, b bool) {
	w.Key(name)
	w.Bool(b)
}

func (w *Writer) KeyStrings(name string, list []string) {
	w.Key(name)
	w.Strings(list)
}

// Key writes the name of the next member.
func (w *Writer) Key(name string) {
	if len(w.open) == 0 || !w.open[len(w.open)-1].object {
		w.fail(errors.New("a key in no object"))
		return
	}
	l := &w.open[len(w.open)-1]
	if l.filled {
		w.buffer = append(w.buffer, ',')
	}
	if l.keyed || l.filled && l.last == name {
		w.fail(errors.New("a key twice: " + name))
	}
	l.filled, l.keyed, l.last = true, true, name
	w.newLine(len(w.open))
	w.quote(name)
}

// quote writes a string in quotes; bytes that are no UTF-8 are written as \xNN.
func (w *Writer) quote(s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			var err error
			if w.buffer, err = jsontext.AppendQuote(w.buffer, resource.ValidText(s)); err != nil {
				w.fail(err)
			}
			return
		}
	}
	w.buffer = append(append(append(w.buffer, '"'), s...), '"')
}

// literal writes a value that is spelled as it is.
func (w *Writer) literal(s string) {
	w.begin()
	w.buffer = append(w.buffer, s...)
	w.end()
}

// String writes a string; bytes that are no UTF-8 are written as \xNN.
func (w *Writer) String(s string) {
	w.begin()
	w.quote(s)
	w.end()
}

// Int writes an integer.
func (w *Writer) Int(n int64) {
	w.begin()
	w.buffer = strconv.AppendInt(w.buffer, n, 10)
	w.end()
}

// Bool writes a boolean.
func (w *Writer) Bool(b bool) { w.literal(strconv.FormatBool(b)) }

// Null writes a null.
func (w *Writer) Null() { w.literal("null") }

// Strings writes an array of strings.
func (w *Writer) Strings(list []string) {
	w.Array(func() {
		for _, s := range list {
			w.String(s)
		}
	})
}

// optionalString writes a null for the empty string.
func (w *Writer) optionalString(s string) {
	if s == "" {
		w.Null()
		return
	}
	w.String(s)
}

// optionalInt writes a null for zero.
func (w *Writer) optionalInt(n int64) {
	if n == 0 {
		w.Null()
		return
	}
	w.Int(n)
}

// Problems writes the members "problem_codes" and "problems": two parallel
// lists, the first for programs and the second as the Python helper has it.
func (w *Writer) Problems(ps []problem.Problem) {
	w.KeyArray("problem_codes", func() {
		for _, p := range ps {
			w.Object(func() {
				w.KeyString("code", string(p.Code))
				w.KeyString("file", p.File)
				w.KeyString("kernel", p.Kernel)
				if p.Line > 0 {
					w.KeyInt("line", int64(p.Line))
				}
				w.KeyString("message", p.Message)
				if p.Side != "" {
					w.KeyString("side", p.Side)
				}
			})
		}
	})
	w.KeyArray("problems", func() {
		for _, p := range ps {
			w.String(p.Message)
		}
	})
}

// Compilers writes the member "compilers" of a kernel if they are known.
func (w *Writer) Compilers(r *resource.Record) {
	if len(r.Compilers) > 0 {
		w.KeyStrings("compilers", r.Compilers)
	}
}

// Occupancy writes the member "occupancy" if the waves are known.
func (w *Writer) Occupancy(o gfx.Occupancy) {
	if o == (gfx.Occupancy{}) {
		return
	}
	w.KeyObject("occupancy", func() {
		w.KeyInt("launch", int64(o.Launch))
		w.Key("limiter")
		w.optionalString(o.Limiter)
		w.KeyInt("llvm", int64(o.LLVM))
		if o.Unlaunchable != "" {
			w.KeyString("unlaunchable", o.Unlaunchable)
		}
	})
}

// noReason stands where a cell without a value came without a reason.
const noReason = "no reason given"

// Cells writes the figures of a kernel by their metrics' keys.
func (w *Writer) Cells(cells *resource.Cells) {
	w.Object(func() {
		for _, m := range resource.ByKey {
			w.Key(m.String())
			w.cell(cells[m])
		}
	})
}

func (w *Writer) cell(c resource.Cell) {
	w.Object(func() {
		switch {
		case c.State == resource.Known && c.Value < 0:
			w.fail(errors.New("a negative count"))
		case c.State == resource.Known:
			w.KeyString("state", stateValue)
			w.KeyInt("value", c.Value)
		default:
			reason, state := c.Reason, stateUnparsed
			if c.State == resource.NotApplicable {
				state = stateNA
			}
			if reason == "" {
				reason = noReason
			}
			w.KeyString("reason", reason)
			w.KeyString("state", state)
		}
	})
}

func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// The states of a cell as JSON spells them.
const (
	stateValue    = "value"
	stateNA       = "n/a"
	stateUnparsed = "unparsed"
)
