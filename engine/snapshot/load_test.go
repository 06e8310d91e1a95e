package snapshot_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isadiff/engine/problem"
	"isadiff/engine/snapshot"
)

// TestLoadChanged: a snapshot is decoded once as long as its text is the same, and
// whatever takes its place is read and said.
func TestLoadChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.json")
	good := one(archOK + `,"metrics":` + cells(nil))
	write := func(text string) func() error {
		return func() error { return os.WriteFile(path, []byte(text), 0o666) }
	}
	var last snapshot.Sum
	for _, tt := range []struct {
		name    string
		put     func() error
		same    bool
		kernels int
		codes   []problem.Code
	}{
		{"nothing", func() error { return nil }, false, 0, []problem.Code{problem.InputNotFound}},
		{"nothing still", func() error { return nil }, false, 0, []problem.Code{problem.InputNotFound}},
		{"a snapshot", write(good), false, 1, nil},
		{"the same", write(good), true, 0, nil},
		{"another of that size", write(strings.Replace(good, "plain", "plan9", 1)), false, 1, nil},
		{"empty", write(""), false, 0, []problem.Code{problem.SnapshotInvalid}},
		{"empty still", write(""), true, 0, nil},
		{"good again", write(good), false, 1, nil},
		{"gone", func() error { return os.Remove(path) }, false, 0, []problem.Code{problem.InputNotFound}},
		{"back", write(good), false, 1, nil},
		{"a directory", func() error { os.Remove(path); return os.Mkdir(path, 0o777) }, false, 0, []problem.Code{problem.InputKind}},
		{"back again", func() error { os.Remove(path); return write(good)() }, false, 1, nil},
	} {
		if err := tt.put(); err != nil {
			t.Fatal(err)
		}
		side, meta, sum := snapshot.LoadChanged(path, last)
		switch {
		case tt.same && (side != nil || sum != last):
			t.Errorf("%s: read again", tt.name)
		case !tt.same && side == nil:
			t.Errorf("%s: not read", tt.name)
		case !tt.same:
			want, wantMeta := snapshot.Load(path)
			codes := problem.Codes(side.Problems)
			if len(side.Records) != tt.kernels || len(codes) != len(tt.codes) || len(codes) == 1 && codes[0] != tt.codes[0] {
				t.Errorf("%s: %d kernels, problems %v", tt.name, len(side.Records), side.Problems)
			}
			if len(want.Records) != tt.kernels || meta != wantMeta {
				t.Errorf("%s: %+v, loaded otherwise %+v", tt.name, meta, wantMeta)
			}
			if read := codes == nil || codes[0] == problem.SnapshotInvalid; read != (sum != snapshot.Sum{}) {
				t.Errorf("%s: sum %x", tt.name, sum)
			}
		}
		last = sum
	}
}
