package dump

import (
	"testing"

	"isadiff/engine/problem"
)

// A crash while a directory is read becomes its problem: the workers run outside
// of whoever could recover it, and an answer without it would be wrong.
func TestCrashBecomesAProblem(t *testing.T) {
	w := walk{root: t.TempDir()} // without a context
	f, below := w.visit(&reader{large: &w.large}, branch{dir: "k"})
	if f == nil || len(f.Problems) != 1 || f.Problems[0].Code != problem.InternalError || f.Problems[0].File != "k" || below != nil {
		t.Errorf("%+v, %v", f, below)
	}
}
