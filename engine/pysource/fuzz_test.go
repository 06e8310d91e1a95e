package pysource

import (
	"os"
	"reflect"
	"slices"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// FuzzScan scans any text, and any edit of it.
func FuzzScan(f *testing.F) {
	for _, path := range append(pythonFiles(f, "testdata/corpus"), pythonFiles(f, "../../testdata/kernels")...) {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, uint(len(text)/2), `"""`)
	}
	for _, p := range pathologies {
		f.Add([]byte(p.text(3)), uint(7), "@flyc.kernel\n")
	}
	f.Fuzz(func(t *testing.T, text []byte, at uint, typed string) {
		old := Scan(text)
		checkFile(t, text, old)
		for _, table := range []*Decorators{FlyDSL, triton} {
			checkWork(t, text, table)
		}

		i := int(at % uint(len(text)+1))
		edited := append(append(append([]byte{}, text[:i]...), typed...), text[i:]...)
		cold, live := Scan(edited), Rescan(old, text, edited)
		checkFile(t, edited, cold)
		checkFile(t, edited, live)
		switch {
		case cold.Doubtful:
		case len(live.typed) > 0: // what a name that is being typed was above stays, and nothing else differs
			found := slices.DeleteFunc(slices.Clone(live.Definitions), func(d Definition) bool { return live.typed[d.Def.Start.Offset] != "" })
			if !slices.EqualFunc(found, cold.Definitions, func(a, b Definition) bool { return reflect.DeepEqual(a, b) }) {
				t.Errorf("a rescan of a decorator that is being typed differs from a scan:\n%+v\n%+v", live, cold)
			}
		case !reflect.DeepEqual(cold, live):
			t.Errorf("a rescan of correct text differs from a scan:\n%+v\n%+v", live, cold)
		}
		if again := Rescan(live, edited, edited); !reflect.DeepEqual(again.Definitions, live.Definitions) && old.sound {
			t.Errorf("a rescan without an edit changes the definitions:\n%+v\n%+v", again, live)
		}
	})
}

// triton stands for the table of another producer.
var triton = &Decorators{Known: []Decorator{{Path: "triton.jit"}, {Path: "numpy.vectorize", Launcher: true}}}

// checkFile checks what holds of every scan of every text.
func checkFile(t *testing.T, text []byte, f *File) {
	t.Helper()
	lines := LineStarts(text)
	position := func(p Position) {
		t.Helper()
		if p.Offset < 0 || p.Offset > len(text) || lines.Position(p.Offset) != p {
			t.Fatalf("position %+v is not in the text", p)
		}
	}
	last := -1
	for _, d := range f.Definitions {
		for _, r := range []Range{d.Decorator, d.Def, d.Ident, d.Body} {
			position(r.Start)
			position(r.End)
			if r.Start.Offset >= r.End.Offset {
				t.Fatalf("empty range in %+v", d)
			}
		}
		ordered := d.Topmost <= d.Decorator.Start.Line && d.Topmost >= 0 &&
			d.Decorator.End.Offset <= d.Def.Start.Offset &&
			d.Def.Start == d.Body.Start &&
			d.Def.Start.Offset < d.Ident.Start.Offset &&
			d.Ident.End.Offset <= d.Def.End.Offset &&
			d.Def.End.Offset <= d.Body.End.Offset &&
			d.Def.Start.Offset > last
		if !ordered {
			t.Fatalf("ranges out of order: %+v", d)
		}
		last = d.Def.Start.Offset
		if text[d.Decorator.Start.Offset] != '@' {
			t.Fatalf("no decorator at %+v", d.Decorator)
		}
		ident := text[d.Ident.Start.Offset:d.Ident.End.Offset]
		if isASCII(ident) && string(ident) != d.Function || !norm.NFKC.IsNormalString(d.Function) {
			t.Fatalf("%q is called %q", ident, d.Function)
		}
		parts := len(d.Name.Parts)
		switch d.Name.Kind {
		case NameNone, NameUnknown:
			parts++
		case NamePattern:
			parts--
		}
		if parts < 1 || d.Name.Kind != NamePattern && parts != 1 {
			t.Fatalf("%+v is malformed", d.Name)
		}
	}
}
