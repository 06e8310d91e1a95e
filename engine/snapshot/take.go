package snapshot

import (
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"isadiff/engine/atomicfile"
	"isadiff/engine/gitignore"
	"isadiff/engine/kept"
	"isadiff/engine/problem"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// A Taken says what became of a baseline.
type Taken struct {
	Path     string
	New      *resource.Side
	Old      *resource.Side // nil if there was none; it may have problems of its own
	Previous string         // where the old one is kept for an undo; "" if there was none
	Lacking  []string       // keys of the kernels whose assembly could not be kept, though it was asked for
}

// Take makes a side the baseline at path, creating its directory if need be, and
// keeps the one that stood there for [Undo]. The assembly of its records is kept
// beside it, see [kept.Path]; without it if assembly is nil. Figures that cannot be trusted are
// refused unless forced; a side without kernels and the place of a file that is no
// snapshot in any case. Errors are problems; after one, the old baseline is as it
// was.
func Take(path string, side *resource.Side, meta Meta, force bool, assembly kept.From) (*Taken, error) {
	return take(path, side, meta, force, func(*resource.Side) (*resource.Side, kept.From, error) { return side, assembly, nil })
}

// TakePart is [Take] of a side that is a part: kernels of the baseline before that it
// lacks stay, with their assembly, where stays says so. It returns how many did. Where the
// old baseline cannot be read whole, nothing is written, as what would be lost is not known.
func TakePart(path string, side *resource.Side, meta Meta, origin *kept.Origin, stays func(*resource.Record) bool) (t *Taken, stayed int, err error) {
	t, err = take(path, side, meta, false, func(old *resource.Side) (*resource.Side, kept.From, error) {
		if old == nil {
			return side, kept.All(origin), nil
		}
		if !old.Trustworthy() {
			return nil, nil, refusal(path, old)
		}
		whole := *side
		whole.Records = slices.Clone(side.Records)
		from := map[*resource.Record]*kept.Origin{}
		for _, r := range side.Records {
			from[r] = origin
		}
		byKey := func(r *resource.Record, key string) int { return strings.Compare(r.Key, key) }
		var was *kept.Origin
		for _, r := range old.Records {
			if _, found := slices.BinarySearchFunc(side.Records, r.Key, byKey); found || !stays(r) {
				continue
			}
			if stayed++; stayed == 1 {
				was, _ = kept.Of(old) // without it the assembly of what stays is lacking, which is told
			}
			whole.Records = append(whole.Records, r)
			from[r] = was
		}
		slices.SortFunc(whole.Records, func(a, b *resource.Record) int { return strings.Compare(a.Key, b.Key) })
		return &whole, func(r *resource.Record) *kept.Origin { return from[r] }, nil
	})
	return t, stayed, err
}

// take makes what next makes of the old baseline, nil if there was none, the new one.
func take(path string, side *resource.Side, meta Meta, force bool, next func(old *resource.Side) (*resource.Side, kept.From, error)) (*Taken, error) {
	if !force && !side.Trustworthy() {
		return nil, refusal(path, side)
	}
	if len(side.Records) == 0 {
		return nil, noKernels(path, side)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, problem.New(problem.OutputUnwritable, "%s cannot be made: %v", filepath.Dir(path), problem.Cause(err))
	}
	t := &Taken{Path: path}
	return t, Change(path, func() (err error) {
		old, err := Standing(path)
		if err != nil {
			return err
		}
		if old != nil {
			t.Old, _ = Decode(path, old)
			t.Previous = PreviousPath(path)
		}
		var assembly kept.From
		if t.New, assembly, err = next(t.Old); err != nil {
			return err
		}
		t.Lacking, err = write(path, t.Previous, t.New, meta, assembly, func() error {
			if old == nil {
				return nil
			}
			return Save(t.Previous, old)
		})
		return err
	})
}

// WriteKept is [Write] that keeps the assembly of the records as well, as [Take] does.
// It returns the keys of those whose assembly could not be kept.
func WriteKept(path string, side *resource.Side, meta Meta, assembly kept.From) (lacking []string, err error) {
	if len(side.Records) == 0 {
		return nil, noKernels(path, side)
	}
	err = Change(path, func() error {
		lacking, err = write(path, "", side, meta, assembly, func() error { return nil })
		return err
	})
	return lacking, err
}

// write writes a snapshot, once before has run, and its assembly; the one that was there
// becomes that of the snapshot previous.
func write(path, previous string, side *resource.Side, meta Meta, assembly kept.From, before func() error) (lacking []string, err error) {
	change := func() error {
		if err := before(); err != nil {
			return err
		}
		return Write(path, side, meta)
	}
	if !atomicfile.Replaces(path) { // it is written to, and nothing can be beside it
		return nil, change()
	}
	var content func(io.Writer) error
	if assembly != nil {
		sum := sha256.New()
		if err := EncodeTo(sum, side, meta); err != nil {
			return nil, unwritable(path, err)
		}
		content = func(w io.Writer) (err error) {
			lacking, err = kept.Write(w, Sum(sum.Sum(nil)), side.Records, assembly)
			return err
		}
	}
	gitignore.Beside(path, os.OpenFile)
	err = kept.Replace(atomicfile.WriteFunc, path, previous, content, change)
	return lacking, err
}

// Change runs a change of the snapshot at path, from before it is read until it is
// written, while no other process changes it. An error of the lock is a problem.
func Change(path string, change func() error) error {
	unlock, err := atomicfile.Lock(path)
	if err != nil {
		return unwritable(path, err)
	}
	defer unlock()
	return change()
}

func refusal(path string, side *resource.Side) error {
	doubts := side.Doubts()
	p := doubts[0]
	p.Message = "the baseline " + path + " was not written: " + p.Message
	return p
}

// PreviousPath returns where the baseline that stood at path before is kept.
func PreviousPath(path string) string {
	return strings.TrimSuffix(path, ".json") + ".previous.json"
}

// Undo exchanges the baseline at path with the one before, with the assembly of each,
// so that a second undo takes back the first, of which redone tells. Errors are problems; after one, both are as they were.
func Undo(path string) (redone bool, err error) {
	previous := PreviousPath(path)
	if _, err := os.Stat(previous); err != nil {
		return false, unreadable(previous, err)
	}
	err = Change(path, func() error {
		was, err := regular.Read(previous)
		if err != nil {
			return unreadable(previous, err)
		}
		if !Is(was) {
			return taken(previous)
		}
		is, err := Standing(path)
		if err != nil {
			return err
		}
		redone = Newer(was, is)
		return kept.Exchange(atomicfile.WriteFunc, path, previous, func() error { return exchange(path, previous, was, is) })
	})
	return redone, err
}

// Newer reports whether a snapshot was taken after another one, as far as both say when.
func Newer(a, b []byte) bool {
	_, first := Decode("", a)
	_, second := Decode("", b)
	return !first.Written.IsZero() && !second.Written.IsZero() && first.Written.After(second.Written)
}

// exchange gives the baseline the text was, and the one before it the text is, unless
// that is nil.
func exchange(path, previous string, was, is []byte) error {
	if err := Save(path, was); err != nil {
		return err
	}
	if is == nil {
		return nil
	}
	if err := Save(previous, is); err != nil {
		if back := Save(path, is); back != nil {
			return back
		}
		return err
	}
	return nil
}
