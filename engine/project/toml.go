package project

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/pelletier/go-toml/v2/unstable"

	"isadiff/engine/problem"
	"isadiff/engine/regular"
)

const (
	// ownFile holds our keys alone, at its top level.
	ownFile = "isadiff.toml"
	// sharedFile holds them in its table [tool.isadiff].
	sharedFile = "pyproject.toml"
	// maxFileSize keeps a file that is no configuration from being read.
	maxFileSize = 1 << 20
	// maxParts and maxKey bound a key: its dotted parts, and its bytes.
	maxParts, maxKey = 64, 4 << 10
	// maxKeys and maxStrays bound the keys of ours in a file, and the tables that may
	// be meant to be ours.
	maxKeys, maxStrays = 10_000, 100
	// maxAttempts bounds the broken lines after which a file is read on: each
	// may hold what looks like the begin of a string that goes on to the end.
	maxAttempts = 100
)

// TableIn returns the table that holds the configuration in a file of this base name, ""
// for the top level; ok is false of other files.
func TableIn(name string) (table string, ok bool) {
	switch name {
	case ownFile:
		return "", true
	case sharedFile:
		return "tool.isadiff", true
	default:
		return "", false
	}
}

// file applies the settings of one configuration file.
func (l *loader) file(path string) {
	whole := setting{origin: Origin{Layer: File, File: path, Line: 1}}
	data, err := readFile(path)
	if err != nil {
		l.whole(whole, "the configuration cannot be read: %v", err)
		return
	}
	settings, strays, broken := readTOML(path, data)
	before := len(l.config.Faults)
	l.base = filepath.Dir(path)
	for _, s := range settings {
		if l.config.Origins[s.name()].File == path && s.name() != "" {
			l.fault(s, s.name(), "%s is set a second time, after line %d; remove one of them", s.name(), l.config.Origins[s.name()].Line)
			continue
		}
		l.apply(s)
	}
	for _, s := range strays {
		s.fault(l)
	}
	if broken != nil {
		if limits(words.FindAllString(string(data), -1)) {
			broken.Key = budgetsKey // a limit may be lost, which nobody may take for kept
		}
		l.config.Faults = append(l.config.Faults, *broken)
	}
	slices.SortStableFunc(l.config.Faults[before:], func(a, b Fault) int { return a.Line - b.Line })
	if other := filepath.Join(l.base, sharedFile); filepath.Base(path) == ownFile && usesTable(other) {
		l.fault(whole, "", "%s stands beside a %s with a table [tool.isadiff]; that table is ignored", ownFile, sharedFile)
	}
}

// name returns the key of a setting that may be set once; "" for the rest.
func (s setting) name() string {
	if key, rest := lookup(s.path); key != nil && len(rest) == 0 {
		return key.Name
	}
	return ""
}

// readFile reads a configuration file that is a regular file of sane size.
func readFile(path string) ([]byte, error) {
	data, err := regular.ReadWithin(path, maxFileSize)
	if _, large := errors.AsType[problem.TooLarge](err); large {
		return nil, fmt.Errorf("it is larger than %d MiB; keep [tool.isadiff] in a smaller file, or the keys in an %s of their own", maxFileSize>>20, ownFile)
	}
	if err != nil {
		return nil, problem.Cause(err)
	}
	return data, nil
}

// usesTable reports whether a pyproject.toml has settings of ours, or what may be
// meant to be.
func usesTable(path string) bool {
	data, err := readFile(path)
	if err != nil {
		return false
	}
	settings, strays, broken := readTOML(path, data)
	return len(settings) > 0 || len(strays) > 0 || broken != nil && mentionsTable(data)
}

// readTOML returns our settings in a TOML file, in its order. After a syntax
// error it goes on with the next line: the keys before and after still count.
func readTOML(path string, data []byte) (settings []setting, strays []stray, broken *Fault) {
	prefix := []string{"tool", "isadiff"}
	if filepath.Base(path) == ownFile {
		prefix = nil
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	r := tomlReader{path: path, prefix: prefix, text: data, line: 1}
	rest := data
	for attempts := 0; ; attempts++ {
		bad := r.read(rest)
		if broken == nil {
			broken = r.refused
		}
		if bad == nil || attempts == maxAttempts {
			return r.settings, r.strays, broken
		}
		at := len(data) - len(rest) + bad.offset
		if broken == nil {
			broken = &Fault{
				Origin:  Origin{Layer: File, File: path, Line: 1 + bytes.Count(data[:at], []byte("\n"))},
				Column:  at - bytes.LastIndexByte(data[:at], '\n'),
				Whole:   true,
				Message: fmt.Sprintf("is not valid TOML here: %s", bad.message),
			}
		}
		start := bytes.LastIndexByte(data[:at], '\n') + 1
		if bytes.HasPrefix(bytes.TrimLeft(data[start:at+1], " \t"), []byte("[")) {
			r.lost = true // the keys of a table whose name is unreadable are nobody's
		}
		end := bytes.IndexByte(data[at:], '\n')
		if end < 0 {
			return r.settings, r.strays, broken
		}
		rest = data[at+end+1:]
	}
}

// A tomlReader collects settings from a text that may need several attempts.
type tomlReader struct {
	path     string
	prefix   []string // of our table
	text     []byte   // the whole file
	table    []string // the current table
	lost     bool     // which table it is cannot be read
	counted  int      // line is the line of this offset
	line     int
	begin    int // where that line begins
	settings []setting
	strays   []stray
	refused  *Fault // the first key that is too much
}

// A syntaxError is where and why a text is no TOML.
type syntaxError struct {
	offset  int
	message string
}

// read collects the settings of text, a tail of the file, up to the first error.
func (r *tomlReader) read(text []byte) *syntaxError {
	var p unstable.Parser
	p.Reset(text)
	base := len(r.text) - len(text)
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table:
			r.table = names(e.Key())
			at := base + keyOffset(e)
			if r.lost = r.tooLong(r.table, at); !r.lost && !r.stray(r.table, at) {
				r.empty(r.table, at)
			}
		case unstable.ArrayTable:
			r.table = append(names(e.Key()), "[]")
			if r.lost = r.tooLong(r.table, base+keyOffset(e)); r.lost || r.stray(r.table, base+keyOffset(e)) {
				continue
			}
			if ours, ok := r.ours(r.table); ok && len(ours) > 0 {
				at := e.Child().Raw.Offset
				r.add(ours[:len(ours)-1], []any{}, base+int(at))
			}
		case unstable.KeyValue:
			if !r.lost {
				r.keyValue(r.table, e, base)
			}
		}
	}
	err := p.Error()
	if err == nil {
		return nil
	}
	bad := &syntaxError{offset: len(text) - 1, message: err.Error()}
	var perr *unstable.ParserError
	if errors.As(err, &perr) && len(perr.Highlight) > 0 {
		bad.offset = int(p.Range(perr.Highlight).Offset)
	}
	bad.offset = max(bad.offset, 0)
	return bad
}

// keyValue collects key = value, and the keys within an inline table.
func (r *tomlReader) keyValue(table []string, e *unstable.Node, base int) {
	path := append(slices.Clone(table), names(e.Key())...)
	at := base + keyOffset(e)
	if r.tooLong(path, at) {
		return
	}
	if v := e.Value(); v.Kind == unstable.InlineTable {
		if v.Child() == nil && !r.stray(path, at) {
			r.empty(path, at)
		}
		for it := v.Children(); it.Next(); {
			r.keyValue(path, it.Node(), base)
		}
		return
	}
	ours, ok := r.ours(path)
	if r.stray(path, at) || !ok || len(ours) == 0 {
		return
	}
	r.add(ours, plain(e.Value()), at)
}

// empty records a table where a key of ours has to have something else.
func (r *tomlReader) empty(path []string, offset int) {
	if ours, ok := r.ours(path); ok && lacking(ours) {
		r.add(ours, map[string]any{}, offset)
	}
}

// keyOffset returns where the key of a table or a value begins.
func keyOffset(e *unstable.Node) int {
	key := e.Key()
	key.Next()
	return int(key.Node().Raw.Offset)
}

// tooLong reports whether a key is one that nobody wrote by hand, and refuses it if
// it is in our table.
func (r *tomlReader) tooLong(path []string, offset int) bool {
	length := 0
	for _, part := range path {
		length += len(part)
	}
	if len(path) <= maxParts && length <= maxKey {
		return false
	}
	if _, ok := r.ours(path); ok || strayTable(path) != nil {
		r.refuse(offset, "the key is too long: it has more than %d parts or %d bytes; remove it", maxParts, maxKey)
	}
	return true
}

// refuse makes the file one that cannot be used, as a key of it is not taken in.
func (r *tomlReader) refuse(offset int, format string, args ...any) {
	if r.refused == nil {
		s := r.at(offset)
		r.refused = &Fault{Origin: s.origin, Column: s.column, Whole: true, Message: fmt.Sprintf(format, args...)}
	}
}

// add records a setting at a byte offset of the file. Offsets only grow.
func (r *tomlReader) add(path []string, raw any, offset int) {
	if len(r.settings) == maxKeys {
		r.refuse(offset, "there are more than %d keys; name kernels by globs", maxKeys)
		return
	}
	s := r.at(offset)
	s.path, s.raw = path, raw
	r.settings = append(r.settings, s)
}

// at returns a setting without path and value at a byte offset of the file.
func (r *tomlReader) at(offset int) setting {
	since := r.text[r.counted:max(offset, r.counted)]
	if i := bytes.LastIndexByte(since, '\n'); i >= 0 {
		r.line += bytes.Count(since, []byte("\n"))
		r.begin = r.counted + i + 1
	}
	r.counted = max(offset, r.counted)
	return setting{origin: Origin{Layer: File, File: r.path, Line: r.line}, column: offset - r.begin + 1}
}

// ours returns a path below our table.
func (r *tomlReader) ours(path []string) ([]string, bool) {
	if len(path) < len(r.prefix) || !slices.Equal(path[:len(r.prefix)], r.prefix) {
		return nil, false
	}
	return path[len(r.prefix):], true
}

// names returns the parts of a dotted key; of one that is too long, the first.
func names(it unstable.Iterator) (parts []string) {
	for len(parts) <= maxParts && it.Next() {
		parts = append(parts, string(it.Node().Data))
	}
	return parts
}

// plain converts a TOML value to what encoding/json would have made of it. Dates
// become strings in no key's form; numbers that do not fit stay text as well.
func plain(n *unstable.Node) any {
	switch n.Kind {
	case unstable.String:
		return string(n.Data)
	case unstable.Bool:
		return n.Data[0] == 't'
	case unstable.Integer, unstable.Float:
		if f, err := strconv.ParseFloat(string(n.Data), 64); err == nil {
			return f
		}
		return map[string]any{"number": string(n.Data)}
	case unstable.Array:
		list := []any{}
		for it := n.Children(); it.Next(); {
			list = append(list, plain(it.Node()))
		}
		return list
	default:
		return map[string]any{n.Kind.String(): string(n.Data)}
	}
}
