package problem_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/problem"
)

func TestTableIsWhole(t *testing.T) {
	seen := map[problem.Code]bool{}
	group := 0
	for _, i := range problem.Table {
		if seen[i.Code] {
			t.Errorf("%s stands twice", i.Code)
		}
		seen[i.Code] = true
		if !regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`).MatchString(string(i.Code)) {
			t.Errorf("%q is not in kebab case", i.Code)
		}
		if i.Group < group || i.Group < 1 || i.Group > 17 {
			t.Errorf("%s: group %d after %d", i.Code, i.Group, group)
		}
		group = i.Group
		if i.Title == "" || i.Mend == "" || strings.HasSuffix(i.Mend, ".") || !strings.HasSuffix(i.Explain, ".") {
			t.Errorf("%s: title %q, mend %q, explanation %q", i.Code, i.Title, i.Mend, i.Explain)
		}
		if !problem.Known(i.Code) || problem.Lookup(i.Code).Title != i.Title {
			t.Errorf("%s is not found", i.Code)
		}
	}
	if problem.Known("frobnicate") || problem.Lookup("frobnicate").Mend == "" {
		t.Error("an unknown code is known, or has no mend")
	}
}

func TestCompareOrders(t *testing.T) {
	p := func(file string, line int, kernel, side string, code problem.Code) problem.Problem {
		return problem.New(code, "m").In(file).At(line).Of(kernel).On(side)
	}
	want := []problem.Problem{
		p("", 0, "", "", problem.NoKernels),
		p("a", 0, "", "before", problem.MetadataCut),
		p("a", 0, "", "after", problem.MetadataCut),
		p("a", 1, "", "", problem.MetadataCut),
		p("a", 1, "k", "", problem.CountInvalid),
		p("a", 1, "k", "", problem.CountMissing),
		p("b", 0, "", "", problem.NotUTF8),
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, problem.Compare)
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if codes := problem.Codes(got); !slices.Equal(codes, []problem.Code{problem.CountInvalid, problem.CountMissing, problem.MetadataCut, problem.NoKernels, problem.NotUTF8}) {
		t.Errorf("codes %v", codes)
	}
}

func TestError(t *testing.T) {
	p := problem.New(problem.InputNotFound, "%s does not exist", "dumps")
	if got, want := p.Error(), "[input-not-found] dumps does not exist"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if p.Mend() == "" {
		t.Error("no mend")
	}
}

func TestCrashedNamesThePlace(t *testing.T) {
	var p problem.Problem
	func() {
		defer func() { p = problem.Crashed("reading k", recover()) }()
		var nothing []int
		_ = nothing[len(p.Message)]
	}()
	if !regexp.MustCompile(`^reading k: runtime error: index out of range \[0\] with length 0, at .*engine/problem/problem_test\.go:\d+$`).MatchString(p.Message) || p.Code != problem.InternalError {
		t.Errorf("%+v", p)
	}
}

func TestQuoted(t *testing.T) {
	for arg, want := range map[string]string{
		"dumps/gfx942":    "dumps/gfx942",
		"/home/ü/a_b-1.2": "/home/ü/a_b-1.2",
		"two words":       "'two words'",
		"it's":            `'it'\''s'`,
		"$(rm x)":         "'$(rm x)'",
		"~/dumps":         "'~/dumps'",
		"":                "''",
	} {
		if got := problem.Quoted(arg); got != want {
			t.Errorf("%q: got %s, want %s", arg, got, want)
		}
	}
}
