package kept_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isadiff/engine/kept"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
)

// A part of a project replaces its own kernels in the baseline. The others stay with their
// assembly, or go where they are said to.
func TestTakePart(t *testing.T) {
	tree := filepath.Join(dumps, "base", "gfx942")
	all := read(t, tree)
	path := filepath.Join(t.TempDir(), "baseline.json")
	take(t, path, all)
	part := *all
	part.Records = all.Records[:1]
	gone := all.Records[len(all.Records)-1].Key
	taken, stayed, err := snapshot.TakePart(path, &part, snapshot.Meta{}, kept.Tree(tree), func(r *resource.Record) bool { return r.Key != gone })
	if err != nil || stayed != len(all.Records)-2 || len(taken.Lacking) > 0 || len(taken.New.Records) != len(all.Records)-1 {
		t.Fatalf("%d stayed, %v", stayed, err)
	}
	wantTexts(t, path, tree)
	if side := load(t, path); len(side.Records) != len(all.Records)-1 || !side.Trustworthy() {
		t.Errorf("%d kernels, %v", len(side.Records), side.Problems)
	}

	// Without the old assembly the figures stay alone.
	if err := os.Remove(kept.Path(path)); err != nil {
		t.Fatal(err)
	}
	taken, _, err = snapshot.TakePart(path, &part, snapshot.Meta{}, kept.Tree(tree), func(*resource.Record) bool { return true })
	if err != nil || len(taken.Lacking) != len(all.Records)-2 {
		t.Errorf("%d lack, %v", len(taken.Lacking), err)
	}

	// What cannot be read whole is not replaced by a part, and a part without a baseline is it.
	rewrite(t, path, func(text []byte) []byte {
		return []byte(strings.Replace(string(text), `"trustworthy": true`, `"trustworthy": false`, 1))
	})
	damaged := string(mustRead(t, path))
	var why problem.Problem
	if _, _, err = snapshot.TakePart(path, &part, snapshot.Meta{}, kept.Tree(tree), nil); !errors.As(err, &why) || !strings.Contains(why.Message, "was not written") {
		t.Error(err)
	}
	if got := string(mustRead(t, path)); got != damaged {
		t.Error("it was written")
	}
	fresh := filepath.Join(t.TempDir(), "new", "baseline.json")
	if _, stayed, err := snapshot.TakePart(fresh, &part, snapshot.Meta{}, kept.Tree(tree), nil); err != nil || stayed != 0 {
		t.Error(stayed, err)
	}
	wantTexts(t, fresh, tree)
}
