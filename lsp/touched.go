package lsp

import (
	"slices"

	"isadiff/engine/live"
	"isadiff/engine/locate"
	"isadiff/engine/problem"
)

// A touched set names the files whose diagnostics may differ between two views.
// What did not change from one state to the next is the same pointer in both, so
// that finding it out costs a comparison for each file and no more.
type touched map[string]bool

// touch compares two views; before is nil at first.
func touch(before, now *view) touched {
	t := touched{}
	if before == nil || !sameFolders(before, now) {
		// Folders, configurations or the baseline's age: everything may differ.
		for _, v := range []*view{before, now} {
			if v != nil {
				t.all(v)
			}
		}
		return t
	}
	for i := range now.folders {
		a, b := before.folders[i].state, now.folders[i].state
		if a == b {
			continue
		}
		for path, src := range b.Sources {
			if a.Sources[path] != src {
				t[path] = true
			}
		}
		for path := range a.Sources {
			if b.Sources[path] == nil {
				t[path] = true
			}
		}
		t.placeless(a, b)
		t.problems(now.folders[i], a, b)
		if !slices.Equal(a.Unread, b.Unread) {
			t[now.folders[i].config.Accepted] = true
		}
	}
	if before.docs != now.docs {
		for path, doc := range now.docs.open {
			if before.docs.open[path] != doc {
				t[path] = true
			}
		}
		for path := range before.docs.open {
			if now.docs.open[path] == nil {
				t[path] = true
			}
		}
	}
	return t
}

// sameFolders reports whether two views differ in nothing that the diagnostics of
// every file depend on.
func sameFolders(a, b *view) bool {
	return slices.EqualFunc(a.folders, b.folders, func(f, g folderView) bool {
		return f.folder == g.folder && f.config == g.config && (f.state == nil) == (g.state == nil) &&
			(f.state == nil || sameTree(f.state, g.state) && f.state.Baseline.Path == g.state.Baseline.Path && f.state.Baseline.Written.Equal(g.state.Baseline.Written) && f.state.Baseline.Exists == g.state.Baseline.Exists)
	})
}

// sameTree reports whether one problem stands for those of all kernels in both states,
// or in none.
func sameTree(a, b *live.State) bool {
	if a == b {
		return true
	}
	p, one := wholeTree(a)
	q, other := wholeTree(b)
	return one == other && (!one || p == q)
}

// all adds every file that has diagnostics in a view or may have.
func (t touched) all(v *view) {
	for path := range v.reports(nil) {
		t[path] = true
	}
}

// placeless adds the files of kernels that belong to no definition.
func (t touched) placeless(a, b *live.State) {
	was := map[*live.Kernel]bool{}
	for _, k := range a.Kernels {
		if k.Place.Match == locate.None && noteworthy(k) {
			was[k] = true
		}
	}
	for _, k := range b.Kernels {
		if k.Place.Match == locate.None && noteworthy(k) && !was[k] {
			t[placeless(b, k)] = true
		}
		delete(was, k)
	}
	for k := range was {
		t[placeless(a, k)] = true
	}
}

// problems adds the files of problems that no kernel shows.
func (t touched) problems(f folderView, a, b *live.State) {
	was := map[problem.Problem]bool{}
	for _, p := range unshown(a) {
		was[p] = true
	}
	for _, p := range unshown(b) {
		if place := f.placeOf(b, p); !was[p] || place != f.placeOf(a, p) {
			t[place], t[f.placeOf(a, p)] = true, true
		}
		delete(was, p)
	}
	for p := range was {
		t[f.placeOf(a, p)] = true
	}
}
