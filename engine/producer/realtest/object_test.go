//go:build producers

package realtest

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"debug/elf"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"isadiff/engine/codeobject/objecttest"
	"isadiff/engine/resource"
)

// TestObjects assembles the whole corpus and holds the figures of the code objects,
// before and after they are linked, against those of the assembly. With -update it
// writes testdata/objects.zip anew.
func TestObjects(t *testing.T) {
	mc, lld, strip := llvm(t, "llvm-mc"), llvm(t, "ld.lld"), llvm(t, "llvm-strip")
	corpus, err := zip.OpenReader(testdata(t, "isa.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer corpus.Close()
	texts := map[string][]byte{}
	for _, f := range corpus.File {
		if name := strings.TrimPrefix(f.Name, "isa-corpus/"); strings.HasSuffix(name, ".s") || name == "expected.json" {
			texts[name] = unzipped(t, f)
		}
	}
	var expected struct {
		Files map[string]struct {
			Processor string
			Features  []string
			Codes     []string
		}
	}
	if err := json.Unmarshal(texts["expected.json"], &expected); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	linked := map[string][]byte{}
	kernels := 0
	t.Run("corpus", func(t *testing.T) {
		for name, file := range expected.Files {
			if file.Processor == "" || len(file.Codes) > 0 {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				text := texts[name]
				dir := t.TempDir()
				source, object, library := filepath.Join(dir, "k.s"), filepath.Join(dir, "k.o"), filepath.Join(dir, "k.hsaco")
				write(t, source, text)
				features := ""
				for _, f := range file.Features {
					features += "," + f[len(f)-1:] + f[:len(f)-1]
				}
				if out, err := exec.Command(mc, "-triple=amdgcn-amd-amdhsa", "-mcpu="+file.Processor, "-mattr="+strings.TrimPrefix(features, ","),
					"--amdhsa-code-object-version="+codeObject(text, file.Processor), "-filetype=obj", source, "-o", object).CombinedOutput(); err != nil {
					t.Skipf("this LLVM does not assemble it: %s", bytes.SplitN(out, []byte("\n"), 2)[0])
				}
				n := objecttest.Agree(t, text, read(t, object))
				if out, err := exec.Command(lld, "-shared", object, "-o", library).CombinedOutput(); err == nil {
					objecttest.Agree(t, text, read(t, library))
					run(t, exec.Command(strip, "-s", library))
					objecttest.Agree(t, text, read(t, library))
				} else if !bytes.Contains(out, []byte("undefined hidden symbol")) {
					t.Fatalf("%s", out)
				}
				mu.Lock()
				defer mu.Unlock()
				kernels += n
				if _, err := os.Stat(library); err == nil {
					linked[strings.TrimSuffix(name, ".s")+".hsaco"] = withoutCode(t, read(t, library))
				}
			})
		}
	})
	t.Logf("%d kernels", kernels)
	if kernels < 500 {
		t.Errorf("only %d kernels were compared", kernels)
	}
	if *update {
		keep(t, testdata(t, "objects.zip"), linked)
	}
}

// codeObject returns the version of code objects that a text is of.
func codeObject(text []byte, processor string) string {
	switch {
	case strings.HasSuffix(processor, "-generic"):
		return "6"
	case bytes.Contains(text, []byte("amdhsa.version:\n  - 1\n  - 1\n")):
		return "4"
	}
	return "5"
}

// withoutCode returns a code object with zeros for instructions, which nobody reads
// and which make most of an archive.
func withoutCode(t *testing.T, data []byte) []byte {
	t.Helper()
	f, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if text := f.Section(".text"); text != nil {
		clear(data[text.Offset : text.Offset+text.FileSize])
	}
	return data
}

// keep writes an archive of files.
func keep(t *testing.T, path string, files map[string][]byte) {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, flate.BestCompression) })
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		f, err := w.Create(name)
		if err == nil {
			_, err = f.Write(files[name])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, path, b.Bytes())
}

// TestContainers reads what clang's tools bundle, compress and put into a host binary.
func TestContainers(t *testing.T) {
	clang, bundler, packager, objcopy := llvm(t, "clang"), llvm(t, "clang-offload-bundler"), llvm(t, "clang-offload-packager"), llvm(t, "llvm-objcopy")
	dir := t.TempDir()
	var linkable []byte // without the kernel that calls what nobody defines
	for line := range bytes.Lines(read(t, testdata(t, "hip/oracle.cl"))) {
		if !bytes.Contains(line, []byte("ext(")) {
			linkable = append(linkable, line...)
		}
	}
	source, assembly := filepath.Join(dir, "k.cl"), filepath.Join(dir, "k.s")
	write(t, source, linkable)
	targets := []string{"gfx942", "gfx90a:sramecc+:xnack-", "gfx1100"}
	objects := make([]string, len(targets))
	for i, target := range targets {
		args := []string{"-target", "amdgcn-amd-amdhsa", "-mcpu=" + target, "-O2", "-nogpulib", "-w"}
		run(t, exec.Command(clang, append(args, "-x", "cl", "-cl-std=CL2.0", "-S", "-o", assembly, source)...))
		objects[i] = filepath.Join(dir, fmt.Sprintf("%d.hsaco", i))
		run(t, exec.Command(clang, append(args, "-x", "assembler", assembly, "-o", objects[i])...))
	}
	each, exit := isadiff(t, dir, "summarize", objects[0])
	if exit != 0 {
		t.Fatalf("exit %d\n%s", exit, each)
	}
	perTarget := strings.Count(each, "\n::")

	ids := "-targets=host-x86_64-unknown-linux--"
	args := []string{"-type=o", "-bundle-align=4096", "-input=" + os.DevNull}
	var images []string
	for i, target := range targets {
		ids += ",hipv4-amdgcn-amd-amdhsa--" + target
		args = append(args, "-input="+objects[i])
		images = append(images, "--image=file="+objects[i]+",triple=amdgcn-amd-amdhsa,arch="+target+",kind=hip")
	}
	args = append(args, ids)
	path := func(name string) string { return filepath.Join(dir, name) }
	run(t, exec.Command(bundler, append(args, "-output="+path("plain.hipfb"))...))
	for _, version := range []string{"2", "3"} {
		c := exec.Command(bundler, append(args, "-compress", "-output="+path("v"+version+".hipfb"))...)
		c.Env = append(os.Environ(), "COMPRESSED_BUNDLE_FORMAT_VERSION="+version)
		run(t, c)
	}
	run(t, exec.Command(packager, append([]string{"-o", path("offload.bin")}, images...)...))
	write(t, path("h.c"), []byte("int main(void) { return 0; }\n"))
	run(t, exec.Command(clang, "-c", path("h.c"), "-o", path("host.o")))
	run(t, exec.Command(objcopy, "--add-section", ".hip_fatbin="+path("v3.hipfb"), path("host.o"), path("fatbin.so.6.2")))
	run(t, exec.Command(objcopy, "--add-section", ".llvm.offloading="+path("offload.bin"), path("host.o"), path("offload.so")))
	for _, name := range []string{"plain.hipfb", "v2.hipfb", "v3.hipfb", "offload.bin", "fatbin.so.6.2", "offload.so"} {
		out, exit := isadiff(t, dir, "diff", path("plain.hipfb"), path(name))
		if want := fmt.Sprintf("compared %d of %[1]d kernels; %[1]d unchanged;", len(targets)*perTarget); exit != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d, want %q\n%s", name, exit, want, out)
		}
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func unzipped(t *testing.T, f *zip.File) []byte {
	t.Helper()
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestTritonObjects reads a cache of Triton with the assembly, which its code objects
// agree with, and without, where they stand for it under the same keys.
func TestTritonObjects(t *testing.T) {
	p := newTritonProject(t)
	run(t, p.command("gfx942"))
	figures := func(file string) map[string][]string {
		t.Helper()
		if out, exit := isadiff(t, p.root, "summarize", "dumps", "--json", file); exit != 0 {
			t.Fatalf("exit %d\n%s", exit, out)
		}
		var s struct {
			Kernels map[string]struct {
				Metrics map[string]struct{ Value *int64 }
			}
		}
		if err := json.Unmarshal(read(t, filepath.Join(p.root, file)), &s); err != nil {
			t.Fatal(err)
		}
		all := map[string][]string{}
		for key, k := range s.Kernels {
			for _, m := range resource.TriggerKeys() {
				all[key] = append(all[key], fmt.Sprint(m, " ", *k.Metrics[m].Value))
			}
		}
		return all
	}
	want := figures("assembly.json")
	files, err := filepath.Glob(filepath.Join(p.cache, "*", "*.amdgcn"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	got := figures("objects.json")
	if len(got) == 0 || !maps.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Errorf("the code objects have %v, the assembly %v", got, want)
	}
}

// TestLinkedObjects links two objects into one code object, as Tensile does: it has
// the metadata notes of both.
func TestLinkedObjects(t *testing.T) {
	mc, lld := llvm(t, "llvm-mc"), llvm(t, "ld.lld")
	corpus := objecttest.Archive(t, testdata(t, "isa.zip"), "isa-corpus/")
	dir := t.TempDir()
	library := filepath.Join(dir, "k.co")
	args := []string{"-shared", "-o", library}
	kernels := 0
	for _, name := range []string{"mfma", "lds"} {
		source, object := filepath.Join(dir, name+".s"), filepath.Join(dir, name+".o")
		text := corpus["llvm22/gfx942/"+name+".s"]
		write(t, source, text)
		run(t, exec.Command(mc, "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-filetype=obj", source, "-o", object))
		kernels += bytes.Count(text, []byte(".amdhsa_kernel "))
		args = append(args, object)
	}
	run(t, exec.Command(lld, args...))
	out, exit := isadiff(t, dir, "summarize", library, "-q", "--json", "-")
	if n := strings.Count(out, `"target_id": "amdgcn-amd-amdhsa--gfx942"`); exit != 0 || n != kernels || n == 0 {
		t.Errorf("exit %d, %d kernels, want %d", exit, n, kernels)
	}
}
