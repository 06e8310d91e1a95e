package live

import (
	"slices"
	"strings"

	"isadiff/engine/dump"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// search finds the place of a directory in the side.
func (t *tree) search(dir string) (i int, in bool) {
	return slices.BinarySearchFunc(t.order, dir, func(d *directory, dir string) int { return strings.Compare(d.Dir, dir) })
}

// changed marks the sides as to be made again.
func (t *tree) changed() { t.all, t.limited = nil, nil }

// whole returns the side with all its kernels.
func (t *tree) whole() *resource.Side {
	if t.all != nil {
		return t.all
	}
	if t.displaced = nil; t.refused != nil {
		t.all = dump.Refuse(t.root, *t.refused)
		return t.all
	}
	folders := make([]*dump.Folder, len(t.order))
	for i, d := range t.order {
		folders[i] = d.Folder
		t.displaced = append(t.displaced, d.displaced...)
	}
	t.all = dump.Assemble(t.root, folders)
	dump.Own(t.all, t.cfg.Project.Producer)
	if t.above != nil {
		t.all.Problems = append(t.all.Problems, *t.above)
		slices.SortFunc(t.all.Problems, problem.Compare)
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
