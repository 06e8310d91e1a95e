package why

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/pressure"
)

// A longest common subsequence is as long as the textbook's.
func TestLongest(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		symbols := 1 + random.IntN(12)
		a, b := make([]int32, random.IntN(300)), make([]int32, random.IntN(300))
		for i := range a {
			a[i] = int32(random.IntN(symbols))
		}
		for j := range b {
			b[j] = int32(random.IntN(symbols))
		}
		m := newMatcher(symbols)
		for name, solve := range map[string]func(found func(i, j int)){
			"pair":  func(found func(i, j int)) { m.pair(a, b, found) },
			"split": func(found func(i, j int)) { m.split(a, b, 0, 0, found) },
			"cut": func(found func(i, j int)) {
				i := len(a) / 2
				j := m.middle(a, b, i)
				m.solve(a[:i], b[:j], 0, 0, found)
				m.solve(a[i:], b[j:], i, j, found)
			},
		} {
			partner, n := none(len(a)), 0
			solve(func(i, j int) {
				if a[i] != b[j] || partner[i] >= 0 {
					t.Fatalf("%s: %d and %d", name, i, j)
				}
				partner[i], n = int32(j), n+1
			})
			last := int32(-1)
			for _, j := range partner {
				if j >= 0 && j <= last {
					t.Fatalf("%s: out of order", name)
				}
				last = max(last, j)
			}
			if want := longest(a, b); name != "split" && n != want || n > want {
				t.Fatalf("%s: %d pairs, want %d", name, n, want)
			}
		}
	}
}

func longest(a, b []int32) int {
	row := make([]int, len(b)+1)
	for _, s := range a {
		corner := 0
		for j, other := range b {
			above := row[j+1]
			if s == other {
				row[j+1] = corner + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			corner = above
		}
	}
	return row[len(b)]
}

// Of the places of a run, that counts at which most pairs have the same text.
func TestPairLines(t *testing.T) {
	for _, test := range []struct {
		before, after string
		want          []int
	}{
		{"", "", []int{0}},
		{"a b c", "a b c", []int{0, 1, 2}},
		{"a b c", "x a b y c", []int{1, 2, 4}},
		{"a b c", "a c", []int{0, -1, 1}},
		{"a b c", "a B c", []int{0, -1, 2}},
		{"a b c", "c", []int{-1, -1, 0}},
		{"a b", "x", []int{-1, -1}},
	} {
		if got := PairLines(strings.Split(test.before, " "), strings.Split(test.after, " ")); !slices.Equal(got, test.want) {
			t.Errorf("%q, %q: %v, want %v", test.before, test.after, got, test.want)
		}
	}
}

func TestSlide(t *testing.T) {
	body := func(code string) []byte {
		return []byte("\t.amdgcn_target \"amdgcn-amd-amdhsa-unknown-gfx942\"\n\t.text\n\t.type\tk,@function\nk:\n" + code + "\ts_endpgm\n.Lfunc_end0:\n\t.size\tk, .Lfunc_end0-k\n\t.amdhsa_kernel k\n\t.end_amdhsa_kernel\n")
	}
	code := func(numbers ...int) (s string) {
		for _, n := range numbers {
			s += fmt.Sprintf("\tv_mov_b32_e32 v%d, 0\n", n)
		}
		return s
	}
	tests := []struct{ before, after []int }{
		{[]int{1, 2, 3, 4}, []int{1, 3, 4}},
		{[]int{1, 2, 3, 4}, []int{1, 2, 4}},
		{[]int{1, 2, 3, 4}, []int{2, 3, 4}},
		{[]int{1, 2, 4}, []int{1, 2, 3, 4}},
		{[]int{1, 2, 3, 4, 5, 6}, []int{1, 2, 5, 6}},
	}
	for _, test := range tests {
		c := compare(body(code(test.before...)), body(code(test.after...)), "k")
		if want := 1 + min(len(test.before), len(test.after)); c.Counts.Same != want {
			t.Errorf("%v, %v: %+v, want %d the same", test.before, test.after, c.Counts, want)
		}
	}
}

// large returns a kernel of some 25,000 instructions in 1.5 MB, and the same with
// other registers, a thousand instructions more and a hundred elsewhere.
func large(tb testing.TB) (before, after []byte) {
	tb.Helper()
	data, err := os.ReadFile("../../testdata/dumps/tile-up-spills/gfx942/after/window_filter/window_filter_0/22_final_isa.s")
	if err != nil {
		tb.Fatal(err)
	}
	start, end := bytes.Index(data, []byte("\ts_load_dword")), bytes.Index(data, []byte("\ts_endpgm"))
	var lines [][]byte
	for line := range bytes.Lines(data[start:end]) {
		if line[0] == '\t' && line[1] != '.' && !bytes.Contains(line, []byte("branch")) {
			lines = append(lines, line)
		}
	}
	head := "\t.file\t1 \"kernel.py\"\n\t.amdgcn_target \"amdgcn-amd-amdhsa-unknown-gfx942\"\n\t.text\n\t.type\tk,@function\nk:\n"
	tail := "\ts_endpgm\n.Lfunc_end0:\n\t.size\tk, .Lfunc_end0-k\n\t.amdhsa_kernel k\n\t\t.amdhsa_user_sgpr_count 8\n\t.end_amdhsa_kernel\n"
	random := rand.New(rand.NewPCG(5, 6))
	before, after = []byte(head), []byte(head)
	var held []byte
	for n := 0; n < 25_000; n++ {
		if n%3 == 0 {
			at := n % 300
			before = fmt.Appendf(before, "\t.loc\t1 %d 13                         ; kernel.py:%d:13\n", at+20, at+20)
			after = fmt.Appendf(after, "\t.loc\t1 %d 13                         ; kernel.py:%d:13\n", at+27, at+27)
		}
		line := lines[n%len(lines)]
		before = append(before, line...)
		if random.IntN(25) == 0 {
			after = append(after, fmt.Sprintf("\tscratch_store_dword off, v%d, off offset:%d\n", random.IntN(250), 4*random.IntN(100))...)
		}
		if random.IntN(250) == 0 {
			held = line
			continue
		}
		after = append(append(after, vectors.ReplaceAllFunc(line, exchanged)...), held...)
		held = nil
	}
	return append(before, tail...), append(after, tail...)
}

var vectors = regexp.MustCompile(`\bv[1-4]\d\b`)

// exchanged swaps v10 to v29 with v30 to v49, one with another.
func exchanged(register []byte) []byte {
	return []byte{'v', '5' - (register[1] - '0'), register[2]}
}

func BenchmarkCompare25k(b *testing.B) {
	before, after := large(b)
	b.ReportAllocs()
	b.SetBytes(int64(len(before) + len(after)))
	for b.Loop() {
		if c := compare(before, after, "k"); c.Counts.Before < 25_000 {
			b.Fatal(c.Counts)
		}
	}
}

// Two files that have nothing in common but their mnemonics.
func BenchmarkCompareUnlike25k(b *testing.B) {
	before, after := large(b)
	after = bytes.ReplaceAll(after, []byte(", "), []byte(", 0x77, "))
	b.ReportAllocs()
	for b.Loop() {
		compare(before, after, "k")
	}
}

func BenchmarkPair25k(b *testing.B) {
	before, after := large(b)
	old, now := pressure.Index(before).List("k"), pressure.Index(after).List("k")
	b.ReportAllocs()
	for b.Loop() {
		Compare(old, now)
	}
}
