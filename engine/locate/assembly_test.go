package locate

import (
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
