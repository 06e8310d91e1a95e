package watch

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

const isaName = "22_final_isa.s"

// Each case is a row of what file systems do, by events alone.
func TestChanges(t *testing.T) {
	type tree = map[string]string
	tests := []struct {
		name   string
		before tree
		change func(t *testing.T, root string)
		after  tree
	}{
		{
			"a new file written in place",
			tree{"k/" + isaName: isa("old")},
			func(t *testing.T, root string) { write(t, filepath.Join(root, "k", "00_origin.mlir"), "module {}") },
			tree{"k/" + isaName: isa("old"), "k/00_origin.mlir": "module {}"},
		},
		{
			"an existing file overwritten",
			tree{"k/" + isaName: isa("old")},
			func(t *testing.T, root string) { write(t, filepath.Join(root, "k", isaName), isa("new")) },
			tree{"k/" + isaName: isa("new")},
		},
		{
			"a file renamed into place",
			tree{"k/" + isaName: isa("old")},
			func(t *testing.T, root string) {
				write(t, filepath.Join(root, "k", ".tmp123"), isa("new"))
				rename(t, filepath.Join(root, "k", ".tmp123"), filepath.Join(root, "k", isaName))
			},
			tree{"k/" + isaName: isa("new")},
		},
		{
			"a file removed",
			tree{"k/" + isaName: isa("old"), "l/" + isaName: isa("l")},
			func(t *testing.T, root string) { remove(t, filepath.Join(root, "k", isaName)) },
			tree{"l/" + isaName: isa("l")},
		},
		{
			"a file renamed away",
			tree{"k/" + isaName: isa("old")},
			func(t *testing.T, root string) {
				rename(t, filepath.Join(root, "k", isaName), filepath.Join(root, "k", "23_final_isa.s"))
			},
			tree{"k/23_final_isa.s": isa("old")},
		},
		{
			"directories made with files inside",
			tree{},
			func(t *testing.T, root string) {
				mkdir(t, filepath.Join(root, "a", "b", "c"))
				write(t, filepath.Join(root, "a", "b", "c", isaName), isa("deep"))
				write(t, filepath.Join(root, "a", isaName), isa("a"))
			},
			tree{"a/b/c/" + isaName: isa("deep"), "a/" + isaName: isa("a")},
		},
		{
			"a directory moved in",
			tree{},
			func(t *testing.T, root string) {
				out := mkdir(t, filepath.Join(t.TempDir(), "a", "b"))
				write(t, filepath.Join(out, isaName), isa("moved"))
				rename(t, filepath.Dir(out), filepath.Join(root, "a"))
			},
			tree{"a/b/" + isaName: isa("moved")},
		},
		{
			"a directory moved out",
			tree{"a/b/" + isaName: isa("moved"), "c/" + isaName: isa("stays")},
			func(t *testing.T, root string) { rename(t, filepath.Join(root, "a"), filepath.Join(t.TempDir(), "a")) },
			tree{"c/" + isaName: isa("stays")},
		},
		{
			"a directory renamed",
			tree{"a/b/" + isaName: isa("moved")},
			func(t *testing.T, root string) { rename(t, filepath.Join(root, "a"), filepath.Join(root, "z")) },
			tree{"z/b/" + isaName: isa("moved")},
		},
		{
			"a directory replaced by another",
			tree{"a/b/" + isaName: isa("old")},
			func(t *testing.T, root string) {
				write(t, filepath.Join(mkdir(t, filepath.Join(root, ".new", "c")), isaName), isa("new"))
				rename(t, filepath.Join(root, "a"), filepath.Join(t.TempDir(), "a"))
				rename(t, filepath.Join(root, ".new"), filepath.Join(root, "a"))
			},
			tree{"a/c/" + isaName: isa("new")},
		},
		{
			"a directory replaced by a file of its name",
			tree{isaName + "/" + isaName: isa("old")},
			func(t *testing.T, root string) {
				remove(t, filepath.Join(root, isaName))
				write(t, filepath.Join(root, isaName), isa("new"))
			},
			tree{isaName: isa("new")},
		},
		{
			"a file replaced by a directory of its name",
			tree{isaName: isa("old")},
			func(t *testing.T, root string) {
				remove(t, filepath.Join(root, isaName))
				write(t, filepath.Join(mkdir(t, filepath.Join(root, isaName)), isaName), isa("new"))
			},
			tree{isaName + "/" + isaName: isa("new")},
		},
		{
			"the tree removed and made again",
			tree{"a/" + isaName: isa("old"), "b/" + isaName: isa("b")},
			func(t *testing.T, root string) {
				remove(t, root)
				write(t, filepath.Join(mkdir(t, filepath.Join(root, "a")), isaName), isa("new"))
			},
			tree{"a/" + isaName: isa("new")},
		},
		{
			"the root renamed, another in its place",
			tree{"a/" + isaName: isa("old"), "b/" + isaName: isa("b")},
			func(t *testing.T, root string) {
				rename(t, root, root+".old")
				write(t, filepath.Join(mkdir(t, filepath.Join(root, "a")), isaName), isa("new"))
				write(t, filepath.Join(root+".old", "b", isaName), isa("not ours any more"))
			},
			tree{"a/" + isaName: isa("new")},
		},
		{
			"files that do not matter",
			tree{},
			func(t *testing.T, root string) {
				write(t, filepath.Join(root, "05_pass.mlir"), "module {}")
				write(t, filepath.Join(root, isaName+".tmp"), isa("no"))
				write(t, filepath.Join(root, isaName), isa("yes"))
			},
			tree{isaName: isa("yes")},
		},
		{
			"names that are not plain words",
			tree{},
			func(t *testing.T, root string) {
				if runtime.GOOS != "linux" {
					t.Skip("such names cannot be given here")
				}
				write(t, filepath.Join(mkdir(t, filepath.Join(root, "a b\n'\"ü\xff")), isaName), isa("odd"))
			},
			tree{"a b\n'\"ü\xff/" + isaName: isa("odd")},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			root := mkdir(t, filepath.Join(t.TempDir(), "parent", "dumps"))
			for rel, content := range tt.before {
				path := filepath.Join(root, filepath.FromSlash(rel))
				mkdir(t, filepath.Dir(path))
				write(t, path, content)
			}
			r := begun(t, root)
			r.until(tt.before)
			tt.change(t, root)
			r.until(tt.after)
			// What comes later in the new places is seen, too.
			want := tree{"later/" + isaName: isa("later")}
			write(t, filepath.Join(mkdir(t, filepath.Join(root, "later")), isaName), isa("later"))
			for rel := range tt.after {
				want[rel] = isa("again " + rel)
				write(t, filepath.Join(root, filepath.FromSlash(rel)), want[rel])
			}
			r.until(want)
			r.nothingElse()
			if r.mode.Polling {
				t.Errorf("it polled: %s", r.mode.Reason)
			}
			if _, err := os.Stat(root); err != nil || r.state != RootPresent {
				t.Errorf("root state %v", r.state)
			}
		})
	}
}

// TestTimeAlone: touch(1) and its like write nothing, and results are older than
// their source by it all the same.
func TestTimeAlone(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, isaName)
	write(t, path, isa("k"))
	r := begun(t, root)
	r.until(map[string]string{isaName: isa("k")})
	now := time.Now().Add(time.Hour).Truncate(time.Second)
	if err := os.Chtimes(path, now, now); err != nil {
		t.Fatal(err)
	}
	if b := r.next(); len(b.Settled) > 0 || len(b.Touched) != 1 || b.Touched[0].Path != path || !b.Touched[0].ModTime.Equal(now) {
		t.Errorf("settled %v, touched %v", b.Settled, b.Touched)
	}
}
