//go:build unix

package dump

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// copyTree copies a tree of the test data; all of its files get one time.
func (tr tree) copyTree(from, to string, seconds int) {
	tr.t.Helper()
	from = filepath.Join("../../testdata", from)
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err == nil {
			tr.put(filepath.Join(to, rel), content(tr.t, path), seconds)
		}
		return err
	})
	if err != nil {
		tr.t.Fatal(err)
	}
}

const (
	tritonAdd    = "IJNZFKR2K5DMKC7ETYRCOBBLSYLZDK774SFCUIIM4KRS4CPD3L3A"
	tritonAddKey = "gfx942/^fp32:16,^fp32:16,^fp32:16,i32/1024,warps=4,stages=2::add"
)

// TestTriton reads a cache of Triton before and after an edit.
func TestTriton(t *testing.T) {
	tr := newTree(t)
	tr.copyTree("triton/before", "", 0)
	keys := []string{
		"gfx1201/^fp32:16,^fp32:16,^fp32:16,i32/1024,warps=4,stages=2::add",
		"gfx942/^fp16:16,^fp16:16,^fp16:16,i32,i32,fp32/2048,warps=4,stages=2::rms_norm",
		"gfx942/^fp16:16,^fp16:16,^fp16:16,i32,i32/128x32,128x64,32x64,warps=4,stages=2::matmul",
		"gfx942/^fp16:16,^fp16:16,^fp16:16,i32,i32/32x32,warps=2,stages=1::matmul",
		"gfx942/^fp16:16,^fp16:16,^fp16:16,i32,i32/32x64,64x32,64x64,warps=4,stages=2::matmul",
		"gfx942/^fp16:16,^fp16:16,i32,i32/1024,warps=4,stages=2::softmax_rows",
		"gfx942/^fp16:16,^fp16:16,i32,i32/4096,warps=8,stages=2::softmax_rows",
		"gfx942/^fp32:16,^fp32:16,^fp32:16,i32/1024,warps=4,stages=2::add",
		"gfx950/^fp32:16,^fp32:16,^fp32:16,i32/1024,warps=4,stages=2::add",
	}
	before := tr.read(Options{Digest: true})
	expect(t, before, keys, nil)
	vgprs := map[string]int64{}
	for _, r := range before.Records {
		if r.Origin.Path != "/project/kernels.py" || r.Origin.Line == 0 || r.Digest == "" || !strings.HasSuffix(r.Source, "/"+r.Name+".amdgcn") {
			t.Errorf("%s comes from %+v, %s", r.Key, r.Origin, r.Source)
		}
		for _, note := range r.Notes {
			t.Errorf("%s: %s", r.Key, note)
		}
		vgprs[r.Key] = r.Cells[resource.VGPR].Value
	}
	for key, lds := range map[string]int64{keys[2]: 8192, keys[3]: 2048, keys[5]: 16, keys[7]: 0} {
		i := slices.Index(keys, key)
		if got := before.Records[i].Cells[resource.LDSStaticBytes]; got != resource.Value(lds) {
			t.Errorf("%s takes %v bytes of LDS, want %d", key, got, lds)
		}
	}

	tr.copyTree("triton/after", "", 60) // the directories of before stay
	after := tr.read(Options{})
	newest := "2 compiles make this key, and the newest counts: "
	expect(t, after, keys, nil, newest, newest, newest)
	for _, r := range after.Records {
		if grew := r.Cells[resource.VGPR].Value > vgprs[r.Key]; grew != (r.Name == "matmul") {
			t.Errorf("%s has %v VGPRs, before %d", r.Key, r.Cells[resource.VGPR], vgprs[r.Key])
		}
	}
}

// TestTritonMetadata: what stands beside the assembly, or does not.
func TestTritonMetadata(t *testing.T) {
	from := "triton/before/" + tritonAdd
	missing := func(tr tree, name string) {
		if err := os.Remove(filepath.Join(tr.root, "h", name)); err != nil {
			tr.t.Fatal(err)
		}
	}
	t.Run("a dump without it", func(t *testing.T) {
		tr := newTree(t)
		tr.copyTree(from, "h", 0)
		missing(tr, "add.json")
		expect(t, tr.read(Options{}), []string{"h/^fp32:16,^fp32:16,^fp32:16,i32/1024::add"}, nil)
	})
	t.Run("a compile under way", func(t *testing.T) {
		tr := newTree(t)
		tr.copyTree(from, "h", 3600) // now
		missing(tr, "add.json")
		tr.put("h/add.source", nil, 3600)
		side := tr.read(Options{})
		expect(t, side, nil, []problem.Code{problem.InputUnstable})
		folder := ReadFolder(context.Background(), tr.root, "h", Options{})
		if folder.Missing() != "add.json" {
			t.Errorf("missing %q", folder.Missing())
		}
	})
	t.Run("a compile that did not end", func(t *testing.T) {
		tr := newTree(t)
		tr.copyTree(from, "h", 0)
		tr.copyTree(from, "ok", 0)
		missing(tr, "add.json")
		tr.put("h/add.source", nil, 0)
		expect(t, tr.read(Options{}), []string{"ok/" + tritonAddKey}, nil, "h/add.amdgcn was passed over")
	})
	t.Run("damaged", func(t *testing.T) {
		tr := newTree(t)
		tr.copyTree(from, "h", 0)
		tr.put("h/add.json", []byte("{"), 0)
		side := tr.read(Options{})
		if codes := problem.Codes(side.Problems); !slices.Equal(codes, []problem.Code{problem.InputUnreadable}) {
			t.Errorf("problems %v", side.Problems)
		}
	})
	t.Run("it contradicts the assembly", func(t *testing.T) {
		tr := newTree(t)
		tr.copyTree(from, "h", 0)
		text := string(content(t, filepath.Join(tr.root, "h/add.amdgcn")))
		text = strings.ReplaceAll(text, ".group_segment_fixed_size: 0", ".group_segment_fixed_size: 64")
		text = strings.ReplaceAll(text, ".amdhsa_group_segment_fixed_size 0", ".amdhsa_group_segment_fixed_size 64")
		tr.put("h/add.amdgcn", []byte(text), 0)
		side := tr.read(Options{})
		if len(side.Records) != 1 || !slices.Equal(problem.Codes(side.Records[0].Problems), []problem.Code{problem.CountsContradict}) {
			t.Errorf("%+v", side.Records[0].Problems)
		}
	})
}

// TestTritonSpecializations: two compiles that make one key and are both newer than
// their sources are specializations that the key does not tell apart. Neither may
// stand for the other.
func TestTritonSpecializations(t *testing.T) {
	tr := newTree(t)
	source := filepath.Join(tr.root, "kernels.py")
	for i, dir := range []string{"AAAA", "BBBB"} {
		to := filepath.Join("dumps", dir+tritonAdd[4:])
		tr.copyTree("triton/before/"+tritonAdd, to, 60*(i+1))
		text := strings.ReplaceAll(string(content(t, filepath.Join(tr.root, to, "add.amdgcn"))), `"/project" "kernels.py"`, `"`+tr.root+`" "kernels.py"`)
		tr.put(filepath.Join(to, "add.amdgcn"), []byte(text), 60*(i+1))
	}
	read := func() *resource.Side { return Read(context.Background(), filepath.Join(tr.root, "dumps"), Options{}) }
	expect(t, read(), []string{tritonAddKey}, nil, "2 compiles make this key")
	timeless := Read(context.Background(), filepath.Join(tr.root, "dumps"), Options{IgnoreTimes: true})
	expect(t, timeless, []string{tritonAddKey}, []problem.Code{problem.KeyDuplicate})
	tr.put("kernels.py", nil, 0)
	expect(t, read(), []string{tritonAddKey}, []problem.Code{problem.KeyDuplicate})
	changed := time.Now().Add(-time.Hour).Add(90 * time.Second) // between the two
	if err := os.Chtimes(source, changed, changed); err != nil {
		t.Fatal(err)
	}
	side := read()
	expect(t, side, []string{tritonAddKey}, nil, "2 compiles make this key")
	if !strings.HasPrefix(side.Records[0].Source, "BBBB") {
		t.Errorf("%s counts", side.Records[0].Source)
	}
	tr.put("kernels.py", nil, 600) // after both: either may be in use again
	expect(t, read(), []string{tritonAddKey}, []problem.Code{problem.DumpStale}, "2 compiles make this key")
}

// TestHIP reads what clang leaves with --save-temps: several compiles in one
// directory.
func TestHIP(t *testing.T) {
	tr := newTree(t)
	tr.copyTree("hip/before", "build", 0)
	tr.put("build/kernels-host-x86_64-unknown-linux-gnu.s", []byte("\t.text\n"), 0)
	var keys []string
	for _, processor := range []string{"gfx1201", "gfx942"} {
		for _, name := range []string{"_Z4copyPfPKf", "_Z4copyPiPKi", "_Z7reversePf", "_ZN4math5scaleIdLi64EEEvPT_S1_", "_ZN4math5scaleIfLi256EEEvPT_S1_", "smooth"} {
			keys = append(keys, "build/kernels/"+processor+"::"+name)
		}
	}
	side := tr.read(Options{Digest: true})
	expect(t, side, keys, nil)
	for _, r := range side.Records {
		if r.Origin.Path != "/project/kernels.hip" || r.Origin.Line == 0 || r.Digest == "" {
			t.Errorf("%s comes from %+v", r.Key, r.Origin)
		}
	}
	folder := ReadFolder(context.Background(), tr.root, "build", Options{})
	if n := len(folder.Counting()); n != 2 || len(folder.Stages) != 0 {
		t.Errorf("%d files count", n)
	}
}

// TestMixed: dumps of several compilers live in one tree, also in one directory.
func TestMixed(t *testing.T) {
	tr := newTree(t)
	tr.copyTree("triton/before/"+tritonAdd, "d", 0)
	tr.copyTree("hip/before", "d", 0)
	tr.put("d/22_final_isa.s", content(t, softmax), 0)
	tr.put("d/21_final_isa.s", content(t, transpose), 0)
	side := tr.read(Options{})
	if len(side.Records) != 14 || !side.Trustworthy() || len(side.Warnings) != 1 {
		t.Errorf("%d kernels, problems %v, warnings %q", len(side.Records), side.Problems, side.Warnings)
	}
	folder := ReadFolder(context.Background(), tr.root, "d", Options{})
	if n := len(folder.Counting()); n != 4 {
		t.Errorf("%d files count", n)
	}
}
