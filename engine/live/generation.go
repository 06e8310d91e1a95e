package live

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"isadiff/engine/dump"
	"isadiff/engine/isa"
	"isadiff/engine/resource"
)

// generations notes what the Change says was overwritten.
func (t *tree) generations(c Change) {
	for _, file := range c.Settled {
		if len(file.Generations) == 0 && file.Dropped == 0 {
			continue
		}
		dir, name, ok := t.split(file.Path)
		f := t.folders[dir]
		if !ok || f == nil || f.begun {
			continue
		}
		name = resource.ValidText(name)
		if _, counts := f.counting(name); !counts {
			continue
		}
		next := *f
		next.retired = false
		source := path.Join(resource.ValidText(dir), name)
		next.unheld = maps.Clone(f.unheld)
		if next.unheld == nil {
			next.unheld = map[string]int{}
		}
		next.unheld[source] = file.Dropped
		next.generations = maps.Clone(f.generations)
		if next.generations == nil {
			next.generations = map[string][]Generation{}
		}
		figures, displaced := f.overwritten(source, file.Generations, t.cfg.Project.Kernels)
		maps.Copy(next.generations, figures)
		if next.displaced = append(slices.Clip(f.displaced), displaced...); len(displaced) > 0 {
			t.displaced[dir] = true
		}
		t.set(dir, &next)
	}
}

// remember takes over what was overwritten if what stands there now is still what
// it was overwritten with.
func (f *folder) remember(old *folder) {
	same := func(a, b dump.Stage) bool { return a.Name == b.Name && a.ModTime.Equal(b.ModTime) && a.Size == b.Size }
	if old != nil && slices.Equal(f.Records, old.Records) && slices.EqualFunc(f.Counting(), old.Counting(), same) {
		f.generations, f.unheld, f.displaced = old.generations, old.unheld, old.displaced
	}
}

// overwritten returns the figures of contents that a file had before, by key, as
// far as they differ from what stands in the folder now and from each other, and a
// sentence about each kernel that counts and that the file does not hold any more.
func (f *folder) overwritten(source string, contents [][]byte, kernels *resource.Matcher) (figures map[string][]Generation, displaced []string) {
	figures = map[string][]Generation{}
	gone := map[string]resource.Cells{}
	now := map[string]*resource.Record{}
	for _, r := range f.Records {
		if r.Source == source {
			now[r.Name] = r
		}
	}
	for _, content := range contents {
		records, problems := resource.FromFile(isa.Parse(content), f.Dir, source)
		if len(problems) > 0 {
			continue // cut short: no compile that ended
		}
		for _, was := range records {
			r := now[was.Name]
			if r == nil && (kernels == nil || kernels.Match(was)) {
				gone[was.Key] = was.Cells
			}
			if r == nil || r.Cells == was.Cells {
				continue
			}
			earlier := figures[r.Key]
			if len(earlier) == 0 || earlier[len(earlier)-1].Cells != was.Cells {
				figures[r.Key] = append(earlier, Generation{was.Cells})
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(gone)) {
		displaced = append(displaced, fmt.Sprintf(
			"%s: compiled and overwritten at once by a compile that has no such kernel, so it is not compared: %s; give each its own dump directory",
			key, used(gone[key])))
	}
	return figures, displaced
}

// displacements warns of kernels that one batch wrote and wrote over with others.
func (t *tree) displacements() (ws []string) {
	for _, dir := range slices.Sorted(maps.Keys(t.displaced)) {
		if f := t.folders[dir]; f != nil && len(f.displaced) > 0 {
			ws = append(ws, f.displaced...)
		} else {
			delete(t.displaced, dir)
		}
	}
	return ws
}

// overwritten warns of kernels that were written over others.
func overwritten(kernels []*Kernel) []string {
	var ws []string
	for _, k := range kernels {
		for _, w := range k.Overwritten() {
			ws = append(ws, k.Key+": "+w)
		}
	}
	return ws
}

// Overwritten tells of specializations that one batch wrote over another, and of a
// kernel that was compiled over one of its name from another source: their dump
// directory is shared, so only the last one is compared. Each is a sentence about
// the kernel.
func (k *Kernel) Overwritten() (ws []string) {
	if k.Live == nil {
		return nil
	}
	if k.Instead != "" {
		ws = append(ws, fmt.Sprintf("its baseline was compiled from %s, which has a kernel of the same name, so two kernels are compared; give each its own dump directory", k.Instead))
	}
	if k.Unheld > 0 {
		ws = append(ws, fmt.Sprintf("compiled several times at once, and %d of its dumps were too large to be held: whether their figures differ is not known", k.Unheld))
	}
	if len(k.Generations) == 0 {
		return ws
	}
	figures := make([]string, 0, len(k.Generations)+1)
	for _, g := range k.Generations {
		figures = append(figures, differing(g.Cells, k.Live.Cells))
	}
	return append(ws, fmt.Sprintf(
		"compiled %d times at once with different figures, and the last one is compared: %s, then %s; give each specialization its own dump directory",
		len(figures)+1, strings.Join(figures, ", then "), differing(k.Live.Cells, k.Generations[len(k.Generations)-1].Cells)))
}

// used lists the triggers that are not 0: "vgpr 34, sgpr 30".
func used(cells resource.Cells) string {
	var figures []string
	for m, c := range cells {
		if resource.Metric(m).Trigger() && c != resource.Value(0) {
			figures = append(figures, fmt.Sprintf("%s %s", resource.Metric(m), c))
		}
	}
	return strings.Join(figures, ", ")
}

// differing lists the figures of a that are not those of b: "vgpr 26, sgpr 18".
func differing(a, b resource.Cells) string {
	var figures []string
	for m, c := range a {
		if c.State != b[m].State || c.Value != b[m].Value {
			figures = append(figures, fmt.Sprintf("%s %s", resource.Metric(m), c))
		}
	}
	return strings.Join(figures, ", ")
}
