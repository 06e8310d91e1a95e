package input

import (
	"bytes"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"isadiff/engine/isa"
	"isadiff/engine/pressure"
	"isadiff/engine/problem"
	"isadiff/engine/producer"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// IsAssembly tells assembly by a file's name: that of any compiler, or that which a
// known one gives it.
func IsAssembly(name string) bool {
	return strings.HasSuffix(name, ".s") || producer.Builtin().IsAssembly(filepath.Base(name))
}

// AssemblyFiles returns the assembly files below root, relative to it in slashes.
func AssemblyFiles(root string) []string {
	var files []string
	_ = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && IsAssembly(name) {
			if rel, err := filepath.Rel(root, name); err == nil {
				files = append(files, filepath.ToSlash(rel))
			}
		}
		return nil
	})
	return files
}

// readAssembly reads a side that is assembly files: one that the user named, which
// is the side's origin and its records' source alike, or those of a tree that no
// known compiler wrote.
func readAssembly(origin string, files []string) *resource.Side {
	side := &resource.Side{Origin: origin}
	for _, file := range files {
		name, dir := origin, ""
		if file != origin {
			name = filepath.Join(origin, filepath.FromSlash(file))
			if dir = path.Dir(file); dir == "." {
				dir = ""
			}
		}
		data, err := regular.Read(name)
		if err != nil {
			side.Problems = append(side.Problems, problem.Unreadable(file, err))
			continue
		}
		parsed := isa.Parse(data)
		records, problems := resource.FromFile(parsed, dir, file)
		for _, p := range problems {
			if p.Code != problem.MetadataMissing {
				side.Problems = append(side.Problems, p)
				continue
			}
			if name := Unended(data); name != "" {
				p = Cut(p, name)
			} else if bare := withoutMetadata(data, parsed, dir, file); len(bare) > 0 {
				records = bare
				p.Message += ", so there are no figures to compare"
			}
			side.Problems = append(side.Problems, p)
		}
		side.Records = append(side.Records, records...)
	}
	slices.SortStableFunc(side.Records, func(x, y *resource.Record) int { return strings.Compare(x.Key, y.Key) })
	side.Records = slices.CompactFunc(side.Records, func(x, y *resource.Record) bool {
		if x.Key == y.Key {
			side.Problems = append(side.Problems, problem.New(problem.KeyDuplicate, "%s and %s both make the key %s; the first is shown", x.Source, y.Source, y.Key).
				In(y.Source).Of(y.Key).Mended("give one of the two files"))
		}
		return x.Key == y.Key
	})
	return side
}

// withoutMetadata returns records of the kernels of a file that does not say what
// the compiler allocated.
func withoutMetadata(data []byte, f *isa.File, dir, source string) []*resource.Record {
	var records []*resource.Record
	for _, name := range pressure.Index(data).Kernels() {
		r := &resource.Record{Key: resource.ValidText(dir) + "::" + name, Name: name, Source: source, Target: f.Identity}
		for m := range r.Cells {
			r.Cells[m] = resource.NA("the file has no metadata")
		}
		records = append(records, r)
	}
	return records
}

// Unended returns the name of a function that a file begins and does not end, "" if
// there is none: the file was cut, and kernels behind the cut are not in it. LLVM ends
// each function with its .size (AsmPrinter::emitFunctionBody).
func Unended(data []byte) string {
	open := ""
	for line := range bytes.Lines(data) {
		words := bytes.Fields(line)
		switch {
		case len(words) == 2 && string(words[0]) == ".type" && bytes.HasSuffix(words[1], []byte(",@function")):
			open = string(bytes.TrimSuffix(words[1], []byte(",@function")))
		case len(words) >= 2 && string(words[0]) == ".size" && string(bytes.TrimSuffix(words[1], []byte(","))) == open:
			open = ""
		}
	}
	return open
}

// Cut says of a file without metadata that it was cut in a function.
func Cut(p problem.Problem, function string) problem.Problem {
	p.Message += "; its function " + resource.ValidText(function) + " does not end, so the file was cut"
	return p
}
