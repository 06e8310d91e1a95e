package trace

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"time"

	"isadiff/engine/pressure"
	"isadiff/engine/pysource"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// A coder reads lines of sources that are here as they were compiled.
type coder struct {
	root    string // no source outside is read
	sources map[string]source
	lines   map[pressure.SourceLine]string
}

type source struct {
	lines [][]byte // nil if it is not here
	saved time.Time
}

// read notes the text of a line, if its source was not saved after the assembly was
// written at a time: what stands there now may be another line.
func (c *coder) read(at pressure.SourceLine, written time.Time) {
	if rel, err := filepath.Rel(c.root, at.File); at.Line <= 0 || err != nil || !filepath.IsLocal(rel) {
		return
	}
	s, known := c.sources[at.File]
	if !known {
		if info, err := os.Stat(at.File); err == nil && info.Mode().IsRegular() {
			if text, err := regular.ReadWithin(at.File, pysource.MaxSize); err == nil {
				s = source{bytes.Split(text, []byte("\n")), info.ModTime()}
			}
		}
		c.sources[at.File] = s
	}
	if at.Line > len(s.lines) || s.saved.After(written) {
		return
	}
	if text := strings.TrimSpace(string(s.lines[at.Line-1])); text != "" {
		c.lines[at] = text
	}
}

// readCode reads the source lines of the after side of kernels that changed.
func (w *Why) readCode(after *resource.Side, root string) {
	if after.Snapshot {
		return // when it was compiled is not known
	}
	c := coder{root, map[string]source{}, map[pressure.SourceLine]string{}}
	for i := range w.Kernels {
		k := &w.Kernels[i]
		info, err := os.Stat(AssemblyFile(after, k.Row.After))
		if err != nil || !k.Differs() {
			continue
		}
		for j := range k.Lines {
			c.read(k.Lines[j].Source, info.ModTime())
		}
	}
	w.Code = c.lines
}
