package dump

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isadiff/engine/problem"
	"isadiff/engine/producer"
)

// Assembly under names that nobody looks for is told with the configuration that
// takes it in, and other files of a known compiler with how to get its assembly.
func TestUnnamed(t *testing.T) {
	const assembly = "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n"
	const host = "\t.text\n\t.file \"k.hip\"\n"
	const value = "add producers.gcnasm = { files = \"*.gcnasm\" } to the configuration"
	for name, c := range map[string]struct {
		files         map[string]string
		own           string // the project's producer
		message, mend string
	}{
		"another compiler's":    {map[string]string{"a/x.gcnasm": assembly, "a/y.gcnasm": assembly, "b/z.gcnasm": assembly}, "", "holds no *final_isa.s, but assembly for AMD GPUs in files *.gcnasm, and the configuration names no compiler for them", value},
		"and the project's":     {map[string]string{"x.gcnasm": assembly}, "triton", "holds no *.amdgcn, but assembly for AMD GPUs in files *.gcnasm,", value},
		"of the device by name": {map[string]string{"k-host.s": host, "k-gfx942.s": assembly}, "", "holds no *final_isa.s, but assembly for AMD GPUs in files *gfx*.s,", "add producers.mine = { files = \"*gfx*.s\" }"},
		"any .s":                {map[string]string{"host.s": host, "k.s": assembly}, "", "holds no *final_isa.s, but assembly for AMD GPUs in files *.s,", "add producers.mine = { files = \"*.s\" }"},
		"a host's":              {map[string]string{"host.s": host}, "", "holds no *final_isa.s", "set FLYDSL_DUMP_IR=1"},
		"no assembly":           {map[string]string{"a.gcnasm": "text", "notes.txt": assembly}, "", "holds no *final_isa.s", "set FLYDSL_DUMP_IR=1"},
		"a compile under way":   {map[string]string{"00_origin.mlir": "", "k.s": assembly}, "", "holds no *final_isa.s", "set FLYDSL_DUMP_IR=1"},
		"Triton's":              {map[string]string{"h/k.ttgir": "", "h/k.llir": ""}, "", "holds no *final_isa.s; it holds other files of Triton", `TRITON_ALWAYS_COMPILE=1, then compile again; the configuration says so with producer = "triton"`},
		"Triton's own":          {map[string]string{"h/k.ttgir": ""}, "triton", "holds no *.amdgcn; it holds other files of Triton", "TRITON_ALWAYS_COMPILE=1, then compile again"},
		"HIP's":                 {map[string]string{"k-hip-amdgcn-amd-amdhsa-gfx942.hipi": ""}, "", "holds no *final_isa.s; it holds other files of HIP", `--save-temps=obj, which keeps the assembly beside the object file; the configuration says so with producer = "hip"`},
		"HIP's with LTO":        {map[string]string{"k-hip-amdgcn-amd-amdhsa-gfx942.bc": ""}, "", "holds no *final_isa.s; it holds other files of HIP", `which keeps no assembly; the configuration says so with producer = "hip"`},
		"HIP's own with LTO":    {map[string]string{"k-hip-amdgcn-amd-amdhsa-gfx942.bc": "", "k-hip-amdgcn-amd-amdhsa-gfx942.out.lto.o": ""}, "hip", "holds no *-hip-amdgcn-amd-amdhsa-*.s; it holds other files of HIP", "compile with --save-temps=obj -fno-offload-lto"},
		"IREE's":                {map[string]string{"module_k_linked_rocm_hsaco_fb.optimized.ll": ""}, "", "holds no *final_isa.s; it holds other files of IREE", `--iree-hal-dump-executable-intermediates-to=DIRECTORY, which keeps the assembly; the configuration says so with producer = "iree"`},
		"code objects":          {map[string]string{"lib/k.hsaco": "", "lib/notes.txt": ""}, "", "holds no *final_isa.s; lib/k.hsaco may hold code objects, and those hold no assembly", "`isadiff summarize` and `isadiff diff` read code objects"},
		"nothing":               {nil, "", "holds no *final_isa.s", "set FLYDSL_DUMP_IR=1"},
	} {
		root := filled(t, c.files)
		side := Read(context.Background(), root, Options{})
		Own(side, producer.Builtin().Named(c.own))
		if len(side.Problems) != 1 {
			t.Fatalf("%s: %+v", name, side.Problems)
		}
		p := side.Problems[0]
		message := strings.TrimPrefix(p.Message, root+" ")
		if p.Code != problem.NoDumpFiles || !strings.HasPrefix(message, c.message) || c.message == "holds no *final_isa.s" && message != c.message || !strings.Contains(p.Mend(), c.mend) || c.own != "" && strings.Contains(p.Mend(), "producer =") {
			t.Errorf("%s: %s, mended by %q", name, message, p.Mend())
		}
	}

	// Beside dumps it is a warning; where its compiler is named, it is read.
	files := map[string]string{"k/22_final_isa.s": kernelText(t), "other/k.gcnasm": kernelText(t)}
	side := Read(context.Background(), filled(t, files), Options{})
	if len(side.Problems) > 0 || len(side.Records) != 1 || len(side.Warnings) != 1 || !strings.Contains(side.Warnings[0], "assembly for AMD GPUs in files *.gcnasm, and the configuration names no compiler for them, so they are not read; "+value) {
		t.Errorf("beside dumps: %d kernels, %q, %q", len(side.Records), side.Problems, side.Warnings)
	}
	mine, err := producer.Custom("gcnasm", "*.gcnasm", nil)
	if err != nil {
		t.Fatal(err)
	}
	side = Read(context.Background(), filled(t, files), Options{Producers: producer.Builtin().With(mine)})
	if len(side.Problems) > 0 || len(side.Records) != 2 || len(side.Warnings) > 0 {
		t.Errorf("named: %d kernels, %q, %q", len(side.Records), side.Problems, side.Warnings)
	}
}

func filled(t *testing.T, files map[string]string) string {
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func kernelText(t *testing.T) string {
	text, err := os.ReadFile("../../testdata/computed/dumps/sq_w2/22_final_isa.s")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
