//go:build producers

package realtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"isadiff/engine/isa"
	"isadiff/engine/resource"
)

// processors are those that are asked, most of them in no other test data.
var processors = strings.Fields(`
	gfx900 gfx902 gfx906 gfx909 gfx90c gfx9-generic gfx90a gfx942 gfx9-4-generic gfx950
	gfx1010 gfx1012 gfx1013 gfx10-1-generic gfx1030 gfx1031 gfx1036 gfx10-3-generic
	gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1152 gfx1153 gfx11-generic
	gfx1200 gfx1201 gfx12-generic gfx1250 gfx1251`)

// A variant is a target's features and the compiler's options.
type variant struct {
	features string
	options  []string
}

var variants = []variant{
	{"", []string{"-O2"}},
	{"", []string{"-O0"}},
	{"", []string{"-O2", "-g", "-fno-verbose-asm"}},
	{":xnack+", []string{"-O2"}},
	{":sramecc+:xnack-", []string{"-O2"}},
}

// TestOracle holds every count against the assembled object: the sites against its
// disassembly, the rest against its notes.
func TestOracle(t *testing.T) {
	clang, objdump, readobj := llvm(t, "clang"), llvm(t, "llvm-objdump"), llvm(t, "llvm-readobj")
	source := testdata(t, "hip/oracle.cl")
	var cells, files atomic.Int64
	t.Run("processors", func(t *testing.T) {
		for _, processor := range processors {
			t.Run(processor, func(t *testing.T) {
				t.Parallel()
				for i, v := range variants {
					assembly := filepath.Join(t.TempDir(), strconv.Itoa(i)+".s")
					target := []string{"-target", "amdgcn-amd-amdhsa", "-mcpu=" + processor + v.features}
					args := append(append(target, v.options...), "-x", "cl", "-cl-std=CL2.0", "-nogpulib", "-w", "-S", "-o", assembly, source)
					if out, err := exec.Command(clang, args...).CombinedOutput(); err != nil {
						if v.features == "" && !strings.Contains(string(out), "unknown target CPU") && !strings.Contains(string(out), "unsupported") {
							t.Errorf("%s: %s", strings.Join(args, " "), out)
						}
						continue // this LLVM does not know the processor, or the processor not the feature
					}
					object := strings.TrimSuffix(assembly, ".s") + ".o"
					run(t, exec.Command(clang, append(target, "-c", "-x", "assembler", assembly, "-o", object)...))
					sites := disassembled(run(t, exec.Command(objdump, "-d", "--mcpu="+processor, object)))
					notes := noted(run(t, exec.Command(readobj, "--notes", object)))
					files.Add(1)
					cells.Add(compare(t, assembly, processor+v.features+strings.Join(v.options, ""), sites, notes))
				}
			})
		}
	})
	t.Logf("%d cells of %d files", cells.Load(), files.Load())
	if files.Load() < 50 || cells.Load() < 50*9*10 {
		t.Errorf("only %d cells of %d files were compared", cells.Load(), files.Load())
	}
}

// compare holds an assembly file against its object and returns how many cells it
// compared.
func compare(t *testing.T, assembly, where string, sites map[string]map[resource.Metric]int64, notes map[string]map[string]int64) (n int64) {
	t.Helper()
	text, err := os.ReadFile(assembly)
	if err != nil {
		t.Fatal(err)
	}
	records, problems := resource.FromFile(isa.Parse(text), "", "k.s")
	for _, p := range problems {
		t.Errorf("%s: %v", where, p)
	}
	if len(records) != len(notes) || len(records) == 0 {
		t.Errorf("%s: %d kernels, the object has %d", where, len(records), len(notes))
	}
	for _, r := range records {
		for _, p := range r.Problems {
			t.Errorf("%s: %v", where, p)
		}
		for m := range resource.Metric(resource.NumMetrics) {
			cell := r.Cells[m]
			want, known := int64(0), false
			if field, ok := noteFields[m]; ok {
				want, known = notes[r.Name][field]
			} else if _, ok := siteClasses[m]; ok {
				want, known = sites[r.Name][m], sites[r.Name] != nil
			}
			switch {
			case !known || cell.State == resource.NotApplicable:
			case cell.State != resource.Known || cell.Value != want:
				t.Errorf("%s: %s: %v is %v (%s), the object has %d", where, r.Name, m, cell, cell.Reason, want)
			default:
				n++
			}
		}
	}
	return n
}

// noteFields are the fields of the object's notes that are metrics.
var noteFields = map[resource.Metric]string{
	resource.VGPR: ".vgpr_count", resource.SGPR: ".sgpr_count", resource.AGPR: ".agpr_count",
	resource.VGPRSpill: ".vgpr_spill_count", resource.SGPRSpill: ".sgpr_spill_count",
	resource.ScratchBytes: ".private_segment_fixed_size", resource.LDSStaticBytes: ".group_segment_fixed_size",
}

// siteClasses are the instructions that are counted, by their names.
var siteClasses = map[resource.Metric]*regexp.Regexp{
	resource.LDSRead:      regexp.MustCompile(`^ds_(read|load)`),
	resource.LDSWrite:     regexp.MustCompile(`^ds_(write|store)(_|\d|$)`),
	resource.ScratchStore: regexp.MustCompile(`^scratch_store`),
	resource.ScratchLoad:  regexp.MustCompile(`^scratch_load`),
	resource.MatrixOps:    regexp.MustCompile(`^v_(mfma|wmma|smfmac|swmmac)`),
}

var (
	functionLine    = regexp.MustCompile(`^[0-9a-f]+ <(.*)>:$`)
	instructionLine = regexp.MustCompile(`^\s+([a-z]\w*)`)
	noteField       = regexp.MustCompile(`^\s+(?:- )?(\.\w+):\s+(\S+)$`)
)

// disassembled counts the instructions of each function.
func disassembled(text string) map[string]map[resource.Metric]int64 {
	counts := map[string]map[resource.Metric]int64{}
	var current map[resource.Metric]int64
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if m := functionLine.FindStringSubmatch(line); m != nil {
			current = map[resource.Metric]int64{}
			counts[m[1]] = current
		} else if m := instructionLine.FindStringSubmatch(line); m != nil && current != nil {
			for metric, class := range siteClasses {
				if class.MatchString(m[1]) {
					current[metric]++
				}
			}
		}
	}
	return counts
}

// noted returns the numbers of each kernel in the notes of an object.
func noted(text string) map[string]map[string]int64 {
	kernels := map[string]map[string]int64{}
	for _, entry := range strings.Split(text, "\n  - ")[1:] {
		fields, name := map[string]int64{}, ""
		for line := range strings.Lines("    " + entry) {
			m := noteField.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
			if m == nil {
				continue
			}
			if m[1] == ".symbol" {
				name = strings.TrimSuffix(strings.Trim(m[2], `'"`), ".kd")
			}
			if n, err := strconv.ParseInt(m[2], 10, 64); err == nil {
				fields[m[1]] = n
			}
		}
		if name != "" {
			kernels[name] = fields
		}
	}
	return kernels
}
