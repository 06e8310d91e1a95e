package kept_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/atomicfile"
	"isadiff/engine/dump"
	"isadiff/engine/kept"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
)

var dumps = filepath.Join("..", "..", "testdata", "dumps")

// copied returns a copy of a dump tree of testdata, to change it.
func copied(t testing.TB, parts ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "dumps")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(append([]string{dumps}, parts...)...))); err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t testing.TB, tree string) *resource.Side {
	t.Helper()
	side := dump.Read(t.Context(), tree, dump.Options{IgnoreTimes: true, Digest: true, Settled: true})
	if len(side.Records) == 0 {
		t.Fatalf("%s: %v", tree, side.Problems)
	}
	return side
}

// take takes the baseline at path with its assembly.
func take(t testing.TB, path string, side *resource.Side) *snapshot.Taken {
	t.Helper()
	taken, err := snapshot.Take(path, side, snapshot.Meta{}, true, kept.All(kept.Tree(side.Origin)))
	if err != nil {
		t.Fatal(err)
	}
	return taken
}

func load(t testing.TB, path string) *resource.Side {
	t.Helper()
	side, _ := snapshot.Load(path)
	if len(side.Records) == 0 {
		t.Fatalf("%s: %v", path, side.Problems)
	}
	return side
}

// wantTexts holds the texts of all records of a snapshot against the files of a tree.
func wantTexts(t testing.TB, path, tree string) {
	t.Helper()
	side := load(t, path)
	a, err := kept.Open(side)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, r := range side.Records {
		want, err := os.ReadFile(filepath.Join(tree, filepath.FromSlash(r.Source)))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := a.Text(r); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d of %d bytes, %v", r.Key, len(got), len(want), err)
		}
	}
}

// wantMissing wants that an error is the one that the assembly is not kept, and says
// words and the mend.
func wantMissing(t testing.TB, err error, words string) {
	t.Helper()
	var p problem.Problem
	if !errors.As(err, &p) || p.Code != problem.AssemblyMissing || !strings.Contains(p.Message, words) || !strings.Contains(p.Mend(), "isadiff snapshot") {
		t.Errorf("%v, want %q", err, words)
	}
}

func size(t testing.TB, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// What is kept is the text of each kernel, in about a tenth of the room.
func TestKept(t *testing.T) {
	for _, tree := range []string{filepath.Join(dumps, "base"), filepath.Join(dumps, "..", "hip", "after"), filepath.Join(dumps, "..", "triton", "after")} {
		side := read(t, tree)
		path := filepath.Join(t.TempDir(), "baseline.json")
		if taken := take(t, path, side); len(taken.Lacking) > 0 {
			t.Errorf("%s: lacks %v", tree, taken.Lacking)
		}
		wantTexts(t, path, tree)
		text, sources := int64(0), map[string]bool{}
		for _, r := range side.Records {
			if !sources[r.Source] {
				sources[r.Source] = true
				text += size(t, filepath.Join(tree, filepath.FromSlash(r.Source)))
			}
		}
		if packed := size(t, kept.Path(path)); packed*7 > text {
			t.Errorf("%s: %d bytes of %d", tree, packed, text)
		}
		if bytes.Contains(mustRead(t, path), []byte("s_endpgm")) {
			t.Error("the assembly is in the JSON")
		}
	}
}

func mustRead(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The same side is the same archive.
func TestReproducible(t *testing.T) {
	side := read(t, filepath.Join(dumps, "base", "gfx950"))
	var first, second bytes.Buffer
	for _, w := range []io.Writer{&first, &second} {
		if _, err := kept.Write(w, [32]byte{1}, side.Records, kept.All(kept.Tree(side.Origin))); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two archives of the same side differ")
	}
}

// What is not the assembly of the very figures is not used.
func TestRefused(t *testing.T) {
	before := copied(t, "tile-up-spills", "gfx942", "before")
	after := copied(t, "tile-up-spills", "gfx942", "after")
	for _, tt := range []struct {
		name string
		do   func(path string)
		want string
	}{
		{"there is none", func(path string) { os.Remove(kept.Path(path)) }, "there is no "},
		{"of other figures", func(path string) {
			if err := snapshot.Write(path, read(t, after), snapshot.Meta{}); err != nil {
				t.Fatal(err)
			}
		}, "of other figures"},
		{"another form of the same figures", func(path string) {
			rewrite(t, path, func(text []byte) []byte { return append(text, '\n') })
		}, "of other figures"},
		{"no archive", func(path string) { rewrite(t, kept.Path(path), func([]byte) []byte { return []byte("notes") }) }, "no archive of assembly"},
		{"empty", func(path string) { rewrite(t, kept.Path(path), func([]byte) []byte { return nil }) }, "its end is missing"},
		{"cut", func(path string) {
			rewrite(t, kept.Path(path), func(text []byte) []byte { return text[:len(text)/2] })
		}, "its end is missing"},
		{"a folder", func(path string) {
			if err := errors.Join(os.Remove(kept.Path(path)), os.Mkdir(kept.Path(path), 0o777)); err != nil {
				t.Fatal(err)
			}
		}, "no regular file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "baseline.json")
			take(t, path, read(t, before))
			tt.do(path)
			a, err := kept.Open(load(t, path))
			if err == nil {
				a.Close()
			}
			wantMissing(t, err, tt.want)
		})
	}
	// A snapshot that was replaced since it was loaded has the archive of another.
	path := filepath.Join(t.TempDir(), "baseline.json")
	take(t, path, read(t, before))
	was := load(t, path)
	take(t, path, read(t, after))
	_, err := kept.Open(was)
	wantMissing(t, err, "of other figures")
	if _, err := kept.Open(read(t, before)); err == nil {
		t.Error("a dump tree has an archive")
	}
}

func rewrite(t testing.TB, path string, change func([]byte) []byte) {
	t.Helper()
	if err := os.WriteFile(path, change(mustRead(t, path)), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Whatever byte is damaged, no other text is given.
func TestDamaged(t *testing.T) {
	tree := copied(t, "tile-up-spills", "gfx942", "before")
	path := filepath.Join(t.TempDir(), "baseline.json")
	take(t, path, read(t, tree))
	side, good := load(t, path), mustRead(t, kept.Path(path))
	want := mustRead(t, filepath.Join(tree, filepath.FromSlash(side.Records[0].Source)))
	for at := 0; at < len(good); at += 1 + len(good)/500 {
		bad := slices.Clone(good)
		bad[at] ^= 0x10
		if err := os.WriteFile(kept.Path(path), bad, 0o666); err != nil {
			t.Fatal(err)
		}
		a, err := kept.Open(side)
		if err == nil {
			var text []byte
			if text, err = a.Text(side.Records[0]); err == nil && !bytes.Equal(text, want) {
				t.Errorf("byte %d of %d is damaged: another text of %d bytes", at, len(good), len(text))
			}
			a.Close()
		}
		if err != nil {
			wantMissing(t, err, "")
		}
	}
}

// A file that has changed, or is gone, since its figures were read is not kept.
func TestChangedMeanwhile(t *testing.T) {
	tree := copied(t, "base", "gfx950")
	side := read(t, tree)
	changed, gone := side.Records[1], side.Records[3]
	rewrite(t, filepath.Join(tree, filepath.FromSlash(changed.Source)), func(text []byte) []byte {
		return append(text, "; the same instructions, of other lines\n"...)
	})
	if err := os.Remove(filepath.Join(tree, filepath.FromSlash(gone.Source))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "baseline.json")
	taken := take(t, path, side)
	for _, r := range side.Records {
		if lacks := r.Source == changed.Source || r.Source == gone.Source; lacks != slices.Contains(taken.Lacking, r.Key) {
			t.Errorf("%s of %s: lacking is %v", r.Key, r.Source, taken.Lacking)
		}
	}
	now := load(t, path)
	a, err := kept.Open(now)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	_, err = a.Text(now.Records[1])
	wantMissing(t, err, "does not hold the assembly of "+now.Records[1].Key)
	for _, r := range now.Records {
		if text, err := a.Text(r); err == nil && !bytes.Equal(text, mustRead(t, filepath.Join(tree, filepath.FromSlash(r.Source)))) {
			t.Errorf("%s: another text", r.Key)
		}
	}
	if _, err := a.Text(&resource.Record{Key: now.Records[0].Key, Source: "elsewhere.s"}); err == nil {
		t.Error("a record of another file has a text")
	}
}

// Several snapshots become one with the text of each, also where two have the same path
// for different files, and where one has none.
func TestTakenOver(t *testing.T) {
	dir := t.TempDir()
	one, two := copied(t, "tile-up-spills", "gfx942", "before"), copied(t, "tile-up-spills", "gfx942", "after")
	const source = "window_filter/window_filter_0/22_final_isa.s"
	rewrite(t, filepath.Join(two, filepath.FromSlash(source)), func(text []byte) []byte {
		return bytes.ReplaceAll(text, []byte("window_filter_0"), []byte("window_filter_9"))
	})
	take(t, filepath.Join(dir, "1.json"), read(t, one))
	take(t, filepath.Join(dir, "2.json"), read(t, two))
	if err := snapshot.Write(filepath.Join(dir, "3.json"), read(t, filepath.Join(dumps, "renamed", "gfx950", "after")), snapshot.Meta{}); err != nil {
		t.Fatal(err)
	}
	var shards []snapshot.Shard
	origins := map[*resource.Record]*kept.Origin{}
	for _, name := range []string{"1.json", "2.json", "3.json"} {
		side := load(t, filepath.Join(dir, name))
		o, err := kept.Of(side)
		if err != nil || (o == nil) != (name == "3.json") {
			t.Fatal(name, o, err)
		}
		defer o.Close()
		for _, r := range side.Records {
			origins[r] = o
		}
		shards = append(shards, snapshot.Shard{Side: side})
	}
	merged, path := snapshot.Merge(shards), filepath.Join(dir, "all.json")
	lacking, err := snapshot.WriteKept(path, merged.Side, merged.Meta, func(r *resource.Record) *kept.Origin { return origins[r] })
	if err != nil || len(lacking) != len(shards[2].Side.Records) {
		t.Errorf("lacking %v, %v", lacking, err)
	}
	side := load(t, path)
	all, err := kept.Open(side)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	for _, r := range side.Records {
		tree := map[string]string{"window_filter_0": one, "window_filter_9": two}[r.Name]
		text, err := all.Text(r)
		if tree == "" {
			wantMissing(t, err, r.Key)
		} else if err != nil || !bytes.Equal(text, mustRead(t, filepath.Join(tree, filepath.FromSlash(r.Source)))) {
			t.Errorf("%s: %d bytes, %v", r.Key, len(text), err)
		}
	}
}

// An undo exchanges the archives with the figures, and a snapshot without assembly takes
// none over.
func TestUndo(t *testing.T) {
	before, after := copied(t, "tile-up-spills", "gfx942", "before"), copied(t, "tile-up-spills", "gfx942", "after")
	path := filepath.Join(t.TempDir(), "baseline.json")
	undo := func() {
		t.Helper()
		if _, err := snapshot.Undo(path); err != nil {
			t.Fatal(err)
		}
	}
	take(t, path, read(t, before))
	take(t, path, read(t, after))
	wantTexts(t, path, after)
	wantTexts(t, snapshot.PreviousPath(path), before)
	undo()
	wantTexts(t, path, before)
	wantTexts(t, snapshot.PreviousPath(path), after)
	undo()
	wantTexts(t, path, after)
	if _, err := snapshot.Take(path, read(t, before), snapshot.Meta{}, true, nil); err != nil {
		t.Fatal(err)
	}
	_, err := kept.Open(load(t, path))
	wantMissing(t, err, "there is no ")
	wantTexts(t, snapshot.PreviousPath(path), after)
	undo()
	wantTexts(t, path, after)
	_, err = kept.Open(load(t, snapshot.PreviousPath(path)))
	wantMissing(t, err, "there is no ")
	undo()
	_, err = kept.Open(load(t, path))
	wantMissing(t, err, "there is no ")
	wantTexts(t, snapshot.PreviousPath(path), after)
}

// An error leaves figures and assembly as they were, wherever it comes.
func TestErrorsLeaveAll(t *testing.T) {
	tree := copied(t, "tile-up-spills", "gfx942", "before")
	dir := t.TempDir()
	path := filepath.Join(dir, "baseline.json")
	take(t, path, read(t, tree))
	failed := errors.New("failed")
	for _, tt := range []struct {
		name            string
		content, change func() error
	}{
		{"while the archive is written", func() error { return failed }, func() error { t.Error("changed"); return nil }},
		{"while the figures are written", func() error { return nil }, func() error { return failed }},
	} {
		err := kept.Replace(atomicfile.WriteFunc, path, snapshot.PreviousPath(path), func(w io.Writer) error {
			_, _ = w.Write([]byte("half"))
			return tt.content()
		}, tt.change)
		if err == nil || !strings.Contains(err.Error(), "failed") {
			t.Errorf("%s: %v", tt.name, err)
		}
		wantTexts(t, path, tree)
	}
	if left := names(t, dir); !slices.Equal(left, []string{"baseline.isa.zst", "baseline.json"}) {
		t.Errorf("left: %v", left)
	}
	// What is no archive is not replaced, and nothing is written.
	was := mustRead(t, path)
	rewrite(t, kept.Path(path), func([]byte) []byte { return []byte("notes") })
	_, err := snapshot.Take(path, read(t, tree), snapshot.Meta{Revision: "new"}, true, kept.All(kept.Tree(tree)))
	if err == nil || !strings.Contains(err.Error(), "is no kept assembly, so it is not replaced") || !bytes.Equal(mustRead(t, path), was) || string(mustRead(t, kept.Path(path))) != "notes" {
		t.Errorf("a file of another kind: %v", err)
	}
}

func names(t testing.TB, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// A process that is killed between two names leaves archives that are not used.
func TestKilledBetween(t *testing.T) {
	before, after := copied(t, "tile-up-spills", "gfx942", "before"), copied(t, "tile-up-spills", "gfx942", "after")
	for renamed := range 3 { // of: previous archive, this archive
		path := filepath.Join(t.TempDir(), "baseline.json")
		take(t, path, read(t, before))
		n := 0
		dies := func(path string, content func(io.Writer) error) error {
			return atomicfile.WriteFunc(path, func(w io.Writer) error {
				err := content(w)
				if n++; n > renamed { // the inner name comes first
					return errors.Join(err, errors.New("killed"))
				}
				return err
			})
		}
		side := read(t, after)
		_ = kept.Replace(dies, path, snapshot.PreviousPath(path), func(w io.Writer) error {
			_, err := kept.Write(w, sumOf(t, side), side.Records, kept.All(kept.Tree(after)))
			return err
		}, func() error {
			return errors.Join(os.WriteFile(snapshot.PreviousPath(path), mustRead(t, path), 0o666), snapshot.Write(path, side, snapshot.Meta{}))
		})
		if renamed == 2 {
			wantTexts(t, path, after)
			wantTexts(t, snapshot.PreviousPath(path), before)
			continue
		}
		_, err := kept.Open(load(t, path))
		wantMissing(t, err, "of other figures")
	}
}

func sumOf(t testing.TB, side *resource.Side) [32]byte {
	t.Helper()
	text, err := snapshot.Encode(side, snapshot.Meta{})
	if err != nil {
		t.Fatal(err)
	}
	read, _ := snapshot.Decode("", text)
	return read.Sum
}

// A tree of 2,000 dumps is kept, and the text of one kernel of it is found.
func BenchmarkKept(b *testing.B) {
	tree := filepath.Join(b.TempDir(), "dumps")
	for i := range 40 {
		if err := os.CopyFS(filepath.Join(tree, fmt.Sprint(i)), os.DirFS(filepath.Join(dumps, "base"))); err != nil {
			b.Fatal(err)
		}
	}
	side := read(b, tree)
	text := int64(0)
	for _, r := range side.Records {
		text += size(b, filepath.Join(tree, filepath.FromSlash(r.Source)))
	}
	b.Run("write", func(b *testing.B) {
		b.SetBytes(text)
		b.ReportAllocs()
		for b.Loop() {
			if lacking, err := kept.Write(io.Discard, side.Sum, side.Records, kept.All(kept.Tree(tree))); err != nil || len(lacking) > 0 {
				b.Fatal(lacking, err)
			}
		}
		b.ReportMetric(float64(len(side.Records)), "kernels")
	})
	path := filepath.Join(b.TempDir(), "baseline.json")
	take(b, path, side)
	now := load(b, path)
	b.Run("open and read one", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			a, err := kept.Open(now)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := a.Text(now.Records[len(now.Records)/2]); err != nil {
				b.Fatal(err)
			}
			a.Close()
		}
		b.ReportMetric(float64(size(b, kept.Path(path)))/float64(text), "packed/text")
	})
}
