package watch

import (
	"path/filepath"
	"strings"
)

// An Interest says which files matter. The zero value is interested in nothing
// but a root that is itself a file.
type Interest struct {
	Rules []Rule // the first that fits a name counts
	// SkipDir says of a directory below the root, by its path as it would stand in
	// a batch, that nothing in it matters. It must not change its mind. nil: none.
	SkipDir func(path string) bool
}

// A Rule names files that matter and tells when one is complete.
type Rule struct {
	// Name is the whole base name of a file, or * and the end of one.
	Name string
	// End stands near the end of a complete file. "": two equal stats are enough.
	End string
	// Empty says that a file without any bytes is complete.
	Empty bool
	// Keep holds the contents that are overwritten within one batch.
	Keep bool
}

// isaEnd closes the kernel metadata, the last directive that LLVM's AMDGPU
// backend writes (llvm/lib/Target/AMDGPU, AMDGPUTargetStreamer.cpp).
const isaEnd = ".end_amdgpu_metadata"

// ISA is the rule for final assembly files of the given name pattern.
func ISA(name string) Rule { return Rule{Name: name, End: isaEnd, Keep: true} }

// Dumps is the interest in a FlyDSL dump tree, with the mark of a capture that
// has not ended.
func Dumps() Interest {
	return Interest{Rules: []Rule{ISA("*final_isa.s"), {Name: "00_origin.mlir"}, {Name: ".isadiff-incomplete", Empty: true}}}
}

// Python is the interest in a tree of Python sources: not in hidden folders, nor
// in those of tools that hold no sources of the project.
func Python() Interest {
	return Interest{
		Rules: []Rule{{Name: "*.py", Empty: true}},
		SkipDir: func(path string) bool {
			name := filepath.Base(path)
			return strings.HasPrefix(name, ".") || name == "__pycache__" || name == "node_modules"
		},
	}
}

// match returns the rule for a file of this base name, nil if none fits.
func (i Interest) match(name string) *Rule {
	for n := range i.Rules {
		r := &i.Rules[n]
		end, suffix := strings.CutPrefix(r.Name, "*")
		if name == r.Name || suffix && strings.HasSuffix(name, end) {
			return r
		}
	}
	return nil
}
