//go:build producers

package realtest

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"isadiff/engine/isa"
	"isadiff/engine/resource"
)

var (
	texts    = flag.Int("texts", 400, "how many texts TestText assembles")
	textSeed = flag.Uint64("text-seed", 1, "the first of their seeds")
)

// TestText makes texts that are hard to read (strings, character constants and
// comments that hold each other, sections, macros, conditionals, data) and holds what
// is counted of each that assembles against the disassembly. A doubt is fine, a wrong
// count is not.
func TestText(t *testing.T) {
	mc, objdump, nm := llvm(t, "llvm-mc"), llvm(t, "llvm-objdump"), llvm(t, "llvm-nm")
	var mu sync.Mutex
	assembled, counted, doubted := 0, 0, 0
	seeds := make(chan uint64)
	var group sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			dir := t.TempDir()
			source, object := filepath.Join(dir, "k.s"), filepath.Join(dir, "k.o")
			for seed := range seeds {
				text := hardText(rand.New(rand.NewPCG(seed, 0)))
				if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
					t.Error(err)
					continue
				}
				// A macro that uses itself may take the assembler ages.
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				err := exec.CommandContext(ctx, mc, "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-filetype=obj", source, "-o", object).Run()
				cancel()
				if err != nil {
					continue
				}
				listing, err := exec.Command(objdump, "-d", "-j", ".text", object).Output()
				symbols, err2 := exec.Command(nm, "-S", object).Output()
				if err != nil || err2 != nil {
					t.Errorf("seed %d: %v, %v", seed, err, err2)
					continue
				}
				want := inSymbols(string(listing), string(symbols))
				records, problems := resource.FromFile(isa.Parse([]byte(text)), "", "k.s")
				mu.Lock()
				assembled++
				if len(problems) > 0 || len(records) != 2 {
					doubted += 2
				} else {
					for _, r := range records {
						counts, placed := want[r.Name]
						if r.Cells[resource.LDSRead].State != resource.Known {
							doubted++
							continue
						}
						counted++
						for m := range siteClasses {
							if got := r.Cells[m]; got.Value != counts[m] || !placed {
								t.Errorf("seed %d: %s: %v is %v, the object has %d:\n%s", seed, r.Name, m, got, counts[m], text)
							}
						}
					}
				}
				mu.Unlock()
			}
		})
	}
	for i := range *texts {
		seeds <- *textSeed + uint64(i)
	}
	close(seeds)
	group.Wait()
	t.Logf("%d of %d texts assemble; %d kernels are counted, %d doubted", assembled, *texts, counted, doubted)
	if assembled < *texts/4 || counted < assembled/2 {
		t.Errorf("too few of them say anything")
	}
}

var addressed = regexp.MustCompile(`^\s+([a-z]\w*).*// ([0-9A-F]{12}):`)

// inSymbols counts the instructions within the extent of each symbol.
func inSymbols(listing, symbols string) map[string]map[resource.Metric]int64 {
	counts := map[string]map[resource.Metric]int64{}
	for line := range strings.Lines(symbols) {
		f := strings.Fields(line)
		if len(f) != 4 {
			continue
		}
		address, _ := strconv.ParseUint(f[0], 16, 64)
		size, _ := strconv.ParseUint(f[1], 16, 64)
		of := map[resource.Metric]int64{}
		counts[f[3]] = of
		for line := range strings.Lines(listing) {
			m := addressed.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			if at, _ := strconv.ParseUint(m[2], 16, 64); at < address || at >= address+size {
				continue
			}
			for metric, class := range siteClasses {
				if class.MatchString(m[1]) {
					of[metric]++
				}
			}
		}
	}
	return counts
}

// instructions are of each class that is counted, and of none.
var instructions = []string{
	"ds_read_b32 v0, v1", "ds_write_b32 v0, v1", "DS_READ_B32 v0, v1", "ds_read2_b64 v[0:3], v1 offset1:4",
	"scratch_load_dword v0, v1, off", "scratch_store_dword v0, v1, off",
	"v_mfma_f32_4x4x1_16b_f32 a[0:3], v0, v1, a[0:3]", "v_mov_b32_e32 v0, v1", "s_nop 0", "s_mov_b32 s0, '\"'", "s_mov_b32 s0, ';'", "s_mov_b32 s0, '/'",
	"\"ds_read_b32\" v0, v1", "s_mov_b32 s0, '\n'", "s_mov_b32 s0, '\\''", "s_mov_b32 s0, '\\\"'", "s_mov_b32 s0, '/'*2", "s_nop '0'/'0'",
}

// scraps are what strings and comments hold.
var scraps = []string{
	"/*", "*/", "//", ";", "#", "'", "'\\''", "\n", "\n\t", "\r\n", " ", "\\\\", "\\n", ".endif", ".endm", "\n.endr\n", "\n.text\n", "\n.Lfunc_end0:\n", "'\"'", "\\\"", "ds_read_b32 v0, v1",
	"\nds_read_b32 v0, v1\n", "\n\tds_write_b32 v0, v1\n", "\n\tscratch_load_dword v0, v1, off\n", "\n.size a, .-a\n", "\n.amdgpu_metadata\n", "\nb:\n", "k: ", "x = 1",
}

func pick(r *rand.Rand, of []string) string { return of[r.IntN(len(of))] }

// scrap returns up to six scraps, without any of the given ones.
func scrap(r *rand.Rand, without ...string) string {
	var b strings.Builder
	for range r.IntN(7) {
		b.WriteString(pick(r, scraps))
	}
	s := b.String()
	for _, w := range without {
		s = strings.ReplaceAll(s, w, "")
	}
	return s
}

// quoted returns a string of the assembler with scraps in it.
func quoted(r *rand.Rand) string {
	s := scrap(r)
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\\\"", "\x01"), "\"", "\\\"")
	return "\"" + strings.ReplaceAll(s, "\x01", "\\\"") + "\""
}

// comment returns a block comment, or one that ends the line.
func comment(r *rand.Rand) string {
	switch r.IntN(4) {
	case 0:
		return "; " + scrap(r, "\n", "\r") + "\n"
	case 1:
		return "// " + scrap(r, "\n", "\r") + "\n"
	default:
		return "/*" + scrap(r, "*/") + "*/"
	}
}

// hardText returns a file with the kernels a and b.
func hardText(r *rand.Rand) string {
	var b strings.Builder
	labels := 0
	number := func() int { labels++; return labels }
	var statement func(depth int) string
	statement = func(depth int) string {
		end := "\n"
		switch r.IntN(8) {
		case 0:
			end = " " + comment(r) + "\n"
		case 1:
			end = ";" + scrap(r, "\n", "\r") + "\n"
		case 2:
			end = "\r\n"
		}
		nested := func() string {
			s := ""
			for range r.IntN(3) {
				s += statement(depth + 1)
			}
			return s
		}
		n := r.IntN(34)
		if depth > 2 || n >= 20 && r.IntN(3) > 0 {
			n %= 20
		}
		switch n {
		case 0, 1, 2, 3, 4, 5:
			return "\t" + pick(r, instructions) + end
		case 6:
			return comment(r) + pick(r, instructions) + end
		case 7:
			return fmt.Sprintf("\t.ident %s%s", quoted(r), end)
		case 8:
			return fmt.Sprintf("\t.set s%d, %s%s", number(), pick(r, []string{"';'", "'\"'", "'/'", "'\n'", "'\\''", "1 /*\n*/ + 2", "'/'*'*'"}), end)
		case 9:
			return fmt.Sprintf("%s %s: %s%s", pick(r, []string{"", " ", "1: ", "'a': ", comment(r)}), pick(r, []string{fmt.Sprintf("l%d", number()), fmt.Sprintf("\"l %d\"", number()), fmt.Sprintf(".L%d", number()), fmt.Sprintf(".hidden%d", number()), "2", "0x3"}), pick(r, instructions), end)
		case 10:
			return fmt.Sprintf("l%d: %s\n", number(), pick(r, []string{"", "# " + scrap(r, "\n", "\r", "\"", "'", "/*"), comment(r)}))
		case 11:
			return "# " + scrap(r, "\n", "\r") + "\n"
		case 12:
			return fmt.Sprintf("s_mov_b32 s0, %s%s", pick(r, []string{"\"sym\nds_read_b32 v0, v1\n\"", "\"s;y\"", "s /* \n */ + 1", "\"a//b\"+1"}), end)
		case 13:
			return strings.Replace(pick(r, instructions), " ", comment(r)[:0]+" /*"+scrap(r, "*/")+"*/ ", 1) + end
		case 14:
			return "\t.pushsection " + pick(r, []string{".foo", ".text", ".text,1", "\".text\"", ".text-x", ".debug_str,\"MS\",@progbits,1"}) + "\n" + pick(r, []string{"", "\t.asciz " + quoted(r) + "\n", "\t.byte '\"'\n"}) + nested() + "\t.popsection" + end
		case 15:
			return "\t.section " + pick(r, []string{".foo", ".text", ".text-x", "\".text\"", ".foo,\"ax\""}) + end + nested() + pick(r, []string{"\t.text\n", "\t.previous\n", "\t.section .text\n"})
		case 16:
			return "\t.p2align " + pick(r, []string{"2", "4", "4,,8", "4, 0xd8", "6, 0", "4, 'x'"}) + end
		case 17:
			return fmt.Sprintf("\t.file %d %s%s", number(), quoted(r), end)
		case 18:
			return "\t.print " + quoted(r) + end
		case 19:
			return fmt.Sprintf("x%d %s= %d%s", number(), pick(r, []string{"", comment(r)}), r.IntN(9), end)
		case 20:
			return "\t.if " + pick(r, []string{"0", "1"}) + end + nested() + pick(r, []string{"", ".else\n" + nested(), "\t.print " + quoted(r) + "\n"}) + ".endif\n"
		case 21:
			return "\t.if 0\n it's " + scrap(r, "/*", "\"") + "\n" + nested() + "\t.endif\n"
		case 22:
			return "\t.rept " + pick(r, []string{"0", "1", "2"}) + "\n" + nested() + "\t.endr\n"
		case 23:
			name := fmt.Sprintf("m%d", number())
			return "\t.macro " + name + "\n" + nested() + pick(r, []string{"", "\t.if 0\n\t.endif\n", "\t.ENDM\n"}) + "\t.endm\n" + pick(r, []string{"", name + "\n", "\t" + name + "\n"})
		case 24:
			return "\t.macro " + pick(r, []string{".p2align x:vararg", "s_nop x", "s_mov_b32 x,y", ".ident x", "V_MOV_B32_E32 x,y"}) + "\n\tds_read_b32 v0, v1\n\t.endm\n" + nested()
		case 25:
			return "\t.subsection " + pick(r, []string{"0", "1"}) + "\n" + nested() + "\t.subsection 0\n"
		case 26:
			return "\t.text 1\n" + nested() + "\t.text\n"
		case 27:
			return pick(r, []string{".byte 0xd8", ".long 0xd86c0000, 1", ".base64 \"AABs2AEAAAA=\"", ".ascii \"\\000\\000l\\330\\001\\000\\000\\000\"", ".string \"ds_read_b32\"", ".fill 2, 4, 0xbf800000", ".skip 4", ".nops 4", ". = . + 4", ".org 64", ".quad 0x1d86c0000", "\".long\" 0xd86c0000, 1", ".Long 0xd86c0000, 1"}) + end
		case 28:
			return ".irpc c, 12\n" + nested() + ".endr\n"
		default:
			return "\t" + pick(r, instructions) + "\n"
		}
	}
	statements := func(n int) {
		for range r.IntN(n) {
			b.WriteString(statement(0))
		}
	}
	b.WriteString("\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\n\t.text\n")
	for i, k := range []string{"a", "b"} {
		statements(3)
		fmt.Fprintf(&b, "\t.text\n\t.globl %s\n\t.p2align 8\n\t.type %s,@function\n%s:\n", k, k, k)
		statements(8)
		b.WriteString("\ts_endpgm\n\t.section .rodata,\"a\",@progbits\n\t.p2align 6, 0x0\n")
		fmt.Fprintf(&b, "\t.amdhsa_kernel %s\n\t\t.amdhsa_group_segment_fixed_size 0\n\t\t.amdhsa_private_segment_fixed_size 0\n\t\t.amdhsa_kernarg_size 8\n\t\t.amdhsa_next_free_vgpr 8\n\t\t.amdhsa_next_free_sgpr 8\n\t\t.amdhsa_accum_offset 8\n\t.end_amdhsa_kernel\n\t.text\n", k)
		fmt.Fprintf(&b, ".Lfunc_end%d:\n\t.size %s, .Lfunc_end%d-%s\n", i, k, i, k)
	}
	statements(2)
	b.WriteString("\t.amdgpu_metadata\n---\namdhsa.kernels:\n")
	for _, k := range []string{"a", "b"} {
		fmt.Fprintf(&b, "  - .group_segment_fixed_size: 0\n    .kernarg_segment_align: 8\n    .kernarg_segment_size: 8\n    .max_flat_workgroup_size: 1024\n    .name: %s\n    .private_segment_fixed_size: 0\n    .sgpr_count: 14\n    .sgpr_spill_count: 0\n    .symbol: %s.kd\n    .vgpr_count: 8\n    .vgpr_spill_count: 0\n    .wavefront_size: 64\n", k, k)
	}
	b.WriteString("amdhsa.target: amdgcn-amd-amdhsa--gfx942\namdhsa.version:\n  - 1\n  - 2\n...\n\n\t.end_amdgpu_metadata\n")
	return b.String()
}
