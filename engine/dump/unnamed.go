package dump

import (
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"isadiff/engine/problem"
	"isadiff/engine/producer"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// maxSniffed bounds the files of one directory that are opened to see whether they
// are assembly for AMD GPUs, and headerSize what is read of each.
const (
	maxSniffed = 4
	headerSize = 4 << 10
)

// unnamed returns the pattern of the names of assembly for AMD GPUs that nobody said to
// look for, in a directory without any that is looked for: "*.gcnasm"; "" if there is
// none. Only files whose names may be those of assembly are opened.
func unnamed(full string, entries []fs.DirEntry) string {
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() && mayBeAssembly(e.Name()) != "" {
			names = append(names, e.Name())
		}
	}
	for _, name := range names[:min(len(names), maxSniffed)] {
		if isAMDGPU(filepath.Join(full, name)) {
			return mayBeAssembly(name)
		}
	}
	return ""
}

// mayBeAssembly returns the pattern of a name that may be that of assembly; "" if it
// is not. Of .s files, which hosts have as well, the part that names the device tells.
func mayBeAssembly(name string) string {
	ext := filepath.Ext(name)
	lower := strings.ToLower(ext)
	switch {
	case lower == ".s":
		for _, device := range []string{"amdgcn", "gfx"} {
			if strings.Contains(name[:len(name)-len(ext)], device) {
				return "*" + device + "*" + ext
			}
		}
	case !strings.Contains(lower, "asm") && !strings.Contains(lower, "isa") && !strings.Contains(lower, "gcn"):
		return ""
	}
	return "*" + ext
}

// isAMDGPU reports whether a text begins as LLVM's assembly for AMD GPUs does.
func isAMDGPU(path string) bool {
	header, err := regular.ReadUpTo(path, headerSize)
	return err == nil && (bytes.Contains(header, []byte(".amdgcn_target")) || bytes.Contains(header, []byte(".hsa_code_object_isa")))
}

// naming says which configuration takes files of a pattern in.
func naming(pattern string) string {
	label := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, filepath.Ext(pattern))
	if strings.EqualFold(label, "s") {
		label = "mine"
	}
	return fmt.Sprintf("add producers.%s = { files = %q } to the configuration ([tool.isadiff] of pyproject.toml, or isadiff.toml)", label, pattern)
}

// sayUnnamed tells of what a tree holds that is not read: as the reason if it holds
// nothing else, else in a warning for each pattern.
func sayUnnamed(s *resource.Side, folders []*Folder, name string, empty bool) {
	var patterns []string
	for _, f := range folders {
		if f.Unnamed != "" && !slices.Contains(patterns, f.Unnamed) {
			patterns = append(patterns, f.Unnamed)
		}
	}
	const what = "assembly for AMD GPUs in files %s, and the configuration names no compiler for them"
	if !empty {
		for _, pattern := range patterns {
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s holds "+what+", so they are not read; %s", name, pattern, naming(pattern)))
		}
		return
	}
	p := problem.New(problem.NoDumpFiles, "%s holds no %s", name, (*producer.Table)(nil).Default().Assembly).In(name)
	if len(patterns) > 0 {
		p.Message += fmt.Sprintf(", but "+what, patterns[0])
		p = p.Mended("%s", naming(patterns[0]))
	} else if trace, again := traceIn(s.Origin); trace != nil {
		p.Message += "; it holds other files of " + trace.Title
		p = p.Mended("%s", again+choosing(trace))
	} else if i := slices.IndexFunc(folders, func(f *Folder) bool { return f.Passed != "" }); i >= 0 {
		p.Message += fmt.Sprintf("; %s may hold code objects, and those hold no assembly", resource.ValidText(folders[i].Passed))
		p = p.Mended("`isadiff summarize` and `isadiff diff` read code objects; for assembly, keep it when it is compiled, for HIP with --save-temps=obj")
	}
	s.Problems = append(s.Problems, p)
}

// choosing says how the configuration names a producer, after what else to do.
func choosing(p *producer.Producer) string {
	return fmt.Sprintf("; the configuration says so with producer = %q", p.Name)
}

// maxTraced bounds the names that are looked at to see whose a tree without assembly is.
const maxTraced = 1000

// traceIn returns the known producer of whom a tree holds other files than assembly,
// and how to get its assembly; nil if there is none.
func traceIn(root string) (p *producer.Producer, again string) {
	n := 0
	_ = filepath.WalkDir(root, func(_ string, d fs.DirEntry, err error) error {
		if n++; err != nil || n > maxTraced {
			return filepath.SkipAll
		}
		if d.IsDir() {
			return nil
		}
		if p, again = (*producer.Table)(nil).Trace(d.Name()); p != nil {
			return filepath.SkipAll
		}
		return nil
	})
	return p, again
}
