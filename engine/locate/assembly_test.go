package locate

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestInAssembly(t *testing.T) {
	const files = "\t.file\t0 \"/build\" \"k.hip\" md5 0x1\n\t.file\t1 \"..\" \"src/k.hip\" md5 0x2\n\t.file\t2 \"/usr/include\" \"a\\\\b\\303\\244.h\"\n\t.file\t3 \"/abs/x.py\"\n\t.file\t4 \"C:\\\\proj\" \"y.py\"\n"
	for _, test := range []struct {
		name, body string
		want       Location
	}{
		{"below the folder of the compile", "k:\n\t.loc\t1 7 11 prologue_end\n\t.loc\t2 9 1\n", Location{"/src/k.hip", 7, 10}},
		{"line 0 is of no line", "\t.loc\t1 0 0\n\t.loc\t3 4 0\n", Location{"/abs/x.py", 4, 0}},
		{"inlined", "\t.loc\t2 9 1 ; a.h:9:1 @[ src/k.hip:12:3 @[ src/k.hip:44:5 ] ]\n", Location{"/src/k.hip", 44, 4}},
		{"inlined into what is not known", "\t.loc\t2 9 1 ; a.h:9:1 @[ other.hip:44:5 ]\n", Location{"/usr/include/a\\bä.h", 9, 0}},
		{"escapes", "\t.loc\t2 3 1 is_stmt 0 ; k\n", Location{"/usr/include/a\\bä.h", 3, 0}},
		{"another system's", "\t.loc\t4 5 1\n", Location{`C:\proj/y.py`, 5, 0}},
		{"an unknown file", "\t.loc\t9 5 1\n", Location{}},
		{"none", "\ts_endpgm\n", Location{}},
		{"no number", "\t.loc\tx y z\n\t.loc\n", Location{}},
	} {
		text := []byte(files + test.body + "\t.loc\t1 99 1\n")
		if got := InAssembly(text, len(files), len(files)+len(test.body)); got != test.want {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
	if got := Files([]byte(files)); !slices.Equal(got, []string{"/build/k.hip", "/src/k.hip", "/usr/include/a\\bä.h", "/abs/x.py", `C:\proj/y.py`}) {
		t.Errorf("files %q", got)
	}
}

// FuzzInAssembly: any text has a place or none.
func FuzzInAssembly(f *testing.F) {
	f.Add("\t.file\t1 \"a\" \"b\"\n\t.loc\t1 2 3\n")
	f.Add(".file 0 \"\\303\" \".loc 1")
	f.Fuzz(func(t *testing.T, text string) {
		at := InAssembly([]byte(text), 0, len(text))
		if (at.Path == "") != (at.Line == 0) || at.Path != "" && !slices.Contains(Files([]byte(text)), at.Path) {
			t.Errorf("%q leads to %+v", text, at)
		}
		if !strings.Contains(text, ".file") && at.Path != "" {
			t.Errorf("%q names a file", text)
		}
	})
}

func TestNearLine(t *testing.T) {
	text := strings.Join([]string{
		"\t.file\t1 \"/home/user/kernels\" \"caf\\303\\251.py\"", "\t.file\t2 \"/usr/lib/python3.11\" \"functools.py\"",
		"k:", "\t.loc\t1 12 4 prologue_end", "\ts_load", "\t.loc\t2 55 1 is_stmt 0", "\ts_add", "\t.loc\t1 0 1", "\tscratch_store", "k2:", "\ts_mov",
	}, "\n")
	for line, want := range map[int]Location{
		4: {Path: "/home/user/kernels/café.py", Line: 12, Column: 3}, 5: {Path: "/home/user/kernels/café.py", Line: 12, Column: 3},
		9: {Path: "/home/user/kernels/café.py", Line: 12, Column: 3}, 11: {}, 99: {}, 0: {},
	} {
		if got := Near([]byte(text), line); got != want {
			t.Errorf("line %d: %+v, want %+v", line, got, want)
		}
	}
}

// Whatever stands in an assembly file, looking for a source line ends.
func FuzzNear(f *testing.F) {
	if data, err := os.ReadFile("../../testdata/dumps/debug/gfx950/window_filter/window_filter_0/23_final_isa.s"); err == nil {
		f.Add(string(data[:min(len(data), 4000)]), 20)
	}
	f.Add("\t.file\t1 \"a\\3\" \"\n.loc 1 1", 2)
	f.Fuzz(func(t *testing.T, text string, line int) {
		if at := Near([]byte(text), line); (at.Line > 0) != (at.Path != "") {
			t.Errorf("line %d of file %q", at.Line, at.Path)
		}
	})
}
