package project

import (
	"path/filepath"
	"reflect"
	"slices"

	"isadiff/engine/budget"
	"isadiff/engine/diff"
	"isadiff/engine/producer"
)

// SameInputs reports whether two configurations compare the same things and allow
// the same: a session of one can stand for the other.
func (c *Config) SameInputs(o *Config) bool {
	return c.Root == o.Root && c.Dumps == o.Dumps && c.Baseline == o.Baseline && c.Accepted == o.Accepted &&
		c.Origins["baseline"].Layer == o.Origins["baseline"].Layer &&
		slices.Equal(c.Sources, o.Sources) && c.Kernels.String() == o.Kernels.String() && c.Kernels.Where() == o.Kernels.Where() && slices.Equal(c.PathMap, o.PathMap) &&
		slices.EqualFunc(c.Budgets, o.Budgets, sameBudget) && slices.EqualFunc(c.Pairs, o.Pairs, sameOrder) && c.Tolerance.Equal(o.Tolerance) &&
		(c.invalid != nil || o.invalid != nil || slices.Equal(c.Invalid(), o.Invalid())) && // of the last good one all but that is its own
		c.Producer.Name == o.Producer.Name && slices.EqualFunc(c.Producers.Rows(), o.Producers.Rows(), sameProducer)
}

func sameBudget(a, b budget.Budget) bool {
	return a.Kernels.String() == b.Kernels.String() && a.String() == b.String() && a.Where == b.Where
}

func sameOrder(a, b *diff.Order) bool { return a.String() == b.String() }

// sameProducer compares what a file can say of a producer.
func sameProducer(a, b *producer.Producer) bool {
	return a.Name == b.Name && a.Assembly == b.Assembly && reflect.DeepEqual(a.Decorators, b.Decorators)
}

// Files returns the configuration files that apply to a folder: those in the
// folder and above it, up to the project's root.
func Files(folder, root string) (files []string) {
	for at := folder; ; at = filepath.Dir(at) {
		files = append(files, filepath.Join(at, "isadiff.toml"), filepath.Join(at, "pyproject.toml"))
		if rel, err := filepath.Rel(root, at); at == root || err != nil || !filepath.IsLocal(rel) {
			return files
		}
	}
}
