package codeobject

import (
	"path"
	"strings"
)

// texts are the endings of names of files that hold no device code, so that those of
// a tree are not opened: sources, what compilers print of their stages, and data.
var texts = set(`
	s asm amdgcn mlir ll llir ttir ttgir ttadapter source ptx bc i ii json jsonl yaml yml toml cfg ini txt md rst html css js csv tsv log lock
	py pyi pyc c cc cpp cxx h hh hpp hip cu cuh cl inc f90 td cmake pc sh d dat gz xz bz2 zst tar png jpg svg pdf a la`)

// certain are the endings of names that nothing but device code has.
var certain = set("hsaco co hipfb")

// Promises reports whether a file of that name is device code, so that one that holds
// none was cut short or never written.
func Promises(name string) bool { return certain[strings.ToLower(path.Ext(name))] }

// Broken says of a file of so many bytes that it breaks what its name promises.
func Broken(size int64) string {
	if size == 0 {
		return "it is empty"
	}
	return "it holds no device code, which its name promises"
}

func set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all["."+word] = true
	}
	return all
}

// MayName reports whether a file of that name may hold device code. What a name does
// not tell, the file's first bytes do.
func MayName(name string) bool {
	return !texts[strings.ToLower(path.Ext(name))]
}
