package project

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"isadiff/engine/atomicfile"
	"isadiff/engine/problem"
)

// A Setting is a key of the configuration, the parts of its name apart, and what to set
// it to: a string, a list of strings, or a table of whole numbers.
type Setting struct {
	Key   []string
	Value any
}

// PairSetting says that a kernel before and one after are one, see [diff.Order].
func PairSetting(before, after string) Setting { return Setting{[]string{pairsKey, before}, after} }

// PathSetting leads paths that begin with from to the folder to.
func PathSetting(from, to string) Setting { return Setting{[]string{pathMapKey, from}, to} }

// CompileSetting sets the command that compiles the project's kernels.
func CompileSetting(c Command) Setting {
	if c.Shell {
		return Setting{[]string{compileKey}, c.Args[0]}
	}
	return Setting{[]string{compileKey}, c.Args}
}

// ToleranceSetting sets what growth is tolerated of the kernels of a glob, "waves" or a
// number by metric.
func ToleranceSetting(glob string, growth any) Setting {
	return Setting{[]string{toleranceKey, glob}, growth}
}

// An Addition is a line that is to be put into the configuration file.
type Addition struct {
	Path  string // absolute; the file need not be there
	Table string // that the line belongs to, as the file names it: "tool.isadiff.pairs"; "" for none
	Line  string // "axpy_*_u2" = "axpy_*_u8"
	At    int    // the 1-based line where it will stand
	Text  []byte // the file with the line; nil if Err
	Err   error  // why the file cannot be changed without a person; nil if it can
}

// Shown returns the line below the head of its table.
func (a *Addition) Shown() string {
	if a.Table == "" {
		return a.Line + "\n"
	}
	return "[" + a.Table + "]\n" + a.Line + "\n"
}

// Add returns the line that sets a key, and the configuration file with it. Everything
// else in the file stays. It writes nothing; [Config.Write] does.
func (c *Config) Add(s Setting) Addition {
	name, table := s.Key[len(s.Key)-1], s.Key[:len(s.Key)-1]
	a := Addition{Path: c.File, Line: tomlValue(name) + " = " + tomlValue(s.Value)}
	if len(table) == 0 {
		a.Line = name + " = " + tomlValue(s.Value) // one of our own keys, which are bare
	}
	if a.Path == "" {
		a.Path = filepath.Join(c.Root, ownFile)
	}
	if filepath.Base(a.Path) == sharedFile {
		table = append([]string{"tool", "isadiff"}, table...)
	}
	a.Table = strings.Join(table, ".")
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
	a.insert(data, table)
	now, _, _ := readTOML(a.Path, a.Text)
	alone, _, wrong := readTOML(a.Path, []byte(a.Shown()))
	var whole map[string]any // whose reader knows what may not stand twice
	if !s.spelled() || wrong != nil || toml.Unmarshal(bytes.TrimPrefix(a.Text, bom), &whole) != nil || !adds(old, now, alone) {
		a.Text, a.Err = nil, fmt.Errorf("the line cannot be added to %s; %s", filepath.Base(a.Path), byHand(s.Key))
	}
	return a
}

// spelled reports whether TOML can hold the texts of s.
func (s Setting) spelled() bool {
	texts := slices.Clone(s.Key)
	switch v := s.Value.(type) {
	case string:
		texts = append(texts, v)
	case []string:
		texts = append(texts, v...)
	}
	return !slices.ContainsFunc(texts, func(t string) bool { return !utf8.ValidString(t) })
}

// byHand says what a person can do where a line cannot be added.
func byHand(key []string) string {
	if len(key) == 1 {
		return key[0] + " is set there already: change it yourself"
	}
	return "add it yourself where the " + key[0] + " are"
}

// Write writes the configuration file with the line of [Config.Add], with
// [Config.WriteFile]. Concurrent changes wait for each other.
func (c *Config) Write(s Setting) (Addition, error) {
	a := c.Add(s)
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
	if a = c.Add(s); a.Err != nil {
		return a, unwritable(a.Err, "%s is not written: %v", a.Path, a.Err)
	}
	return a, c.WriteFile(a.Path, a.Text)
}

// adds reports whether settings are those that were there and the new ones, of which
// there is one at least.
func adds(old, now, fresh []setting) bool {
	same := func(a, b setting) bool { return slices.Equal(a.path, b.path) && reflect.DeepEqual(a.raw, b.raw) }
	now = slices.Clone(now)
	for _, s := range fresh {
		i := slices.IndexFunc(now, func(n setting) bool { return same(n, s) })
		if i < 0 {
			return false
		}
		now = slices.Delete(now, i, i+1)
	}
	return len(fresh) > 0 && slices.EqualFunc(old, now, same)
}

var bom = []byte("\xef\xbb\xbf")

// insert puts the line below the head of its table, or at the end with one.
func (a *Addition) insert(data []byte, table []string) {
	text, newline := bytes.TrimPrefix(data, bom), "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	at, line := len(text), a.Line+newline
	if len(table) == 0 {
		if at = firstTable(text); at < len(text) {
			line += newline
		} else if at > 0 && text[at-1] != '\n' {
			line = newline + line
		}
	} else if head := tableHead(text, table); head >= 0 {
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

// firstTable returns where the first table begins, with the comments above it; the end
// of the text if there is none.
func firstTable(text []byte) int {
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind != unstable.Table && e.Kind != unstable.ArrayTable {
			continue
		}
		at := bytes.LastIndexByte(text[:keyOffset(e)], '\n') + 1
		for at > 0 {
			above := bytes.LastIndexByte(text[:at-1], '\n') + 1
			if !bytes.HasPrefix(bytes.TrimLeft(text[above:at], " \t"), []byte("#")) {
				break
			}
			at = above
		}
		return at
	}
	return len(text)
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

// tomlValue returns a value as TOML writes it on one line. The escapes of strings are
// those of JSON.
func tomlValue(v any) string {
	switch v := v.(type) {
	case []string:
		var items []string
		for _, item := range v {
			items = append(items, tomlValue(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case map[string]int64:
		var items []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			items = append(items, fmt.Sprintf("%s = %d", key, v[key]))
		}
		return "{ " + strings.Join(items, ", ") + " }"
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // of a string it cannot fail
	return strings.ReplaceAll(strings.TrimSpace(b.String()), "\x7f", `\u007f`)
}
