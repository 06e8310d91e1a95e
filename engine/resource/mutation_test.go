package resource_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"isadiff/engine/isa"
	"isadiff/engine/resource"
)

// mutationFiles are dumps of every shape: one kernel and two, with and without
// debug information, spills, both ways of placing the descriptor.
var mutationFiles = []string{
	"base/gfx950/transpose/transpose_static_0/22_final_isa.s",
	"base/gfx942/column_stats/centre_columns/22_final_isa.s",
	"base/gfx1201/rowwise_softmax/softmax_rows_0/22_final_isa.s",
	"debug/gfx950/transpose/transpose_static_0/23_final_isa.s",
	"tile-up-spills/gfx942/after/window_filter/window_filter_0/22_final_isa.s",
}

// TestMutations damages real dumps in every simple way. A damaged file gives the
// figures of the sound one, or figures that are right for its text as it now
// stands, or a problem.
//
// What cannot be detected in principle is a count that the file states once
// only: its new value is right for the new text. These are the metrics in
// [statedOnce], and the instruction sites, which are what they are counts of.
func TestMutations(t *testing.T) {
	for _, name := range mutationFiles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("../../testdata/dumps", name))
			if err != nil {
				t.Fatal(err)
			}
			m := mutator{t: t, text: text, sound: figures(text)}
			if !m.sound.trusted || len(m.sound.cells) == 0 {
				t.Fatalf("the file is not sound: %v", m.sound.problems)
			}
			m.cuts()
			m.lines()
			m.digits()
			m.splices()
			if m.tried < 1000 || m.refused == 0 {
				t.Errorf("only %d mutants, %d refused", m.tried, m.refused)
			}
			t.Logf("%d mutants: %d with the same figures, %d with others that are right, %d refused", m.tried, m.same, m.tried-m.same-m.refused, m.refused)
		})
	}
}

// statedOnce are the metrics that a file of LLVM 20 or later states in one place
// only.
var statedOnce = map[resource.Metric]string{
	resource.VGPRSpill: ".vgpr_spill_count",
	resource.SGPRSpill: ".sgpr_spill_count",
}

var siteClass = map[resource.Metric]*regexp.Regexp{
	resource.LDSRead:      regexp.MustCompile(`^ds_(read|load)`),
	resource.LDSWrite:     regexp.MustCompile(`^ds_(write|store)`),
	resource.ScratchStore: regexp.MustCompile(`^scratch_store`),
	resource.ScratchLoad:  regexp.MustCompile(`^scratch_load`),
	resource.MatrixOps:    regexp.MustCompile(`^v_(mfma|wmma|smfmac|swmmac)`),
}

// A reading is what the engine makes of a text.
type reading struct {
	trusted  bool
	cells    map[string]resource.Cells
	problems []string
}

func figures(text []byte) reading {
	records, problems := resource.FromFile(isa.Parse(text), "k", "k/22_final_isa.s")
	r := reading{trusted: len(problems) == 0, cells: map[string]resource.Cells{}}
	for _, p := range problems {
		r.problems = append(r.problems, p.Error())
	}
	for _, record := range records {
		r.trusted = r.trusted && record.Trustworthy()
		r.cells[record.Name] = record.Cells
		for _, p := range record.Problems {
			r.problems = append(r.problems, p.Error())
		}
	}
	return r
}

type mutator struct {
	t                    *testing.T
	text                 []byte
	sound                reading
	tried, same, refused int
}

// try judges one mutant.
func (m *mutator) try(what string, mutant []byte) {
	m.tried++
	got := figures(mutant)
	if !got.trusted {
		m.refused++
		if len(got.problems) == 0 {
			m.t.Errorf("%s: not trusted, but no cause is named", what)
		}
		return
	}
	if len(got.cells) != len(m.sound.cells) {
		m.t.Errorf("%s: %d kernels, want %d, and no problem", what, len(got.cells), len(m.sound.cells))
		return
	}
	same := true
	for kernel, want := range m.sound.cells {
		cells, ok := got.cells[kernel]
		if !ok {
			m.t.Errorf("%s: kernel %s is lost without a problem", what, kernel)
			return
		}
		for i, cell := range cells {
			metric := resource.Metric(i)
			if cell.String() == want[i].String() {
				continue
			}
			same = false
			if truth := naive(mutant, kernel, metric); cell.String() != truth {
				m.t.Errorf("%s: %s %v is %s, was %s, and the text says %s", what, kernel, metric, cell, want[i], truth)
			}
		}
	}
	if same {
		m.same++
	}
}

// naive reads a figure off a text in the simplest way, or returns "" for one that
// must not change unnoticed.
func naive(text []byte, kernel string, metric resource.Metric) string {
	lines := strings.Split(string(text), "\n")
	if field, once := statedOnce[metric]; once {
		value := ""
		for i, line := range lines {
			if strings.TrimSpace(line) == ".name:           "+kernel {
				for _, line := range lines[i:] {
					if rest, ok := strings.CutPrefix(strings.TrimSpace(line), field+":"); ok {
						value = strings.TrimSpace(rest)
						break
					}
				}
			}
		}
		return value
	}
	class := siteClass[metric]
	if class == nil {
		return ""
	}
	n, within := 0, false
	for _, line := range lines {
		switch {
		case line == kernel+":":
			within = true
		case strings.HasPrefix(line, ".Lfunc_end"):
			within = false
		case within && class.MatchString(strings.TrimSpace(line)):
			n++
		}
	}
	return strconv.Itoa(n)
}

// cuts ends the file at every byte, or at every few of a long one.
func (m *mutator) cuts() {
	step := 1 + len(m.text)/4000
	for i := 0; i < len(m.text); i += step {
		m.try(fmt.Sprintf("cut at byte %d", i), m.text[:i])
	}
}

// lines deletes, doubles and swaps every line.
func (m *mutator) lines() {
	lines := bytes.SplitAfter(m.text, []byte("\n"))
	step := 1 + len(lines)/1500
	join := func(parts ...[][]byte) []byte {
		var b []byte
		for _, part := range parts {
			b = append(b, bytes.Join(part, nil)...)
		}
		return b
	}
	for i := range lines {
		if i%step != 0 && len(lines)-i > 200 { // all of the metadata
			continue
		}
		at := fmt.Sprintf("line %d (%q)", i+1, lines[i])
		m.try("delete "+at, join(lines[:i], lines[i+1:]))
		m.try("double "+at, join(lines[:i+1], lines[i:]))
		if i+1 < len(lines) {
			m.try("swap "+at, join(lines[:i], [][]byte{lines[i+1], lines[i]}, lines[i+2:]))
		}
	}
}

// digits changes every digit of every count.
func (m *mutator) digits() {
	count := regexp.MustCompile(`(?m)^.*(_count:|_size:|\.set |\.amdhsa_).*$`)
	for _, at := range count.FindAllIndex(m.text, -1) {
		line := m.text[at[0]:at[1]]
		for i, c := range line {
			if c < '0' || c > '9' {
				continue
			}
			for _, d := range "0159" {
				if byte(d) == c {
					continue
				}
				mutant := bytes.Clone(m.text)
				mutant[at[0]+i] = byte(d)
				m.try(fmt.Sprintf("digit %d of %q becomes %c", i, line, d), mutant)
			}
		}
	}
}

// splices joins the beginning of the file with the end of another one.
func (m *mutator) splices() {
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range mutationFiles {
		other, err := os.ReadFile(filepath.Join("../../testdata/dumps", name))
		if err != nil {
			m.t.Fatal(err)
		}
		if len(other) > 100_000 {
			continue
		}
		for range 300 {
			i, j := random.IntN(len(m.text)), random.IntN(len(other))
			mutant := append(bytes.Clone(m.text[:i]), other[j:]...)
			got := figures(mutant)
			m.tried++
			if !got.trusted {
				m.refused++
				continue
			}
			for kernel, cells := range got.cells {
				for metric := range siteClass {
					if cells[metric].State == resource.Known && cells[metric].String() != naive(mutant, kernel, metric) {
						m.t.Errorf("%d bytes and %s from byte %d: %s %v is %s, and the text says %s", i, name, j, kernel, metric, cells[metric], naive(mutant, kernel, metric))
					}
				}
			}
		}
	}
}
