package pressure

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A vector is a kernel with the peaks that LLVM's code after the last pass has,
// or that were counted by hand.
type vector struct {
	File, Kernel, Target string
	Instructions, Blocks int
	VGPR, AGPR, SGPR     vectorPeak
	Before               []int `json:"vgprs_before"`
	Exact                bool
}

type vectorPeak struct {
	Peak, Index, Line int
	SourceLine        int         `json:"source_line"`
	FromText          *vectorPeak `json:"from_text"` // what the text must give where it cannot know
}

func TestVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/vectors/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors) < 40 {
		t.Fatalf("only %d vectors", len(vectors))
	}
	for _, v := range vectors {
		t.Run(v.File+"/"+v.Kernel, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata/vectors", v.File))
			if err != nil {
				t.Fatal(err)
			}
			a := Index(text).Analyze(v.Kernel)
			if a.Instructions != v.Instructions || a.Blocks != v.Blocks {
				t.Errorf("%d instructions in %d blocks, want %d in %d (%s)", a.Instructions, a.Blocks, v.Instructions, v.Blocks, a.Refused)
			}
			checkPeak(t, "vgpr", a.VGPR, v.VGPR)
			checkPeak(t, "agpr", a.AGPR, v.AGPR)
			checkPeak(t, "sgpr", a.SGPR, v.SGPR)
			if v.Before != nil && !slices.Equal(a.before, v.Before) {
				t.Errorf("live VGPRs before each instruction:\n got %v\nwant %v", a.before, v.Before)
			}
		})
	}
}

func checkPeak(t *testing.T, name string, got Peak, want vectorPeak) {
	t.Helper()
	if want.FromText != nil {
		sourceLine := want.SourceLine
		want = *want.FromText
		if want.SourceLine == 0 {
			want.SourceLine = sourceLine
			got.Source.Line = sourceLine
		}
	}
	if got.Refused != "" {
		t.Errorf("%s is refused: %s", name, got.Refused)
		return
	}
	if want.Peak == 0 {
		want.Index = -1
	}
	if got.Peak != want.Peak || got.Index != want.Index || got.Line != want.Line || got.Source.Line != want.SourceLine {
		t.Errorf("%s: %d at index %d, line %d, source line %d; want %d at %d, %d, %d", name,
			got.Peak, got.Index, got.Line, got.Source.Line, want.Peak, want.Index, want.Line, want.SourceLine)
	}
}

// TestOperands checks which registers each instruction writes and reads against
// LLVM's instruction tables.
func TestOperands(t *testing.T) {
	data, err := os.ReadFile("testdata/vectors/operands.tsv")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for n, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
		f := strings.Split(line, "\t")
		if strings.HasPrefix(line, "#") || len(f) < 4 {
			continue
		}
		checked++
		writes, reads, fault := effectOf(f[1])
		if want := expandAll(t, f[2]); fault != "" || !slices.Equal(writes, want) {
			t.Errorf("operands.tsv:%d: %s writes %v, want %v %s", n+1, f[1], writes, want, fault)
		}
		if want := expandAll(t, f[3]); !slices.Equal(reads, want) {
			t.Errorf("operands.tsv:%d: %s reads %v, want %v", n+1, f[1], reads, want)
		}
	}
	if checked < 2800 {
		t.Errorf("only %d instructions were checked", checked)
	}
}

// effectOf returns the halves of registers that one instruction writes and reads.
func effectOf(text string) (writes, reads []string, fault string) {
	d := decoder{file: Index(nil), text: true, roles: map[string]*role{}, known: map[SourceLine]int32{}, code: code{sources: []SourceLine{{}}}}
	d.statement([]byte("\t"+text), 1)
	if len(d.instructions) != 1 {
		return nil, nil, "no instruction: " + d.fault
	}
	w, r := d.access(0)
	return expand(w), expand(r), d.operands.fault
}

func expand(spans []span) []string {
	var all []string
	for _, s := range spans {
		for n := range int(s.count) {
			name := string("vas"[s.file]) + strconv.Itoa(int(s.first)+n)
			if s.file != vgpr {
				all = append(all, name)
				continue
			}
			if s.half&low != 0 {
				all = append(all, name+".l")
			}
			if s.half&high != 0 {
				all = append(all, name+".h")
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var listed = regexp.MustCompile(`^([vas])(?:\[(\d+):(\d+)\]|(\d+)(?:\.([lh]))?)$`)

func expandAll(t *testing.T, list string) []string {
	t.Helper()
	var spans []span
	for word := range strings.FieldsSeq(list) {
		if word == "-" {
			continue
		}
		m := listed.FindStringSubmatch(word)
		if m == nil {
			t.Fatalf("%q is no register", word)
		}
		s := span{file: uint8(strings.Index("vas", m[1])), half: both, count: 1}
		first, last := m[4], m[4]
		if m[2] != "" {
			first, last = m[2], m[3]
		}
		lo, _ := strconv.Atoi(first)
		hi, _ := strconv.Atoi(last)
		s.first, s.count = uint16(lo), uint16(hi-lo+1)
		switch m[5] {
		case "l":
			s.half = low
		case "h":
			s.half = high
		}
		spans = append(spans, s)
	}
	return expand(spans)
}
