package live

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"isadiff/engine/locate"
)

// TestReloadOutside: a source outside of the project that comes or goes sends no
// Change, but is found by reloading.
func TestReloadOutside(t *testing.T) {
	r := prepare(t, base)
	outside := r.path("outside/window_filter.py")
	const origin = "dumps/window_filter/window_filter_0/00_origin.mlir"
	text, err := os.ReadFile(r.path(origin))
	if err != nil {
		t.Fatal(err)
	}
	moved := regexp.MustCompile(`"[^"\n]*window_filter\.py"`).ReplaceAllLiteral(text, []byte(`"`+filepath.ToSlash(outside)+`"`))
	if bytes.Equal(moved, text) {
		t.Fatal("no location in the module")
	}
	r.write(origin, string(moved))
	r.open()
	for _, there := range []bool{false, true, false} {
		want := ""
		if there {
			r.write("outside/window_filter.py", "# another copy\n")
			want = outside
		} else if err := os.RemoveAll(r.path("outside")); err != nil {
			t.Fatal(err)
		}
		r.SetOverlay(r.path("kernels/transpose.py"), fmt.Sprintf("# edited %v\n", there))
		s, err := r.Reload(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if k := r.kernel(s, "window_filter_0"); k.Place.Outside != want || (len(k.Place.Candidates) == 1) == there {
			t.Errorf("with the file %v: %+v", there, k.Place)
		}
	}
}

// TestStaleSources: results older than their source, on the disk or in an editor.
func TestStaleSources(t *testing.T) {
	r := newRig(t, base, base)
	const source = "kernels/window_filter.py"
	stale := func(s *State) bool { return r.kernel(s, "window_filter_0").Stale }
	if stale(r.sync()) {
		t.Fatal("stale from the start")
	}
	text, err := os.ReadFile(r.path(source))
	if err != nil {
		t.Fatal(err)
	}
	r.SetOverlay(r.path(source), "# a line more\n"+string(text))
	s := r.sync()
	k := r.kernel(s, "window_filter_0")
	if !k.Stale || k.Place.Match != locate.Moved {
		t.Errorf("edited: stale %v, place %v", k.Stale, k.Place.Match)
	}
	r.SetOverlay(r.path(source), string(text))
	if stale(r.sync()) {
		t.Error("stale although the editor holds what the disk does")
	}
	r.ClearOverlay(r.path(source))
	if stale(r.sync()) {
		t.Error("stale after the editor closed the file")
	}
	r.touch(source, noon.Add(time.Minute))
	r.SourcesChanged(Batch{Touched: []Settled{file(t, r.path(source))}})
	if stale(r.sync()) {
		t.Error("stale although it was saved as it was")
	}
	if !stale(r.edit(source, noon.Add(time.Minute))) {
		t.Error("not stale although edited after the compile")
	}
	if stale(r.compile(base+"/window_filter", "window_filter", noon.Add(2*time.Minute))) {
		t.Error("stale although compiled after it was saved")
	}
}

// TestMissedSource: a file that was gone for the moment in which it was read is
// found again, though nothing in it is new, also if an editor held it meanwhile.
func TestMissedSource(t *testing.T) {
	for _, edited := range []bool{false, true} {
		r := newRig(t, base, base)
		const source = "kernels/window_filter.py"
		path := r.path(source)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if edited {
			r.SetOverlay(path, string(text))
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.put(source, string(text), noon.Add(-2*time.Hour))
		r.SourcesChanged(Batch{Touched: []Settled{file(t, path)}})
		s := r.sync()
		if k := r.kernel(s, "window_filter_0"); s.Sources[path] == nil || len(k.Place.Candidates) != 1 || k.Stale {
			t.Errorf("edited %v: found %v, place %+v, stale %v", edited, s.Sources[path] != nil, k.Place, k.Stale)
		}
	}
}

// TestStaleAmong: of several definitions that fit, the result is older than its
// source if it is older than each.
func TestStaleAmong(t *testing.T) {
	r := newRig(t, "", "")
	r.copy(fixture("base/gfx950/elementwise_scale"), "dumps", noon)
	if err := os.Remove(r.path("dumps/scale_kernel_0/00_origin.mlir")); err != nil {
		t.Fatal(err)
	}
	r.DumpsChanged(everything(t, r.dumps))
	for i, source := range []string{"", "kernels/rowwise/scale.py", "kernels/elementwise/scale.py"} {
		if source != "" {
			r.edit(source, noon.Add(time.Minute))
		}
		if k := r.kernel(r.sync(), "scale_kernel_0"); k.Stale != (i == 2) || k.Place.Match != locate.Ambiguous {
			t.Errorf("%d newer: stale %v, match %v", i, k.Stale, k.Place.Match)
		}
	}
}

// TestSources: each file lists its definitions with their kernels.
func TestSources(t *testing.T) {
	r := newRig(t, base, base)
	s := r.sync()
	count := 0
	for path, src := range s.Sources {
		if src.Path != path || src.Version != 1 {
			t.Errorf("%s: %+v", path, src)
		}
		for _, d := range src.Definitions {
			count += len(d.Kernels)
			if d.Definition.Launcher && len(d.Kernels) > 0 {
				t.Errorf("%s: kernels on the launcher %s", path, d.Definition.Function)
			}
		}
	}
	if count != 15 {
		t.Errorf("%d kernels on definitions, want 15", count)
	}
	path := r.path("kernels/quantizer.py")
	before := s.Sources[path]
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	r.SourcesChanged(Batch{Removed: []string{path}})
	s = r.sync()
	if s.Sources[path] != nil {
		t.Error("a removed file is still there")
	}
	if k := r.kernel(s, "quantize_0"); k.Place.Match != locate.None || k.Place.Reason == "" {
		t.Errorf("place of a removed definition: %+v", k.Place)
	}
	if other := r.path("kernels/transpose.py"); s.Sources[other] == nil {
		t.Error("another file is gone too")
	}
	if before == nil || len(before.Definitions) == 0 {
		t.Error("the earlier State changed")
	}
}

// TestTypingBetweenEquals: of two kernels of one name in a file, each stays with
// its own definition, whatever is typed above, and neither takes the other's while
// its own is broken.
func TestTypingBetweenEquals(t *testing.T) {
	builder := func(name string) string {
		return "\n\ndef " + name + "(n):\n    @flyc.kernel\n    def twin(X):\n        return X\n    return twin\n"
	}
	text := "import flydsl.compiler as flyc\n" + builder("build_a") + builder("build_b")
	r := newRig(t, "", "")
	r.put("kernels/pair.py", text, noon.Add(-time.Hour))
	r.SourcesChanged(Batch{Settled: []Settled{file(t, r.path("kernels/pair.py"))}})
	lines := map[string]int{"a": 5, "b": 12} // of the decorators
	for dir, line := range lines {
		for _, name := range []string{"00_origin.mlir", "22_final_isa.s"} {
			text, err := os.ReadFile(fixture("base/gfx950/elementwise_scale/scale_kernel_0/" + name))
			if err != nil {
				t.Fatal(err)
			}
			text = regexp.MustCompile(`loc\("[^"]*scale.py":11:0\)`).ReplaceAll(text, fmt.Appendf(nil, `loc("%s":%d:0)`, r.path("kernels/pair.py"), line))
			r.write("dumps/"+dir+"/twin_0/"+name, strings.ReplaceAll(string(text), "scale_kernel_0", "twin_0"))
		}
	}
	r.DumpsChanged(everything(t, r.dumps))
	where := func(s *State) string {
		var found []string
		for _, k := range s.Kernels {
			dir, _, _ := strings.Cut(k.Key, "/")
			for _, c := range k.Place.Candidates {
				dir += " " + c.Definition.Qualified[:len("build_x")] + fmt.Sprintf(":%d", c.Definition.Topmost+1)
			}
			found = append(found, dir)
		}
		return strings.Join(found, ", ")
	}
	if got := where(r.sync()); got != "a build_a:5, b build_b:12" {
		t.Fatal(got)
	}
	for n := range 9 {
		r.SetOverlay(r.path("kernels/pair.py"), strings.Repeat("\n", n)+text)
		if got, want := where(r.sync()), fmt.Sprintf("a build_a:%d, b build_b:%d", 5+n, 12+n); got != want {
			t.Errorf("%d lines more: %s, want %s", n, got, want)
		}
	}
	for _, step := range []struct{ old, new, want string }{
		{"@flyc.kernel", "@flyc.ker", "a, b build_b:12"},
		{"build_a", "build_x", "a build_x:5, b build_b:12"},
		{"def twin", "def other", "a, b build_b:12"},
		{"import", "import", "a build_a:5, b build_b:12"},
	} {
		r.SetOverlay(r.path("kernels/pair.py"), strings.Replace(text, step.old, step.new, 1))
		if got := where(r.sync()); got != step.want {
			t.Errorf("%s: %s, want %s", step.new, got, step.want)
		}
	}
}

// TestTyping: while a docstring is being typed the definitions stay.
func TestTyping(t *testing.T) {
	r := newRig(t, base, base)
	path := r.path("kernels/window_filter.py")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	r.SetOverlay(path, string(text))
	before, after, ok := strings.Cut(string(text), "\ndef window_filter(")
	if !ok {
		t.Fatal("no definition")
	}
	_, body, _ := strings.Cut(after, "\n")
	header := after[:len(after)-len(body)]
	r.SetOverlay(path, before+"\ndef window_filter("+header+"    \"\"\"\n"+body)
	s := r.sync()
	if k := r.kernel(s, "window_filter_0"); len(k.Place.Candidates) != 1 || k.Place.Candidates[0].Definition.Function != "window_filter" {
		t.Errorf("place %+v", k.Place)
	}
}

// TestCompiledOver: a kernel that another source's of its name was compiled over is
// said to be compared with that one, as long as both are there.
func TestCompiledOver(t *testing.T) {
	r := newRig(t, "base/gfx950/elementwise_scale", "base/gfx950/rowwise_scale")
	const other = "kernels/elementwise/scale.py"
	expect := func(when, source string) {
		t.Helper()
		s := r.sync()
		k := r.kernel(s, "scale_kernel_0")
		if k.Instead != source {
			t.Errorf("%s: compared with that of %q, want %q", when, k.Instead, source)
		}
		if said := strings.Contains(strings.Join(s.Warnings, "\n"), "::scale_kernel_0: its baseline was compiled from "+other); said != (source != "") {
			t.Errorf("%s: warned %v", when, s.Warnings)
		}
	}
	expect("first", other)
	text, err := os.ReadFile(r.path(other))
	if err != nil {
		t.Fatal(err)
	}
	edit := func(source, text string) {
		r.write(source, text)
		r.SourcesChanged(Batch{Settled: []Settled{file(t, r.path(source))}})
	}
	edit(other, strings.ReplaceAll(string(text), "scale_kernel", "scale_all"))
	expect("it was moved here", "")
	edit(other, "\n\n"+string(text))
	expect("it stands there again", other)
	r.compile("base/gfx950/elementwise_scale", "", noon.Add(time.Minute))
	expect("compiled again", "")
}

// TestOwnDecorator: a kernel whose name a decorator of the project's own computes is
// followed from its line through edits, and not looked for on a line that another
// function may have got since.
func TestOwnDecorator(t *testing.T) {
	const source, dump = "kernels/own.py", "dumps/shaped_b64/"
	text := "import flydsl.compiler as flyc\nfrom .prelude import tuned\n\n@tuned(64)\ndef shaped(X):\n    pass\n\n@cache\ndef other():\n    pass\n"
	r := newRig(t, "", "")
	edit := func(text string, at time.Time) {
		r.put(source, text, at)
		r.SourcesChanged(Batch{Settled: []Settled{file(t, r.path(source))}})
	}
	compile := func(line int, at time.Time) {
		for _, name := range []string{"00_origin.mlir", "22_final_isa.s"} {
			text, err := os.ReadFile(fixture("base/gfx950/elementwise_scale/scale_kernel_0/" + name))
			if err != nil {
				t.Fatal(err)
			}
			text = regexp.MustCompile(`loc\("[^"]*scale.py":11:0\)`).ReplaceAll(text, fmt.Appendf(nil, `loc("%s":%d:0)`, r.path(source), line))
			r.put(dump+name, strings.ReplaceAll(string(text), "scale_kernel_0", "shaped_b64"), at)
		}
		r.DumpsChanged(everything(t, r.dumps))
	}
	expect := func(when, want string) {
		t.Helper()
		var got []string
		for _, c := range r.kernel(r.sync(), "shaped_b64").Place.Candidates {
			got = append(got, fmt.Sprintf("%s:%d", c.Definition.Function, c.Definition.Topmost+1))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: on %q, want %q", when, got, want)
		}
	}
	at := noon.Add(-time.Hour)
	edit(text, at)
	compile(4, noon)
	expect("compiled", "shaped:4")
	lower := strings.Replace(text, "\n\n@tuned", "\n\n@cache\ndef first():\n    pass\n\n@tuned", 1)
	edit(lower, noon.Add(time.Minute))
	expect("moved", "shaped:8")
	r.SetOverlay(r.path(source), text)
	expect("moved back", "shaped:4")
	r.ClearOverlay(r.path(source))
	compile(8, noon.Add(2*time.Minute))
	expect("compiled again", "shaped:8")
	r.Close()
	r.open()
	expect("of another session", "shaped:8")
	r.Close()
	r.put(source, strings.Replace(lower, "@cache\ndef first", "\n\n\n\n@cache\ndef first", 1), noon.Add(time.Hour))
	r.open()
	expect("edited between two sessions", "")
}
