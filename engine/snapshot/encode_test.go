package snapshot_test

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"isadiff/engine/gfx"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
)

// kernel returns a record whose cells are all n.
func kernel(key string, n int64) *resource.Record {
	_, name := resource.SplitKey(key)
	r := &resource.Record{
		Key: key, Name: name, Source: "k/21_final_isa.s",
		Target: gfx.Target{ID: "amdgcn-amd-amdhsa--gfx942:xnack+", Processor: "gfx942", Features: []string{"xnack+"}},
	}
	for m := range r.Cells {
		r.Cells[m] = resource.Value(n)
	}
	return r
}

func full() *resource.Side {
	r := kernel("k::plain", 7)
	r.Cells[resource.ScratchLoad] = resource.NA("spills go through buffer_*")
	r.Notes = []string{"LDS is addressed past its static size"}
	r.Launch = resource.Launch{NextFreeVGPR: 7, WavefrontSize: 64, MaxFlatWorkgroupSize: 1024, ReqdWorkgroupSize: [3]int64{256, 1, 1}, CUMode: true, DynamicVGPR: true, DynamicLDS: true, DynamicStack: true, CompilerWaves: 8}
	r.Occupancy = r.Occupy()
	r.Digest = "0123abcd"
	r.Origin = resource.Origin{Digest: "4567", Sources: "89ab", Path: "/src/größe.py", Line: 19}
	r.Compilers = []string{"clang version 22.1.8", "clang version 19.1.7"}
	return &resource.Side{Origin: "dumps", Records: []*resource.Record{r}, Warnings: []string{"a \"warning\"\n"}}
}

func TestRoundTrip(t *testing.T) {
	side, meta := full(), snapshot.Meta{Written: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), Revision: "v1.2-3-gabcdef"}
	text, err := snapshot.Encode(side, meta)
	if err != nil {
		t.Fatal(err)
	}
	got, gotMeta := snapshot.Decode("dumps", text)
	want := *side
	want.Snapshot, want.Revision, want.Written, want.Sum = true, meta.Revision, meta.Written, sha256.Sum256(text)
	if d := cmp.Diff(&want, got); d != "" {
		t.Errorf("the side changed (-want +got):\n%s", d)
	}
	if gotMeta != meta {
		t.Errorf("meta %v, want %v", gotMeta, meta)
	}
}

func TestEncodeForm(t *testing.T) {
	side := full()
	side.Records[0].Cells = resource.Cells{resource.VGPR: resource.Value(7), resource.AGPR: resource.NA("")}
	side.Records[0].Problems = []problem.Problem{problem.New(problem.CountInvalid, "k/21_final_isa.s: bad").In("k/21_final_isa.s").At(3).Of("k::plain")}
	text, err := snapshot.Encode(side, snapshot.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n  \"kernels\": {\n    \"k::plain\": {\n      \"arch\": {\n        \"features\": [\n          \"xnack+\"\n        ],\n        \"gen\": 9,\n        \"processor\": \"gfx942\",\n        \"target_id\": \"amdgcn-amd-amdhsa--gfx942:xnack+\"\n      },\n",
		"\"vgpr\": {\n          \"state\": \"value\",\n          \"value\": 7\n        }",
		"\"agpr\": {\n          \"reason\": \"no reason given\",\n          \"state\": \"n/a\"\n        }",
		"\"sgpr\": {\n          \"reason\": \"no reason given\",\n          \"state\": \"unparsed\"\n        }",
		"\n  \"problem_codes\": [\n    {\n      \"code\": \"count-invalid\",\n      \"file\": \"k/21_final_isa.s\",\n      \"kernel\": \"k::plain\",\n      \"line\": 3,\n      \"message\": \"k/21_final_isa.s: bad\"\n    }\n  ],\n  \"problems\": [\n    \"k/21_final_isa.s: bad\"\n  ],\n",
		"/src/größe.py",
		"  \"schema\": 2,\n  \"tool\": \"isa_resource_table\",\n  \"trustworthy\": false,\n  \"warnings\": [\n    \"a \\\"warning\\\"\\n\"\n  ]\n}\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("lacks\n%s\nin\n%s", want, text)
		}
	}
}

func TestEncodeUnknownTarget(t *testing.T) {
	r := kernel("k::plain", 1)
	r.Target = gfx.Target{}
	text, err := snapshot.Encode(&resource.Side{Records: []*resource.Record{r}}, snapshot.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "\"features\": [],\n        \"gen\": null,\n        \"processor\": null,\n        \"target_id\": null"; !strings.Contains(string(text), want) {
		t.Errorf("lacks %s in\n%s", want, text)
	}
}

func TestEncodeRefusesWhatCannotBe(t *testing.T) {
	twice := &resource.Side{Records: []*resource.Record{kernel("k::plain", 1), kernel("k::plain", 2)}}
	if _, err := snapshot.Encode(twice, snapshot.Meta{}); err == nil {
		t.Error("one key for two kernels was written")
	}
	negative := &resource.Side{Records: []*resource.Record{kernel("k::plain", -1)}}
	if _, err := snapshot.Encode(negative, snapshot.Meta{}); err == nil {
		t.Error("a negative count was written")
	}
}

func TestWriteKeepsABaseline(t *testing.T) {
	path := filepath.Join(t.TempDir(), "base.json")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	err := snapshot.Write(path, &resource.Side{Origin: "dumps"}, snapshot.Meta{})
	if p, ok := err.(problem.Problem); !ok || p.Code != problem.NoKernels {
		t.Errorf("writing nothing: %v", err)
	}
	if got, _ := os.ReadFile(path); string(got) != "old" {
		t.Errorf("the baseline is now %q", got)
	}
}

func TestTakeAndUndo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "base.json")
	take := func(n int64, force bool) (*snapshot.Taken, error) {
		side := &resource.Side{Origin: "dumps", Records: []*resource.Record{kernel("k::plain", n)}}
		if n < 0 {
			side.Records[0].Cells[resource.VGPR] = resource.Unread("damaged")
		}
		return snapshot.Take(path, side, snapshot.Meta{}, force, nil)
	}
	vgpr := func() int64 {
		side, _ := snapshot.Load(path)
		if len(side.Records) != 1 {
			t.Fatalf("the baseline cannot be read: %v", side.Problems)
		}
		return side.Records[0].Cells[resource.VGPR].Value
	}
	taken, err := take(1, false)
	if err != nil || taken.Old != nil || taken.Previous != "" {
		t.Fatalf("the first: %+v, %v", taken, err)
	}
	taken, err = take(2, false)
	if err != nil || len(taken.Old.Records) != 1 || taken.Previous != snapshot.PreviousPath(path) || vgpr() != 2 {
		t.Fatalf("the second: %+v, %v", taken, err)
	}
	if _, err := take(-1, false); err == nil || !strings.Contains(err.Error(), "count-missing") {
		t.Errorf("untrustworthy figures: %v", err)
	}
	if _, err := snapshot.Take(path, &resource.Side{Origin: "dumps"}, snapshot.Meta{}, true, nil); err == nil || !strings.Contains(err.Error(), "no-kernels") {
		t.Errorf("no figures at all: %v", err)
	}
	for i, want := range []int64{1, 2, 1} {
		if _, err := snapshot.Undo(path); err != nil || vgpr() != want {
			t.Errorf("undo %d: %v, vgpr %d, want %d", i, err, vgpr(), want)
		}
	}
	if _, err := snapshot.Undo(filepath.Join(t.TempDir(), "none.json")); err == nil {
		t.Error("undoing nothing is no error")
	}
}

// TestUndoFails: where the one before cannot be replaced, the baseline stays.
func TestUndoFails(t *testing.T) {
	const readOnly = "/proc/version"
	if _, err := os.Stat(readOnly); err != nil {
		t.Skip("no file here that can be read and not replaced by root: ", err)
	}
	path := filepath.Join(t.TempDir(), "base.json")
	if err := os.WriteFile(path, []byte("newer"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(readOnly, snapshot.PreviousPath(path)); err != nil {
		t.Fatal(err)
	}
	if _, err := snapshot.Undo(path); err == nil || !strings.Contains(err.Error(), "output-unwritable") {
		t.Errorf("undo: %v", err)
	}
	if got, err := os.ReadFile(path); string(got) != "newer" {
		t.Errorf("the baseline is now %q, %v", got, err)
	}
}

func BenchmarkEncode(b *testing.B) {
	side := &resource.Side{}
	for i := range 1000 {
		r := kernel("gemm/k"+string(rune('a'+i%26))+strings.Repeat("x", i/26)+"::k", int64(i))
		side.Records = append(side.Records, r)
	}
	text, err := snapshot.Encode(side, snapshot.Meta{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := snapshot.Encode(side, snapshot.Meta{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	side := &resource.Side{}
	for i := range 1000 {
		side.Records = append(side.Records, kernel("gemm/k"+string(rune('a'+i%26))+strings.Repeat("x", i/26)+"::k", int64(i)))
	}
	text, err := snapshot.Encode(side, snapshot.Meta{})
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if side, _ := snapshot.Decode("s.json", text); len(side.Records) != 1000 {
			b.Fatal(side.Problems)
		}
	}
}
