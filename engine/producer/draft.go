package producer

import (
	"sync"

	"isadiff/engine/pysource"
)

// A Draft is a version of a source's text in an editor. It is scanned once, by
// whoever needs its definitions first. It may be used from several goroutines.
type Draft struct {
	path, text string

	mu     sync.Mutex
	file   *pysource.File
	table  *Table // that file was scanned for
	before *Draft // the last version that was scanned, until this one is
}

// NewDraft is the text of a source, whose path tells its language, as it was opened.
func NewDraft(path, text string) *Draft { return &Draft{path: path, text: text} }

// Text returns the text.
func (d *Draft) Text() string { return d.text }

// Edit returns the version that comes after d.
func (d *Draft) Edit(path, text string) *Draft {
	return &Draft{path: path, text: text, before: d.scanned()}
}

// Scan returns the definitions for the producers of a table. What was known of the
// version before helps to find definitions in a text that is broken for the moment.
func (d *Draft) Scan(table *Table) *pysource.File {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.file != nil && d.table == table:
	case d.before != nil && d.before.table == table:
		d.file = table.Rescan(d.path, d.before.file, []byte(d.before.text), []byte(d.text))
	default:
		d.file = table.Scan(d.path, []byte(d.text))
	}
	d.table, d.before = table, nil
	return d.file
}

// scanned returns the newest version that was scanned, d or one before it; nil if
// none was. However many edits come in between, no more than two texts are kept.
func (d *Draft) scanned() *Draft {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.file != nil {
		return &Draft{path: d.path, text: d.text, file: d.file, table: d.table}
	}
	return d.before
}
