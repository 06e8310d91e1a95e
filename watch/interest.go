package watch

import (
	"path/filepath"
	"strings"

	"isadiff/engine/producer"
)

// An Interest says which files matter. The zero value is interested in nothing
// but a root that is itself a file.
type Interest struct {
	Rules []Rule // the first that fits a name counts
	// SkipDir reports whether nothing in a directory below the root matters; path is
	// as in a batch. Its answer for a path must not change. nil skips none.
	SkipDir func(path string) bool
}

// A Rule names files that matter and tells when one is complete.
type Rule struct {
	// Name is the base name of a file, in which * stands for any text.
	Name string
	// End stands near the end of a complete file. "": two equal stats are enough.
	End string
	// Empty says that a file without any bytes is complete.
	Empty bool
	// Keep holds the contents that are overwritten within one batch.
	Keep bool
	// Urgent ends a batch as soon as such a file is in it. Its removal does not end a
	// batch: what was written before must settle first.
	Urgent bool
}

// isaEnd closes the kernel metadata, the last directive that LLVM's AMDGPU
// backend writes (llvm/lib/Target/AMDGPU, AMDGPUTargetStreamer.cpp).
const isaEnd = ".end_amdgpu_metadata"

// ISA is the rule for final assembly files of the given name pattern.
func ISA(name string) Rule { return Rule{Name: name, End: isaEnd, Keep: true} }

// Dumps is the interest in a dump tree of any producer of a table, including the
// marks of a capture that has not ended and the manifest of one that has.
func Dumps(t *producer.Table) Interest {
	rules := []Rule{
		{Name: ".isadiff-running", Empty: true, Urgent: true}, {Name: ".isadiff-incomplete", Empty: true, Urgent: true},
		{Name: ".isadiff-capture.json"},
	}
	for _, p := range t.Rows() {
		rules = append(rules, ISA(p.Assembly))
		for _, name := range []string{p.Origin, p.Companion} {
			if name != "" {
				rules = append(rules, Rule{Name: name})
			}
		}
	}
	return Interest{Rules: rules}
}

// Sources is the interest in a tree of sources that can define kernels: not in
// hidden folders, nor in those of tools that hold no sources of the project.
func Sources(t *producer.Table) Interest {
	i := Interest{
		SkipDir: func(path string) bool {
			name := filepath.Base(path)
			return strings.HasPrefix(name, ".") || name == "__pycache__" || name == "node_modules"
		},
	}
	for _, end := range t.Sources() {
		i.Rules = append(i.Rules, Rule{Name: "*" + end, Empty: true})
	}
	return i
}

// match returns the rule for a file of this base name, nil if none fits.
func (i Interest) match(name string) *Rule {
	for n := range i.Rules {
		r := &i.Rules[n]
		if producer.Fits(r.Name, name) {
			return r
		}
	}
	return nil
}
