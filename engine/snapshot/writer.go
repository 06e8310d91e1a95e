package snapshot

import (
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"isadiff/engine/gfx"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// A Writer writes JSON in the form that all our files share: indented by two,
// non-ASCII as it is, a newline at the end. Whoever uses it gives the keys in
// order; the first error is kept and ends the writing.
type Writer struct {
	enc *jsontext.Encoder
	err error
}

// NewWriter returns a Writer to w; options may say another form.
func NewWriter(w io.Writer, options ...jsontext.Options) *Writer {
	return &Writer{enc: jsontext.NewEncoder(w, append([]jsontext.Options{jsontext.WithIndent("  ")}, options...)...)}
}

// Err returns the first error.
func (w *Writer) Err() error { return w.err }

func (w *Writer) token(t jsontext.Token) {
	if w.err == nil {
		w.err = w.enc.WriteToken(t)
	}
}

// Object writes an object whose members f writes.
func (w *Writer) Object(f func()) {
	w.token(jsontext.BeginObject)
	f()
	w.token(jsontext.EndObject)
}

// Array writes an array whose elements f writes.
func (w *Writer) Array(f func()) {
	w.token(jsontext.BeginArray)
	f()
	w.token(jsontext.EndArray)
}

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
func (w *Writer) Key(name string) { w.String(name) }

// String writes a string; bytes that are no UTF-8 are written as \xNN.
func (w *Writer) String(s string) { w.token(jsontext.String(resource.ValidText(s))) }

// Int writes an integer.
func (w *Writer) Int(n int64) { w.token(jsontext.Int(n)) }

// Bool writes a boolean.
func (w *Writer) Bool(b bool) { w.token(jsontext.Bool(b)) }

// Null writes a null.
func (w *Writer) Null() { w.token(jsontext.Null) }

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
