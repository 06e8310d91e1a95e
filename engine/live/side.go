package live

import (
	"slices"
	"strings"

	"isadiff/engine/dump"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// drop takes a directory out of the side.
func (t *tree) drop(dir string) {
	if _, ok := t.folders[dir]; !ok {
		return
	}
	t.set(dir, nil)
	if i, ok := t.search(dir); ok {
		t.order = slices.Delete(t.order, i, i+1)
		t.changed()
	}
}

// place puts a directory into the side.
func (t *tree) place(f *folder) {
	if i, ok := t.search(f.Dir); ok {
		t.order[i] = f.Folder
	} else {
		t.order = slices.Insert(t.order, i, f.Folder)
	}
}

func (t *tree) search(dir string) (int, bool) {
	return slices.BinarySearchFunc(t.order, dir, func(f *dump.Folder, dir string) int { return strings.Compare(f.Dir, dir) })
}

// changed marks the sides as to be made again.
func (t *tree) changed() { t.all, t.swaps, t.limited = nil, nil, nil }

// sourcesChanged lets compiles that take each other's place be judged again: which of
// them counts depends on when their sources changed last.
func (t *tree) sourcesChanged() {
	for _, f := range t.order {
		if slices.ContainsFunc(f.Files, func(f dump.File) bool { return f.Producer.Supersedes }) {
			t.changed()
			return
		}
	}
}

// A swap is a folder that took the place of another one.
type swap struct{ old, new *folder }

// patch returns a side in which swaps took place; ok is false if they changed
// more of it than figures, so that it has to be put together again.
func patch(side *resource.Side, swaps []swap) (patched *resource.Side, ok bool) {
	next := *side
	next.Records = slices.Clone(side.Records)
	for _, s := range swaps {
		if !slices.Equal(s.old.Problems, s.new.Problems) || !slices.Equal(s.old.Warnings, s.new.Warnings) || len(s.old.Records) != len(s.new.Records) {
			return nil, false
		}
		for i, r := range s.new.Records {
			was := s.old.Records[i]
			at, found := slices.BinarySearchFunc(next.Records, r.Key, keyOrder)
			if was.Key != r.Key || !found || next.Records[at] != was {
				return nil, false
			}
			next.Records[at] = r
		}
	}
	return &next, true
}

// whole returns the side with all its kernels.
func (t *tree) whole() *resource.Side {
	if t.all != nil && len(t.swaps) > 0 {
		if patched, ok := patch(t.all, t.swaps); ok {
			t.all, t.swaps = patched, nil
		} else {
			t.changed()
		}
	}
	if t.all == nil {
		if t.refused != nil {
			t.all = dump.Refuse(t.root, *t.refused)
		} else {
			t.all = dump.Assemble(t.root, slices.Clone(t.order))
			dump.Own(t.all, t.cfg.Project.Producer)
			if t.above != nil {
				t.all.Problems = append(t.all.Problems, *t.above)
				slices.SortFunc(t.all.Problems, problem.Compare)
			}
		}
	}
	return t.all
}

// side returns the side with the kernels that count.
func (t *tree) side() *resource.Side {
	if t.limited == nil {
		t.limited = t.whole().Narrow(t.cfg.Project.Kernels)
	}
	return t.limited
}
