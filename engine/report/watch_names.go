package report

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"isadiff/engine/live"
	"isadiff/engine/resource"
)

// shownNames returns how kernels of a State are shown: as people write their
// names, unless another kernel of the State would look the same, as overloads of
// one function do. Its work is one step for each kernel of their directories.
func shownNames(s *live.State, kernels []*live.Kernel) []string {
	alike := map[string]int{} // by what is seen
	counted := map[string]bool{}
	names := make([]string, len(kernels))
	for i, k := range kernels {
		dir, _ := resource.SplitKey(k.Key)
		if !counted[dir] {
			counted[dir] = true
			for _, neighbour := range within(s.Kernels, dir+"::") {
				alike[look(shownKey(neighbour))]++
			}
		}
		names[i] = shownKey(k)
	}
	for i, k := range kernels {
		if alike[look(names[i])] > 1 {
			names[i] = ascii(visible(k.Key))
		} else {
			names[i] = visible(names[i])
		}
	}
	return names
}

// look returns what of a name is seen.
func look(name string) string { return norm.NFC.String(visible(name)) }

// within returns the kernels whose keys begin with prefix; all are sorted by key.
func within(kernels []*live.Kernel, prefix string) []*live.Kernel {
	first, _ := slices.BinarySearchFunc(kernels, prefix, func(k *live.Kernel, prefix string) int { return strings.Compare(k.Key, prefix) })
	kernels = kernels[first:]
	for n, k := range kernels {
		if !strings.HasPrefix(k.Key, prefix) {
			return kernels[:n]
		}
	}
	return kernels
}
