package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// computed is the one source of testdata/computed, whose kernels have names that a
// helper, a decorator of its own or a call computes.
const computed = "attention/rope_scale.py"

// computedProject has that source, in another folder, and what FlyDSL made of it where
// its path was /home/user/kernels/attention/rope_scale.py; rewritten is that path in the
// dumps.
func computedProject(t *testing.T, rewritten string) projectDir {
	p := newProject(t)
	p.copyFile("../testdata/computed/kernels/"+computed, "src/"+computed)
	p.age("src/"+computed, time.Hour)
	p.dump("../computed/dumps", "dumps")
	p.rewrite("dumps", "/home/user/kernels/"+computed, rewritten)
	return p
}

// rewrite replaces a text in every file of a tree, and keeps their times.
func (p projectDir) rewrite(tree, old, new string) {
	p.t.Helper()
	err := filepath.WalkDir(p.path(tree), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(p.root, path)
		if err != nil {
			return err
		}
		p.put(rel, strings.ReplaceAll(p.read(rel), old, new), info.ModTime())
		return nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
}

// titles are the lines of a source, by the text of the line that each stands on.
func (s *session) titles(p projectDir, name string) string {
	s.t.Helper()
	text := strings.Split(p.read(name), "\n")
	var lenses []codeLens
	s.call("textDocument/codeLens", document(p.uri(name)), &lenses)
	var all []string
	last := -1
	for _, l := range lenses {
		if line := l.Range.Start.Line; line != last {
			all = append(all, strings.TrimSpace(text[line])+" "+l.Command.Title)
			last = line
			continue
		}
		all[len(all)-1] += " | " + l.Command.Title
	}
	return strings.Join(all, "\n")
}

// A kernel whose name is computed, compiled where the sources are somewhere else, is
// shown on the kernel decorator of that very line, in the one file that ends like its
// path. Where that is not certain no line says that nothing was compiled.
func TestComputedNames(t *testing.T) {
	const scale, shift = "def kernel(X: fx.Tensor, Y: fx.Tensor): ", "def kernel(X: fx.Tensor, Y: fx.Tensor): "
	for _, c := range []struct {
		name, path string
		edit       func(p projectDir)
		want       string
	}{
		{"container", "/workspace/repo/" + computed, nil,
			scale + "2 variants · 2 without baseline: w2::rope_scale_w2 vgpr 4 · no spill · 8 waves | take baseline\n" +
				shift + "vgpr 4 · no spill · 8 waves | take baseline"},
		{"Windows", `C:\\work\\Attention\\rope_scale.py`, nil,
			scale + "2 variants · 2 without baseline: w2::rope_scale_w2 vgpr 4 · no spill · 8 waves | take baseline\n" +
				shift + "vgpr 4 · no spill · 8 waves | take baseline"},
		{"one name in common", "/workspace/rope_scale.py", nil,
			scale + "? 4 unplaced kernels here: compiled from /workspace/rope_scale.py | map its path | show ISA"},
		{"two files", "/workspace/repo/" + computed, func(p projectDir) { p.write("old/"+computed, "# moved\n"+p.read("src/"+computed)) },
			scale + "? 4 unplaced kernels here: compiled from …/repo/" + computed + " | map its path | show ISA"},
		{"another name", "/workspace/repo/attention/rope.py", nil,
			scale + "? 4 unplaced kernels: compiled from …/repo/attention/rope.py | map its path | show ISA"},
		{"moved within it", "/workspace/repo/" + computed, func(p projectDir) { p.write("src/"+computed, "# edited\n"+p.read("src/"+computed)) },
			scale + "? 4 unplaced kernels here: compiled from …/repo/" + computed + " | map its path | show ISA"},
		{"no location", "/workspace/repo/" + computed, func(p projectDir) {
			for _, kernel := range []string{"rope_scale_w2", "rope_scale_w3", "shifted_w2", "sq_w2"} {
				if err := os.Remove(p.path("dumps/" + kernel + "/00_origin.mlir")); err != nil {
					p.t.Fatal(err)
				}
			}
		}, scale + "? 4 unplaced kernels: no debug location, so rope_scale_w2 can be of any source | capture | show ISA"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := computedProject(t, c.path)
			if c.edit != nil {
				c.edit(p)
			}
			s := start(t, startOptions{})
			s.initialize(p.root, object{"dumps": "dumps"})
			if got := s.titles(p, "src/"+computed); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			s.claim("textDocument/publishDiagnostics")
			s.close()
		})
	}
}

// What could not be placed is placed as soon as its path is mapped, and its line is
// fetched anew.
func TestComputedNamesMapped(t *testing.T) {
	p := computedProject(t, "/workspace/rope_scale.py")
	s := start(t, startOptions{})
	s.initialize(p.root, object{"dumps": "dumps"})
	if got := s.titles(p, "src/"+computed); !strings.Contains(got, "4 unplaced kernels here") {
		t.Fatalf("the lens is %q", got)
	}
	var answer struct{ Text string }
	s.execute("isadiff.mapPath", object{"kernel": "rope_scale_w2::rope_scale_w2"}, &answer)
	if want := "\"/workspace\" = \"src/attention\""; !strings.Contains(answer.Text, want) {
		t.Fatalf("the mapping is %q, want %s", answer.Text, want)
	}
	p.write("isadiff.toml", answer.Text)
	s.notify("textDocument/didSave", document(p.uri("isadiff.toml")))
	s.settled(3) // the first look, a rescan, the look with the mapping
	s.rescan()
	const kernel = "def kernel(X: fx.Tensor, Y: fx.Tensor): "
	want := kernel + "2 variants · 2 without baseline: w2::rope_scale_w2 vgpr 4 · no spill · 8 waves | take baseline\n" +
		kernel + "vgpr 4 · no spill · 8 waves | take baseline\n" +
		"def square(X: fx.Tensor, Y: fx.Tensor): vgpr 4 · no spill · 8 waves | take baseline"
	if got := s.titles(p, "src/"+computed); got != want {
		t.Errorf("mapped, got\n%s\nwant\n%s", got, want)
	}
	s.claim("textDocument/publishDiagnostics", "window/showDocument")
	s.close()
}

// A kernel of the baseline alone is not said not to be compiled either.
func TestPendingBesideUnplaced(t *testing.T) {
	p := computedProject(t, "/workspace/repo/"+computed)
	p.dump("../computed/dumps", "base")
	p.rewrite("base", "/home/user/kernels/"+computed, "/workspace/repo/"+computed)
	for _, kernel := range []string{"rope_scale_w2", "rope_scale_w3"} {
		p.rewrite("dumps/"+kernel, kernel, "new_"+kernel)
		p.rewrite("dumps/"+kernel, "/workspace/repo/"+computed, "/workspace/rope_scale.py")
		if err := os.Rename(p.path("dumps/"+kernel), p.path("dumps/new_"+kernel)); err != nil {
			t.Fatal(err)
		}
	}
	s := start(t, startOptions{})
	s.initialize(p.root, settings())
	got, _, _ := strings.Cut(s.titles(p, "src/"+computed), "\n")
	if want := "3 unplaced kernels here: compiled from /workspace/rope_scale.py"; !strings.Contains(got, want) || strings.Contains(got, "not compiled") {
		t.Errorf("the lens is %q, want %q", got, want)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// The same of Triton, where repr= computes names, and of HIP, where a macro does.
func TestComputedNamesOfOthers(t *testing.T) {
	triton := func(t *testing.T, path string) projectDir {
		p := newProject(t)
		p.copyFile("../testdata/triton/kernels.py", "src/nn/kernels.py")
		p.rewrite("src", "@triton.jit\ndef add(", "@triton.jit(repr=add_name)\ndef add(")
		p.age("src/nn/kernels.py", time.Hour)
		p.dump("../triton/before", "dumps")
		p.rewrite("dumps", "\"/project\" \"kernels.py\"", path)
		files, err := filepath.Glob(p.path("dumps/*/add.*"))
		if len(files) == 0 || err != nil {
			t.Fatal(files, err)
		}
		for _, file := range files {
			rel, _ := filepath.Rel(p.root, file)
			p.rewrite(rel, "add", "add_b1024")
			if err := os.Rename(file, strings.Replace(file, "add.", "add_b1024.", 1)); err != nil {
				t.Fatal(err)
			}
		}
		return p
	}
	hip := func(t *testing.T, path string) projectDir {
		p := newProject(t)
		p.copyFile("../testdata/hip/kernels.hip", "lib/hip/kernels.hip")
		p.age("lib/hip/kernels.hip", time.Hour)
		p.dump("../hip/before", "dumps")
		p.rewrite("dumps", "\"/project\" \"kernels.hip\"", path)
		return p
	}
	for _, c := range []struct {
		name   string
		make   func(t *testing.T, path string) projectDir
		path   string // of the debug information, as the assembly spells it
		edit   func(p projectDir)
		source string
		line   string // on which a lens stands
		has    string // that lens; "" if there is to be none
	}{
		{"repr", triton, `"/workspace/nn" "kernels.py"`, nil, "src/nn/kernels.py", "def add(", "vgpr"},
		{"repr, one name in common", triton, `"/workspace" "kernels.py"`, nil, "src/nn/kernels.py", "def add(", ""},
		{"repr, not the name of a helper", triton, `"/workspace/nn" "kernels.py"`, nil, "src/nn/kernels.py", "def largest(", ""},
		{"HIP", hip, `"/workspace/hip" "kernels.hip"`, nil, "lib/hip/kernels.hip", "extern \"C\" __global__ void smooth(", "vgpr"},
		{"a macro", hip, `"/workspace/hip" "kernels.hip"`, func(p projectDir) { p.rewrite("dumps", "smooth", "smooth_64") }, "lib/hip/kernels.hip",
			"extern \"C\" __global__ void smooth(", "2 unplaced kernels here: compiled from /workspace/hip/kernels.hip"},
		{"a macro, in another folder", hip, `"/workspace" "kernels.hip"`, func(p projectDir) { p.rewrite("dumps", "smooth", "smooth_64") }, "lib/hip/kernels.hip",
			"extern \"C\" __global__ void smooth(", "2 unplaced kernels here: compiled from /workspace/kernels.hip"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := c.make(t, c.path)
			if c.edit != nil {
				c.edit(p)
			}
			s := start(t, startOptions{})
			s.initialize(p.root, object{"dumps": "dumps"})
			found := ""
			for title := range strings.Lines(s.titles(p, c.source)) {
				if strings.HasPrefix(title, c.line) {
					found = title
				}
			}
			if (found == "") != (c.has == "") || !strings.Contains(found, c.has) || strings.Contains(found, "not compiled") {
				t.Errorf("the lens of %s is %q, want %q in all:\n%s", c.line, found, c.has, s.titles(p, c.source))
			}
			s.claim("textDocument/publishDiagnostics")
			s.close()
		})
	}
}
