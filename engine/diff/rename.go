package diff

import (
	"slices"
	"strings"

	"isadiff/engine/resource"
)

// A Rename is a kernel that is only in the before side and one that is only in
// the after side, by their keys, that are probably the same under two names.
type Rename struct {
	Before, After string
}

// OneSided returns the records of rows that are on one side only.
func OneSided(rows []Row) (lost, fresh []*resource.Record) {
	for i := range rows {
		switch row := &rows[i]; {
		case row.After == nil:
			lost = append(lost, row.Before)
		case row.Before == nil:
			fresh = append(fresh, row.After)
		}
	}
	return lost, fresh
}

// Renames finds which of the kernels that are only in the before side are
// probably kernels that are only in the after side: those that came from one line
// of one file or from one definition, or else have the same instructions for the
// same processor. Whatever fits more than one kernel of a side is not named. The
// answer is sorted by Before.
//
// definition returns the file and line of the definition that a record's origin
// means here, and "" if there is none; it is not called for what cannot be defined
// in a file of the fresh ones. It may be nil.
func Renames(lost, fresh []*resource.Record, definition func(*resource.Record) (file string, line int)) (renames []Rename) {
	if len(lost) == 0 || len(fresh) == 0 {
		return nil
	}
	files := make(map[string]bool, len(fresh))
	for _, r := range fresh {
		files[fileName(r)] = true
	}
	paired := map[*resource.Record]bool{}
	for _, feature := range []func(*resource.Record) (likeness, bool){sameLine, func(r *resource.Record) (likeness, bool) {
		if definition == nil || r.Origin.Path == "" || r.Origin.Line <= 0 || !files[fileName(r)] {
			return likeness{}, false
		}
		file, line := definition(r)
		return likeness{r.Target.Processor, file, line}, file != ""
	}, sameInstructions} {
		after := unique(fresh, paired, feature, nil)
		for like, before := range unique(lost, paired, feature, after) {
			if after := after[like]; before != nil && after != nil {
				renames = append(renames, Rename{before.Key, after.Key})
				paired[before], paired[after] = true, true
			}
		}
	}
	slices.SortFunc(renames, func(x, y Rename) int { return strings.Compare(x.Before, y.Before) })
	return renames
}

// fileName is the last name of the path that a record came from, on any system.
func fileName(r *resource.Record) string {
	path := r.Origin.Path
	return strings.ToLower(path[strings.LastIndexAny(path, `/\`)+1:])
}

// A likeness is what two kernels share that are the same under two names.
type likeness struct {
	processor string
	text      string // a source path or a digest
	line      int
}

// sameLine likens kernels whose topmost decorator stood on one line of one file.
func sameLine(r *resource.Record) (likeness, bool) {
	return likeness{r.Target.Processor, r.Origin.Path, r.Origin.Line}, r.Origin.Path != "" && r.Origin.Line > 0
}

// sameInstructions likens kernels with equal bodies.
func sameInstructions(r *resource.Record) (likeness, bool) {
	return likeness{processor: r.Target.Processor, text: r.Digest}, r.Digest != ""
}

// unique finds the records that alone have their likeness, one of those among
// which it is looked for unless that is nil; nil stands for those that share it.
// Records that are paired already are left out.
func unique(records []*resource.Record, paired map[*resource.Record]bool, feature func(*resource.Record) (likeness, bool), among map[likeness]*resource.Record) map[likeness]*resource.Record {
	m := make(map[likeness]*resource.Record)
	for _, r := range records {
		if paired[r] {
			continue
		}
		like, ok := feature(r)
		if !ok || among != nil && among[like] == nil {
			continue
		}
		if _, shared := m[like]; shared {
			m[like] = nil
		} else {
			m[like] = r
		}
	}
	return m
}

// Proposal compares the two kernels of a rename, which the comparison itself does
// not: nobody has said that they are one. ok is false if r does not have them alone.
func (r *Result) Proposal(pair Rename) (row Row, ok bool) {
	lost, fresh := r.alone(pair.Before), r.alone(pair.After)
	if lost == nil || fresh == nil || lost.After != nil || fresh.Before != nil {
		return Row{}, false
	}
	return RowOf(lost.Before, fresh.After), true
}

// Ordered returns the order that makes the two kernels of a rename one, its halves
// apart: by their names where those say it, else by their keys.
func (r *Result) Ordered(pair Rename) (before, after string) {
	lost, fresh := r.alone(pair.Before), r.alone(pair.After)
	if lost == nil || fresh == nil || lost.Before == nil || fresh.After == nil {
		return Literal(pair.Before), Literal(pair.After)
	}
	return Ordered(lost.Before, fresh.After, r.Rows)
}

// Ordered returns the order that makes two kernels one which are alone on their
// sides in rows.
func Ordered(before, after *resource.Record, rows []Row) (old, now string) {
	short := before.Name != after.Name && !strings.ContainsAny(before.Name+after.Name, "/:")
	for i := range rows {
		if row := &rows[i]; row.After == nil && row.Before != before && row.Before.Name == before.Name || row.Before == nil && row.After != after && row.After.Name == after.Name {
			short = false
		}
	}
	if !short {
		return Literal(before.Key), Literal(after.Key)
	}
	return Literal(before.Name), Literal(after.Name)
}

// alone returns the row of a kernel that is on one side only, by its key.
func (r *Result) alone(key string) *Row {
	i, ok := slices.BinarySearchFunc(r.Rows, key, func(row Row, key string) int { return strings.Compare(row.Key, key) })
	for ; ok && i < len(r.Rows) && r.Rows[i].Key == key; i++ {
		if r.Rows[i].Side() != "" {
			return &r.Rows[i]
		}
	}
	return nil
}
