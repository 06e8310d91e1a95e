package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"isadiff/engine/atomicfile"
	"isadiff/engine/problem"
)

// An Addition is a line that is to be put into the configuration file.
type Addition struct {
	Path  string // absolute; the file need not be there
	Table string // that the line belongs to, as the file names it: "tool.isadiff.pairs"
	Line  string // "axpy_*_u2" = "axpy_*_u8"
	At    int    // the 1-based line where it will stand
	Text  []byte // the file with the line; nil if Err
	Err   error  // why the file cannot be changed without a person; nil if it can
}

// AddPair returns the line that pairs two kernels by their names or keys (see
// [diff.Order]), and the configuration file with it. Everything else in the file
// stays. It writes nothing; [Config.WritePair] does.
func (c *Config) AddPair(before, after string) Addition {
	a := Addition{Path: c.File, Table: pairsKey, Line: tomlText(before) + " = " + tomlText(after)}
	if a.Path == "" {
		a.Path = filepath.Join(c.Root, ownFile)
	}
	path := []string{pairsKey}
	if filepath.Base(a.Path) == sharedFile {
		path = []string{"tool", "isadiff", pairsKey}
		a.Table = strings.Join(path, ".")
	}
	data, err := readFile(a.Path)
	if err != nil && (c.File != "" || !errors.Is(err, fs.ErrNotExist)) {
		a.Err = err
		return a
	}
	old, _, broken := readTOML(a.Path, data)
	if broken != nil {
		a.Err = errors.New(broken.String())
		return a
	}
	a.insert(data, path)
	now, _, _ := readTOML(a.Path, a.Text)
	var whole map[string]any // whose reader knows what may not stand twice
	if toml.Unmarshal(bytes.TrimPrefix(a.Text, bom), &whole) != nil || !addsOne(old, now, setting{path: []string{pairsKey, before}, raw: after}) {
		a.Text, a.Err = nil, fmt.Errorf("the line cannot be added to %s; add it yourself where the %s are", filepath.Base(a.Path), pairsKey)
	}
	return a
}

// WritePair writes the configuration file with the line of [Config.AddPair], with
// [Config.WriteFile]. Concurrent changes wait for each other.
func (c *Config) WritePair(before, after string) (Addition, error) {
	a := c.AddPair(before, after)
	if err := c.CheckWrite(a.Path); err != nil {
		return a, err
	}
	if info, err := os.Lstat(a.Path); err == nil && !info.Mode().IsRegular() {
		return a, unwritable(ErrOutside, "%s is not written: it is a link, or no regular file", a.Path)
	}
	unlock, err := atomicfile.Lock(a.Path)
	if err != nil {
		return a, unwritable(err, "%s cannot be written: %v", a.Path, problem.Cause(err))
	}
	defer unlock()
	if a = c.AddPair(before, after); a.Err != nil {
		return a, unwritable(a.Err, "%s is not written: %v", a.Path, a.Err)
	}
	return a, c.WriteFile(a.Path, a.Text)
}

// addsOne reports whether settings are those that were there and one more.
func addsOne(old, now []setting, one setting) bool {
	same := func(a, b setting) bool { return slices.Equal(a.path, b.path) && reflect.DeepEqual(a.raw, b.raw) }
	i := slices.IndexFunc(now, func(s setting) bool { return same(s, one) })
	return i >= 0 && slices.EqualFunc(old, slices.Delete(slices.Clone(now), i, i+1), same)
}

var bom = []byte("\xef\xbb\xbf")

// insert puts the line below the head of its table, or at the end with one.
func (a *Addition) insert(data []byte, table []string) {
	text, newline := bytes.TrimPrefix(data, bom), "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	at, line := len(text), a.Line+newline
	if head := tableHead(text, table); head >= 0 {
		if end := bytes.IndexByte(text[head:], '\n'); end >= 0 {
			at = head + end + 1
		} else {
			line = newline + line
		}
	} else {
		line = "[" + a.Table + "]" + newline + line
		switch {
		case len(text) == 0:
		case text[len(text)-1] != '\n':
			line = newline + newline + line
		default:
			line = newline + line
		}
	}
	a.Text = slices.Concat(data[:len(data)-len(text)], text[:at], []byte(line), text[at:])
	a.At = 1 + bytes.Count(text[:at], []byte("\n")) + strings.Count(strings.TrimRight(line, "\r\n"), "\n")
}

// tableHead returns where the name of a table stands that has a head of its own; -1
// if none has.
func tableHead(text []byte, table []string) int {
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
		if e := p.Expression(); e.Kind == unstable.Table && slices.Equal(names(e.Key()), table) {
			return keyOffset(e)
		}
	}
	return -1
}

// tomlText returns a TOML string: its escapes are those of JSON.
func tomlText(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // of a string it cannot fail
	return strings.ReplaceAll(strings.TrimSpace(b.String()), "\x7f", `\u007f`)
}
