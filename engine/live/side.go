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
func (t *tree) changed() { t.all, t.limited = nil, nil }

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

// whole returns the side with all its kernels.
func (t *tree) whole() *resource.Side {
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
