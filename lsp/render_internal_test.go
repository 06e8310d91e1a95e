package lsp

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"isadiff/engine/live"
	"isadiff/engine/project"
	"isadiff/engine/report"
)

// A kernel of the same name from another source is a finding, whatever else there is
// to say of it.
func TestOtherSourceIsFound(t *testing.T) {
	root := t.TempDir()
	state := manyKernels(root, 2, 1)
	v := viewOf(t, testServer(t, io.Discard), root, state)
	for i, codes := range []string{"regression overwritten", "overwritten"} {
		k := *state.Kernels[i]
		k.Instead = "kernels/other.py"
		if !noteworthy(&k) {
			t.Errorf("%s is not noteworthy", k.Key)
		}
		var got []string
		for _, f := range findings(v.folders[0].config, []*live.Kernel{&k}) {
			got = append(got, f.Code)
			if f.Code == codeOverwritten && (f.Severity != project.Warning || !strings.Contains(f.Message, "kernels/other.py")) {
				t.Errorf("%+v", f)
			}
		}
		if strings.Join(got, " ") != codes {
			t.Errorf("%s: findings %q, want %q", k.Key, got, codes)
		}
	}
}

// oneDefinition makes a state whose n kernels are all of one definition.
func oneDefinition(root string, n, worse int) (*live.State, []*live.Kernel) {
	state := manyKernels(root, n, worse)
	path := filepath.Join(root, "module_00001.py")
	src := *state.Sources[path]
	src.Definitions = []live.Defined{{Definition: src.Definitions[0].Definition, Kernels: state.Kernels}}
	state.Sources = map[string]*live.Source{path: &src}
	return state, state.Kernels
}

// A hover of a definition with many kernels names the worst, and how many more
// there are.
func TestHoverOfManyVariants(t *testing.T) {
	root := t.TempDir()
	state, ks := oneDefinition(root, 10000, 2)
	v := viewOf(t, testServer(t, io.Discard), root, state)
	text := hoverText(v.folders[0].config, state, ks, false, time.Now(), func(*live.Kernel) looked { return looked{} })
	if want := fmt.Sprintf("and %d more", 10000-2-hoverOthers); !strings.Contains(text, want) || strings.Count(text, "unchanged") != hoverOthers {
		t.Errorf("no %q in a hover of %d bytes:\n%.2000s", want, len(text), text)
	}
}

func TestVariantLabels(t *testing.T) {
	for _, c := range []struct{ keys, want []string }{
		{[]string{"t_8192-f32_/k::k_0", "t_2048-f32_/k::k_0"}, []string{"8192", "2048"}},
		{[]string{"t_8192-f32_/k::k_0", "t_2048-bf16_/k::k_0"}, []string{"8192-f32", "2048-bf16"}},
		{[]string{"a::k_0", "a::k_1", "a::k_10"}, []string{"0", "1", "10"}},
		{[]string{"gfx942/m::k", "gfx950/m::k"}, []string{"gfx942", "gfx950"}},
		{[]string{"::k"}, []string{"::k"}},
		{[]string{"a/b::k", "b::k"}, []string{"a/b", "b"}},
		{[]string{"x::k", "x/x::k"}, []string{"x", "x/x"}},
	} {
		var ks []*live.Kernel
		for _, key := range c.keys {
			ks = append(ks, &live.Kernel{Key: key})
		}
		label := variantLabels(ks)
		seen := map[string]bool{}
		for i, k := range ks {
			if len(ks) > 1 && seen[label(k)] {
				t.Errorf("%v: the label %q twice", c.keys, label(k))
			}
			seen[label(k)] = true
			if label(k) != c.want[i] {
				t.Errorf("%v: %q, want %q", c.keys, label(k), c.want[i])
			}
		}
	}
}

// A name of a hostile dump breaks out of no line and no block.
func TestHostileNames(t *testing.T) {
	root := t.TempDir()
	s := testServer(t, io.Discard)
	state := manyKernels(root, 2, 1)
	v := viewOf(t, s, root, state)
	k, other := *state.Kernels[0], *state.Kernels[1]
	after := *k.Live
	after.Name = "k\n```\n[x](command:evil)\r\u2028<b>"
	k.Live, k.Key, other.Key = &after, after.Name+"/a::k", "y```\n[y](command:evil)/b::k"
	text := v.hoverOf(t.Context(), v.folders[0], []*live.Kernel{&k, &other}, protocol.Range{}).Contents.(*protocol.MarkupContent).Value
	whole, list, _ := strings.Cut(text, "\n````text\n") // the fence is longer than that of the name
	if head, _, _ := strings.Cut(whole, "\n"); !strings.HasPrefix(head, "**k") || !strings.HasSuffix(head, " ago") || !strings.Contains(head, `\](command:`) || strings.Count(text, "](command:") != strings.Count(text, `\](command:`)+1 {
		t.Errorf("hover:\n%s", text)
	}
	if lines := strings.Split(list, "\n"); len(lines) != 2 || lines[1] != "````" || !strings.Contains(lines[0], "unchanged") {
		t.Errorf("the other variant: %q", list)
	}
	for _, line := range []string{regressionMessage(&k), lensContext{s, v.folders[0].folder, state}.kernelLens(&k).Title} {
		if strings.ContainsAny(line, "\n\r") {
			t.Errorf("%q is more than a line", line)
		}
	}
}

func TestAgo(t *testing.T) {
	now := time.Now()
	for d, want := range map[time.Duration]string{
		-time.Hour: "0 s ago", 3 * time.Second: "3 s ago", 90 * time.Second: "1 min ago", 2 * time.Hour: "2 h ago", 47 * time.Hour: "47 h ago", 100 * time.Hour: "4 days ago",
	} {
		if got := ago(now, now.Add(-d)); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

func TestEscapeMarkdown(t *testing.T) {
	for in, want := range map[string]string{
		"22_final_isa.s": "22_final_isa.s", "_x_": `\_x\_`, "a*b`c": "a\\*b\\`c", "<b>": `\<b>`, "a|b": `a\|b`,
	} {
		if got := report.HoverText(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
