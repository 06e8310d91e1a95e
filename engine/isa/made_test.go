package isa

import (
	"slices"
	"strings"
	"testing"
)

// TestCompilers: who made a file, as far as the file says.
func TestCompilers(t *testing.T) {
	const ident22 = "\t.ident\t\"Debian clang version 22.1.8 (1~deb12u1)\"\n"
	info := func(producer string) string {
		return "\t.section\t.debug_str,\"MS\",@progbits,1\n.Linfo_string0:\n\t.asciz\t\"" + producer + "\" ; string offset=0\n.Linfo_string1:\n\t.asciz\t\"kernels.hip\"\n"
	}
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"ident", ident22, []string{"Debian clang version 22.1.8 (1~deb12u1)"}},
		{"ident before the producer", info("clang version 1") + ident22 + ident22, []string{"Debian clang version 22.1.8 (1~deb12u1)"}},
		{"linked of two", ident22 + "\t.ident\t\"rustc version 1.98.0\"\n", []string{"Debian clang version 22.1.8 (1~deb12u1)", "rustc version 1.98.0"}},
		{"producer", info("IREE"), []string{"IREE"}},
		{"the producer of every MLIR", info("MLIR"), nil},
		{"no string of the debug information", "\t.data\n.Linfo_string0:\n\t.asciz\t\"clang\"\n", nil},
		{"another string", "\t.section\t.debug_str,\"MS\",@progbits,1\n.Lskel_string0:\n\t.asciz\t\"/project\"\n", nil},
		{"in a comment", "\t; .ident \"clang\"\n\t/* .ident \"clang\" */\n", nil},
		{"no string", "\t.ident\n\t.ident clang\n\t.ident \"cut\n", nil},
		{"a command line", info("clang " + strings.Repeat("-DX ", 100)), nil},
	} {
		if got := Parse([]byte(test.text)).Compilers; !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestSources: the hash of the source files is that of their names and contents.
func TestSources(t *testing.T) {
	const (
		kernels = "\t.file\t0 \"/project/build\" \"kernels.hip\" md5 0x84262e588ecd2683cc0aa595915716f9\n"
		header  = "\t.file\t1 \"/project\" \"window.h\" md5 0x11112e588ecd2683cc0aa595915716f9\n"
	)
	hash := func(text string) string { return Parse([]byte(text)).Sources }
	want := hash(kernels + header)
	if want == "" {
		t.Fatal("no hash")
	}
	for name, text := range map[string]string{
		"another order":            header + kernels,
		"another folder":           strings.ReplaceAll(kernels+header, "/project", "/ci/checkout"),
		"named again":              kernels + header + strings.Replace(kernels, "\t0 ", "\t2 ", 1),
		"the compiler's own":       kernels + header + "\t.file\t2 \"/usr/lib/llvm-22\" \"lib/clang/22/include/x.h\" md5 0x0\n" + "\t.file\t3 \"/usr/lib/clang/22/include\" \"y.h\"\n",
		"the name of the module":   "\t.file\t\"kernels.hip\"\n" + kernels + header,
		"the folder with the name": strings.Replace(kernels, `"/project/build" "kernels.hip"`, `"/project/build/kernels.hip"`, 1) + header,
	} {
		if got := hash(text); got != want {
			t.Errorf("%s: another hash", name)
		}
	}
	for name, text := range map[string]string{
		"another content": strings.Replace(kernels, "0x8", "0x9", 1) + header,
		"another name":    strings.Replace(kernels, "kernels.hip", "k.hip", 1) + header,
		"one file less":   kernels,
	} {
		if got := hash(text); got == want || got == "" {
			t.Errorf("%s: hash %q", name, got)
		}
	}
	for name, text := range map[string]string{
		"none":                   "",
		"one without a checksum": kernels + "\t.file\t1 \"/project\" \"window.h\"\n",
		"cut":                    kernels + "\t.file\t1 \"/project\" \"window.h\" md5\n",
	} {
		if got := hash(text); got != "" {
			t.Errorf("%s: hash %q", name, got)
		}
	}
}
