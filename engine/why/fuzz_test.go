package why

import (
	"slices"
	"testing"

	"isadiff/engine/pressure"
)

// FuzzCompare checks that no two texts make a comparison crash, that every
// instruction stands in one step, and that a text has nothing new beside itself.
func FuzzCompare(f *testing.F) {
	for _, text := range originals(f) {
		if len(text) < 20_000 {
			f.Add([]byte(text), []byte(text[:len(text)/2]))
		}
	}
	head := "\t.text\n\t.type\tk,@function\nk:\n"
	f.Add([]byte(head+"v_mov_b32 v[1:\ns_branch 1f\n1:\nfoo \"v1\n.Lfunc_end0:\n"), []byte(head+"v_dual_mov_b32 v0, v1 :: \n.macro x\n"))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		old, now := pressure.Index(before), pressure.Index(after)
		for _, kernel := range append([]string{"k"}, now.Kernels()...) {
			b, a := old.List(kernel), now.List(kernel)
			c := Compare(b, a)
			seenBefore, seenAfter := make([]bool, len(b.Body)), make([]bool, len(a.Body))
			for _, s := range c.Steps {
				if s.Before >= 0 {
					if seenBefore[s.Before] {
						t.Fatalf("%+v: again", s)
					}
					seenBefore[s.Before] = true
				}
				if s.After >= 0 {
					if seenAfter[s.After] {
						t.Fatalf("%+v: again", s)
					}
					seenAfter[s.After] = true
				}
			}
			n := c.Counts
			if pairs := n.Same + n.Renamed + n.Changed + n.Moved; pairs+n.Removed != len(b.Body) || pairs+n.Added != len(a.Body) {
				t.Fatalf("%+v of %d and %d instructions", n, len(b.Body), len(a.Body))
			}
			beside, now := c.Texts()
			if len(beside) != len(b.Body)+len(b.Labels) || len(now) != len(a.Body)+len(a.Labels) {
				t.Fatalf("%d and %d lines of %d and %d instructions", len(beside), len(now), len(b.Body), len(a.Body))
			}
			if before, after := Compare(a, a).Texts(); !slices.Equal(before, after) {
				t.Fatal("a text differs from itself")
			}
			if n := Compare(a, a).Counts; !n.Equal() {
				t.Fatalf("%+v", n)
			}
		}
	})
}
