package accept

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"

	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// table is the name of the tables that are entries.
const table = "accepted"

// maxSize bounds what is read, so that a file that is no list is not read.
const maxSize = 4 << 20

// Read reads the list of a file, which messages call name. A file that does not
// exist is an empty list; one that cannot be read is a list with a fault.
func Read(path, name string) *List {
	data, err := regular.ReadUpTo(path, maxSize+1)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &List{Path: name}
	case err == nil && len(data) > maxSize:
		err = fmt.Errorf("it is larger than %d MiB", maxSize>>20)
	}
	if err != nil {
		var cause *fs.PathError
		if errors.As(err, &cause) {
			err = cause.Err
		}
		return &List{Path: name, Faults: []Fault{{1, fmt.Sprintf("the file cannot be read: %v; nothing is accepted", err)}}}
	}
	return Parse(name, data)
}

// Parse reads the text of a file, which messages call name.
func Parse(name string, data []byte) *List {
	d := parse(data)
	l := &List{Path: name, Faults: d.faults}
	if d.broken {
		return l
	}
	for _, b := range d.blocks {
		if b.valid {
			l.Entries = append(l.Entries, b.entry)
		}
	}
	return l
}

// A document is the text of a file in pieces.
type document struct {
	text   []byte
	head   []byte // what stands before the first entry
	blocks []block
	faults []Fault
	broken bool // it is no TOML, so no piece is believed

	counted, lines int // lines is how many end before the offset counted
}

// A block is one entry with the comments above it.
type block struct {
	entry Entry
	valid bool
	given map[string]bool
	start int    // where the block's text begins
	raw   []byte // its text
}

func (d *document) fault(line int, format string, args ...any) {
	d.faults = append(d.faults, Fault{line, fmt.Sprintf(format, args...)})
}

// line returns the 1-based line of an offset. Offsets mostly grow, so that the text
// is counted once.
func (d *document) line(offset int) int {
	if offset < d.counted {
		d.counted, d.lines = 0, 0
	}
	d.lines += bytes.Count(d.text[d.counted:offset], []byte("\n"))
	d.counted = offset
	return 1 + d.lines
}

// parse takes a text apart.
func parse(data []byte) *document {
	d := &document{text: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))}
	var p unstable.Parser
	p.Reset(d.text)
	ours := false // the current table is an entry
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.ArrayTable, unstable.Table:
			key := e.Key()
			key.Next()
			at := int(key.Node().Raw.Offset)
			name := joined(e.Key())
			if ours = e.Kind == unstable.ArrayTable && name == table; ours {
				d.open(at)
			} else {
				d.fault(d.line(at), "unknown table %q: entries are [[%s]]; it is ignored", name, table)
			}
		case unstable.KeyValue:
			key := e.Key()
			key.Next()
			at := d.line(int(key.Node().Raw.Offset))
			if ours {
				d.set(&d.blocks[len(d.blocks)-1], joined(e.Key()), e.Value(), at)
			} else {
				d.fault(at, "%q belongs to no [[%s]]; it is ignored", joined(e.Key()), table)
			}
		}
	}
	if err := p.Error(); err != nil {
		at := len(d.text)
		var where *unstable.ParserError
		if errors.As(err, &where) && len(where.Highlight) > 0 {
			at = int(p.Range(where.Highlight).Offset)
		}
		d.broken, d.faults = true, nil
		d.fault(d.line(at), "is not valid TOML here: %v; nothing is accepted", err)
		return d
	}
	d.cut()
	for i := range d.blocks {
		d.complete(&d.blocks[i])
	}
	return d
}

// maxName bounds a key in what is said of it; the keys of an entry are shorter.
const maxName = 100

func joined(key unstable.Iterator) string {
	var name []byte
	for first := true; key.Next(); first = false {
		if !first {
			name = append(name, '.')
		}
		if name = append(name, key.Node().Data...); len(name) > maxName {
			return strings.ToValidUTF8(string(name[:maxName]), "") + "..."
		}
	}
	return string(name)
}

// open begins an entry whose table's name stands at an offset.
func (d *document) open(at int) {
	start := bytes.LastIndexByte(d.text[:at], '\n') + 1
	for start > 0 { // the comments right above belong to it
		above := bytes.LastIndexByte(d.text[:start-1], '\n') + 1
		if !bytes.HasPrefix(bytes.TrimLeft(d.text[above:start], " \t"), []byte("#")) {
			break
		}
		start = above
	}
	d.blocks = append(d.blocks, block{start: start, given: map[string]bool{}, valid: true, entry: Entry{Kernels: &resource.Matcher{}, Line: d.line(at)}})
}

// cut gives every block its text.
func (d *document) cut() {
	end := len(d.text)
	for i := len(d.blocks) - 1; i >= 0; i-- {
		d.blocks[i].raw = bytes.TrimSpace(d.text[d.blocks[i].start:end])
		end = d.blocks[i].start
	}
	d.head = bytes.TrimSpace(d.text[:end])
}

// set reads one key of an entry.
func (d *document) set(b *block, key string, v *unstable.Node, line int) {
	bad := func(format string, args ...any) {
		b.valid = false
		d.fault(line, key+" "+format+"; the entry is ignored", args...)
	}
	text := string(v.Data)
	isText := v.Kind == unstable.String
	if b.given[key] {
		bad("is given twice")
		return
	}
	b.given[key] = true
	var err error
	switch key {
	case "kernel":
		if !isText || text == "" {
			bad("must be a glob (a string)")
		} else if b.entry.Kernels, err = resource.NewMatcher(text); err != nil {
			b.entry.Kernels = &resource.Matcher{}
			bad("is no glob: %v", err)
		}
	case "metric":
		m, known := resource.ParseMetric(text)
		if !isText || !known || !m.Trigger() {
			bad("must be one of %s", strings.Join(resource.TriggerKeys(), ", "))
		}
		b.entry.Metric = m
	case "value":
		if b.entry.Value, err = strconv.ParseInt(text, 10, 64); v.Kind != unstable.Integer || err != nil || b.entry.Value < 0 {
			bad("must be a whole number that is not negative")
		}
	case "reason":
		if b.entry.Reason = text; !isText {
			bad("must be a string")
		}
	case "until":
		if b.entry.Until, err = ParseDate(text); err != nil || !isText && v.Kind != unstable.LocalDate {
			bad("must be a day such as 2027-03-31")
		}
	default:
		// An unknown key may be a limit that is misspelt: the entry must not accept more
		// than its author meant.
		bad("is no key of an entry; they are kernel, metric, value, reason, until")
	}
}

// complete says what an entry lacks.
func (d *document) complete(b *block) {
	for _, key := range []string{"kernel", "metric", "value"} {
		if !b.given[key] && b.valid {
			b.valid = false
			d.fault(b.entry.Line, "the entry has no %s; it is ignored", key)
		}
	}
}
