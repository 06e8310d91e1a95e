package diff

import (
	"slices"
	"strings"

	"isadiff/engine/resource"
)

// A Scope is what the run that made a dump tree was to compile: the kernels below its
// folders, relative to the tree in slashes. "" is all of them.
type Scope []string

// Covers reports whether the run was to compile a kernel, if there still is one.
func (s Scope) Covers(r *resource.Record) bool {
	return slices.ContainsFunc(s, func(folder string) bool {
		rest, ok := strings.CutPrefix(r.Key, folder)
		return folder == "" || ok && (strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "::"))
	})
}

// Limit returns the side before without the kernels that the run behind after was not to
// compile and did not, which are left. The bare name pairs none of these: that it occurs
// once in a part of a project means nothing.
func (s Scope) Limit(before, after *resource.Side, orders ...*Order) (limited *resource.Side, left []*resource.Record) {
	stays := map[*resource.Record]bool{}
	for _, c := range Match(before.Records, after.Records, orders...) {
		if c.Before != nil && c.After != nil && (c.Before.Key == c.After.Key || c.Order != nil) {
			stays[c.Before] = true
		}
	}
	part := *before
	part.Records = nil
	for _, r := range before.Records {
		if stays[r] || s.Covers(r) {
			part.Records = append(part.Records, r)
		} else {
			left = append(left, r)
		}
	}
	if len(left) == 0 {
		return before, nil
	}
	return &part, left
}
