//go:build unix

package dump

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"isadiff/engine/resource"
)

const (
	made042 = `{"compilers": [{"name": "flydsl", "version": "0.4.2", "stamp": "1", "python": "3.11.2"}]}`
	made050 = `{"compilers": [{"name": "flydsl", "version": "0.5.0"}, {"name": "flydsl", "version": "0.5.0", "python": "3.13.1"}]}`
	both    = `{"compilers": [{"name": "flydsl", "version": "0.4.2"}, {"name": "flydsl", "version": "0.5.0"}]}`
)

// TestManifest: the compiler of a dump is the one that the nearest manifest names,
// unless the dump was written after it.
func TestManifest(t *testing.T) {
	clang := "\t.ident\t\"clang version 22.1.8\"\n"
	for _, test := range []struct {
		name   string
		files  map[string]string // written after the dump; "" is not written
		second int               // when, after the dump
		text   string            // at the end of the dump
		opt    Options
		want   []string
	}{
		{"none", nil, 0, "", Options{}, nil},
		{"at the root", map[string]string{ManifestName: made042}, 0, "", Options{}, []string{"FlyDSL 0.4.2"}},
		{"beside it", map[string]string{"a/k/" + ManifestName: made042}, 60, "", Options{}, []string{"FlyDSL 0.4.2"}},
		{"the nearest", map[string]string{ManifestName: made042, "a/" + ManifestName: made050}, 0, "", Options{}, []string{"FlyDSL 0.5.0"}},
		{"above the tree", map[string]string{"../" + ManifestName: made050}, 0, "", Options{}, []string{"FlyDSL 0.5.0"}},
		{"one of two", map[string]string{ManifestName: both}, 0, "", Options{}, []string{"FlyDSL 0.4.2", "FlyDSL 0.5.0"}},
		{"copied in another order", map[string]string{ManifestName: made042}, -1, "", Options{}, []string{"FlyDSL 0.4.2"}},
		{"of an earlier run", map[string]string{ManifestName: made042}, -60, "", Options{}, nil},
		{"times mean nothing", map[string]string{ManifestName: made042}, -60, "", Options{IgnoreTimes: true}, []string{"FlyDSL 0.4.2"}},
		{"of another producer", map[string]string{ManifestName: strings.ReplaceAll(made042, "flydsl", "triton")}, 0, "", Options{}, nil},
		{"without a version", map[string]string{ManifestName: `{"compilers": [{"name": "flydsl"}]}`}, 0, "", Options{}, nil},
		{"with compiles that nobody saw", map[string]string{ManifestName: strings.Replace(made042, "{", `{"unseen": true, `, 1)}, 0, "", Options{}, nil},
		{"no manifest", map[string]string{ManifestName: "{"}, 0, "", Options{}, nil},
		{"assembly of clang", nil, 0, clang, Options{}, []string{"clang version 22.1.8"}},
		{"linked code of clang", map[string]string{"a/k/00_origin.mlir": "module {}\n"}, 0, clang, Options{}, nil},
		{"linked code of clang in a capture", map[string]string{"a/k/00_origin.mlir": "module {}\n", ManifestName: made042}, 0, clang, Options{}, []string{"FlyDSL 0.4.2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			tr := newTree(t)
			tr.root += "/tree"
			tr.put("a/k/22_final_isa.s", append(content(t, "../../testdata/dumps/base/gfx942/transpose/transpose_static_0/22_final_isa.s"), test.text...), 100)
			for name, text := range test.files {
				tr.put(name, []byte(text), 100+test.second)
			}
			side := tr.read(test.opt)
			folder := ReadFolder(t.Context(), tr.root, "a/k", test.opt)
			if folder == nil || len(side.Records) != 1 || len(folder.Records) != 1 {
				t.Fatalf("%v, %v", side, folder)
			}
			for _, r := range []*resource.Record{side.Records[0], folder.Records[0]} {
				if !slices.Equal(r.Compilers, test.want) {
					t.Errorf("%q, want %q", r.Compilers, test.want)
				}
			}
		})
	}
}

// TestManifestLater: a manifest that a capture writes at its end is taken over
// without the dumps being read again, and by one that knows them.
func TestManifestLater(t *testing.T) {
	tr := newTree(t)
	tr.put("a/k/22_final_isa.s", content(t, "../../testdata/dumps/base/gfx942/transpose/transpose_static_0/22_final_isa.s"), 100)
	f := ReadFolder(t.Context(), tr.root, "a/k", Options{Digest: true})
	if next := NewManifests(tr.root, Options{}).Update(f); next != f {
		t.Error("without a manifest it is another folder")
	}
	tr.put(ManifestName, []byte(made050), 101)
	next := NewManifests(tr.root, Options{}).Update(f)
	known := Options{Digest: true, Known: func(string) *Folder { return f }}
	for _, got := range []*Folder{next, ReadFolder(t.Context(), tr.root, "a/k", known)} {
		if !slices.Equal(got.Records[0].Compilers, []string{"FlyDSL 0.5.0"}) || len(f.Records[0].Compilers) > 0 {
			t.Errorf("%q, and before %q", got.Records[0].Compilers, f.Records[0].Compilers)
		}
	}
	if again := NewManifests(tr.root, Options{}).Update(next); again != next {
		t.Error("the same manifest makes another folder")
	}
	if err := os.Chtimes(tr.root+"/"+ManifestName, time.Time{}, time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	if old := NewManifests(tr.root, Options{}).Update(next); len(old.Records[0].Compilers) > 0 {
		t.Errorf("older than the dump: %q", old.Records[0].Compilers)
	}
}
