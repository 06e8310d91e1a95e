package trace

import (
	"path/filepath"
	"sync"

	"isadiff/engine/dump"
	"isadiff/engine/kept"
	"isadiff/engine/problem"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// Texts gives the assembly that the figures of a side were read from, whatever the side
// is: the files of a dump tree, or what is kept beside a snapshot. Its methods may be
// called at the same time.
type Texts struct {
	side *resource.Side

	open    sync.Once
	archive *kept.Archive
	missing error // why the snapshot has none
}

// TextsOf returns the texts of a side. Nothing is opened before one is asked for.
func TextsOf(s *resource.Side) *Texts { return &Texts{side: s} }

// Close ends the use of the texts.
func (t *Texts) Close() {
	t.open.Do(func() {})
	if t.archive != nil {
		t.archive.Close()
	}
}

// Of returns the text of the file that a record of the side was read from, which is not
// to be changed. This is the one place where it comes from. The error is a problem: the
// text is not kept or cannot be read, or is another one than the figures were read from.
func (t *Texts) Of(r *resource.Record) ([]byte, error) {
	if t.side.Snapshot {
		t.open.Do(func() { t.archive, t.missing = kept.Open(t.side) })
		if t.archive == nil {
			return nil, t.missing
		}
		return t.archive.Text(r)
	}
	if r.Object {
		return nil, problem.New(problem.AssemblyMissing, "%s holds code objects, and those hold no assembly", r.Source).In(r.Source).
			Mended("keep the assembly when it is compiled, for HIP with --save-temps=obj, and compare the directories that it is in")
	}
	data, err := regular.Read(AssemblyFile(t.side, r))
	if err != nil {
		return nil, problem.Unreadable(r.Source, err).Of(r.Key)
	}
	if r.Text != 0 {
		hash := dump.NewText()
		_, _ = hash.Write(data) // never fails
		if hash.Sum64() != r.Text {
			return nil, problem.New(problem.InputUnreadable, "%s changed after its figures were read", r.Source).In(r.Source).Of(r.Key).Mended("compare again")
		}
	}
	return data, nil
}

// AssemblyFile returns the path of the file that the assembly of a record is read from:
// the file itself, or the archive beside a snapshot. A side that is one file has it for
// its origin and its records' source alike.
func AssemblyFile(s *resource.Side, r *resource.Record) string {
	switch {
	case s.Snapshot:
		return kept.Path(s.Origin)
	case r.Source == s.Origin:
		return s.Origin
	}
	return filepath.Join(s.Origin, filepath.FromSlash(r.Source))
}

// Text returns what [Texts.Of] does where one record of a side is asked for.
func Text(s *resource.Side, r *resource.Record) ([]byte, error) {
	texts := TextsOf(s)
	defer texts.Close()
	return texts.Of(r)
}
