package why

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"isadiff/engine/pressure"
)

// originals are real files that are edited: of FlyDSL with and without debug
// locations, Triton and HIP.
func originals(t testing.TB) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, pattern := range []string{
		"dumps/tile-up-spills*/*/after/*/*/*.s", "dumps/debug/gfx950/*/*/*.s", "dumps/double-buffer/gfx1250/after/*/*/*.s",
		"triton/after/*/*.amdgcn", "hip/after/*.s",
	} {
		names, err := filepath.Glob(filepath.Join("..", "..", "testdata", filepath.FromSlash(pattern)))
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[filepath.ToSlash(name)] = string(data)
		}
	}
	return files
}

// each calls see for every kernel of the originals.
func each(t *testing.T, see func(t *testing.T, text, kernel string)) {
	files := originals(t)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for _, kernel := range pressure.Index([]byte(files[name])).Kernels() {
			t.Run(filepath.Base(filepath.Dir(name))+"/"+kernel, func(t *testing.T) { see(t, files[name], kernel) })
		}
	}
}

func judged(t *testing.T, before, after, kernel string) *Comparison {
	t.Helper()
	c := compare([]byte(before), []byte(after), kernel)
	judge(t, pairOf{"edited", kernel, []byte(before), []byte(after)}, c)
	return c
}

func TestItself(t *testing.T) {
	each(t, func(t *testing.T, text, kernel string) {
		c := judged(t, text, text, kernel)
		if !c.Counts.Equal() || c.Counts.Same == 0 {
			t.Errorf("%+v", c.Counts)
		}
		for _, l := range c.Lines {
			if l.Source != l.Was || l.Instructions.Before != l.Instructions.After || l.Live.Before != l.Live.After {
				t.Errorf("%+v", l)
			}
		}
		for _, l := range c.Loops {
			if l.Gone || l.New || l.Label != l.Was || l.Instructions.Before != l.Instructions.After {
				t.Errorf("%+v", l)
			}
		}
	})
}

var registerNumbers = regexp.MustCompile(`\b(v|s|a)(\[)?(\d+)(?::(\d+)\])?(\])?`)

// Registers that are numbered anew, and labels, change no more than that.
func TestPermuted(t *testing.T) {
	labels := regexp.MustCompile(`\.LBB(\d+)_(\d+)`)
	shift := func(text string, by int) string {
		n, _ := strconv.Atoi(text)
		return strconv.Itoa((n + by) % 1000)
	}
	each(t, func(t *testing.T, text, kernel string) {
		lines := strings.SplitAfter(text, "\n")
		with := 0
		for _, l := range read([]byte(text), kernel) {
			s := lines[l.n-1]
			named := registerNumbers.ReplaceAllStringFunc(s, func(r string) string {
				m := registerNumbers.FindStringSubmatch(r)
				if m[4] != "" {
					return m[1] + "[" + shift(m[3], 9) + ":" + shift(m[4], 9) + "]"
				}
				return m[1] + m[2] + shift(m[3], 9) + m[5]
			})
			if named != s {
				with++
			}
			lines[l.n-1] = named
		}
		after := labels.ReplaceAllStringFunc(strings.Join(lines, ""), func(l string) string {
			m := labels.FindStringSubmatch(l)
			return ".LBB" + m[1] + "_" + shift(m[2], 41)
		})
		c := judged(t, text, after, kernel)
		if n := c.Counts; n.Same+n.Renamed != n.Before || n.Before != n.After || n.Renamed != with {
			t.Errorf("%d have registers: %+v", with, n)
		}
		if len(c.Lines) == 0 {
			t.Error("no lines")
		}
		for _, l := range c.Lines {
			if l.Source != l.Was {
				t.Errorf("%+v", l)
			}
		}
	})
}

// Every .loc seven lines further down: the same lines, seven earlier before.
func TestLinesMoved(t *testing.T) {
	locs := regexp.MustCompile(`(?m)^(\s*\.loc\s+\d+ )([1-9]\d*) `)
	located := 0
	each(t, func(t *testing.T, text, kernel string) {
		after := locs.ReplaceAllStringFunc(text, func(s string) string {
			m := locs.FindStringSubmatch(s)
			n, _ := strconv.Atoi(m[2])
			return fmt.Sprintf("%s%d ", m[1], n+7)
		})
		c := judged(t, text, after, kernel)
		if !c.Counts.Equal() {
			t.Errorf("%+v", c.Counts)
		}
		for _, l := range c.Lines {
			if l.Source.Line == 0 && l.Was.Line == 0 {
				continue
			}
			located++
			if l.Was.Line != l.Source.Line-7 || l.Was.File != l.Source.File || l.Instructions.Before != l.Instructions.After || l.Live.Before != l.Live.After {
				t.Errorf("%+v", l)
			}
		}
	})
	if located < 50 {
		t.Errorf("only %d lines", located)
	}
}

// Instructions that no other resembles are inserted, deleted, edited and moved, and
// are found out exactly.
func TestEdited(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	trials := 0
	each(t, func(t *testing.T, text, kernel string) {
		for range 4 {
			edited, want := edit(random, text, kernel)
			if len(want) < 3 {
				return
			}
			trials++
			c := judged(t, text, edited, kernel)
			var got []string
			for _, s := range c.Steps {
				if s.Op != Same {
					got = append(got, c.describe(s))
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("%q\nwant %q", got, want)
			}
		}
	})
	if trials < 50 {
		t.Errorf("only %d trials", trials)
	}
}

func (c *Comparison) describe(s Step) string {
	text := string(s.Op)
	if s.Before >= 0 {
		text += fmt.Sprintf(" %d", c.Before.Body[s.Before].Line)
	}
	if s.After >= 0 {
		text += fmt.Sprintf(" -> %d", c.After.Body[s.After].Line)
	}
	return text
}

// edit changes a kernel in a few places that are apart, and says what that makes.
func edit(random *rand.Rand, text, kernel string) (edited string, want []string) {
	body := read([]byte(text), kernel)
	times := map[string]int{}
	for _, l := range body {
		times[l.mask]++
	}
	type change struct{ at, to int } // lines before; to is where it goes
	kinds := map[int]func(at int) []string{}
	var moved *change
	lines := strings.Split(text, "\n")
	type note struct {
		op     string
		before int
		mark   string
	}
	var notes []note
	last := -10
	order := []string{"insert", "delete", "edit", "move"}
	for i := 2; i < len(body)-2; i++ {
		if i-last < 6 || random.IntN(4) > 0 {
			continue
		}
		l := body[i]
		mark := fmt.Sprintf("0x%x", 0x7ab0000+len(notes))
		op := order[random.IntN(len(order))]
		if op != "insert" && times[l.mask] > 1 {
			continue
		}
		switch op {
		case "insert":
			kinds[l.n] = func(at int) []string { return []string{lines[at-1], "\tv_xor_b32_e32 v1, " + mark + ", v2"} }
			notes = append(notes, note{"added", 0, mark})
		case "delete":
			if strings.HasPrefix(l.mnemonic, "s_endpgm") {
				continue
			}
			kinds[l.n] = func(int) []string { return nil }
			notes = append(notes, note{"removed", l.n, ""})
		case "edit":
			kinds[l.n] = func(int) []string { return []string{"\t" + l.mnemonic + " v1, " + mark} }
			notes = append(notes, note{"changed", l.n, mark})
		case "move":
			if moved != nil || i+6 >= len(body)-2 {
				continue
			}
			moved = &change{l.n, body[i+5].n}
			kinds[l.n] = func(int) []string { return nil }
			kinds[body[i+5].n] = func(at int) []string { return []string{lines[at-1], lines[l.n-1] + "; moved"} }
			notes = append(notes, note{"moved", l.n, "; moved"})
			i += 5
		}
		last = i
	}
	var out []string
	for i, line := range lines {
		if f := kinds[i+1]; f != nil {
			out = append(out, f(i+1)...)
		} else {
			out = append(out, line)
		}
	}
	for _, n := range notes {
		text := n.op
		if n.before > 0 {
			text += fmt.Sprintf(" %d", n.before)
		}
		if n.mark != "" {
			text += fmt.Sprintf(" -> %d", 1+slices.IndexFunc(out, func(s string) bool { return strings.Contains(s, n.mark) }))
		}
		want = append(want, text)
	}
	return strings.Join(out, "\n"), want
}

// A body that `where` refuses has its steps all the same, and tells what it lacks.
func TestRefused(t *testing.T) {
	tests := []struct{ name, old, now, uncounted, refused string }{
		{"a jump to registers", "\ts_endpgm", "\ts_setpc_b64 s[0:1]\n\ts_endpgm", "a jump to an address", ""},
		{"a macro", "\t.text\n", "\t.macro twice\n\t.endm\n\t.text\n", "the file defines macros", "the file defines macros"},
		{"an unknown instruction", "\ts_endpgm", "\tfoo_bar v1\n\ts_endpgm", "an instruction that is not known", "an instruction that is not known"},
		{"a repetition", "\ts_endpgm", "\t.rept 3\n\ts_endpgm\n\t.endr", "the directive .rept", "the directive .rept"},
	}
	each(t, func(t *testing.T, text, kernel string) {
		for _, test := range tests {
			after := strings.Replace(text, test.old, test.now, -1)
			c := judged(t, text, after, kernel)
			if len(c.Steps) == 0 || c.Counts.Same != c.Counts.Before {
				t.Errorf("%s: %+v", test.name, c.Counts)
			}
			if !strings.HasPrefix(c.After.VGPR.Refused, test.uncounted) || !strings.HasPrefix(c.After.Refused, test.refused) {
				t.Errorf("%s: %q, %q", test.name, c.After.VGPR.Refused, c.After.Refused)
			}
			if c = judged(t, after, after, kernel); !c.Counts.Equal() {
				t.Errorf("%s: %+v", test.name, c.Counts)
			}
		}
	})
}
