package lsp

import (
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"isadiff/engine/diff"
	"isadiff/engine/live"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// seen are the surfaces on which a code stands, of a folder in some state.
func seen(t *testing.T, root string, state *live.State, code problem.Code) (surfaces []string) {
	t.Helper()
	v := viewOf(t, testServer(t, io.Discard), root, state)
	f := v.folders[0]
	f.current.Store(&opened{config: f.config})
	st := statusOf(f)
	if strings.Contains(st.Text, string(code)) && (st.State == "untrustworthy" || st.State == "regression") {
		surfaces = append(surfaces, "status")
	}
	if strings.Contains(st.Tooltip, string(code)+": ") {
		surfaces = append(surfaces, "tooltip")
	}
	for _, report := range v.reports(nil) {
		for _, d := range report.diagnostics() {
			if d.Code == nil || !slices.Contains(surfaces, "diagnostic") && strings.Contains(string(d.Data), `"code":"`+string(code)+`"`) {
				surfaces = append(surfaces, "diagnostic")
			}
		}
	}
	c := lensContext{v.Server, f.folder, state}
	for _, k := range state.Kernels {
		if strings.Contains(c.kernelLens(k).Title, "("+string(code)+")") {
			surfaces = append(surfaces, "lens")
			break
		}
	}
	for _, k := range state.Kernels {
		item := v.kernelItem(f, k)
		if item.Status != live.Unchanged.String() && slices.ContainsFunc(item.Problems, func(p problemItem) bool { return p.Code == string(code) }) {
			surfaces = append(surfaces, "row")
			break
		}
	}
	return surfaces
}

// Every problem that there is names itself on the first things that a person looks at:
// in the status and its tooltip, among the editor's problems, and on its kernel.
func TestEveryCauseIsSeen(t *testing.T) {
	root := t.TempDir()
	good := manyKernels(root, 2, 0)
	for _, k := range good.Kernels { // else nothing was compiled yet, which is a state and no fault
		good.Live.Records = append(good.Live.Records, k.Live)
	}
	with := func(p problem.Problem) *live.State {
		s := *good
		s.Problems, s.Verdict = []problem.Problem{p}, diff.NotTrustworthy
		r := *s.Result
		r.Problems, r.Verdict = s.Problems, s.Verdict
		s.Result = &r
		return &s
	}
	for _, info := range problem.Table {
		oneSided := info.Code == problem.OnlyInBefore || info.Code == problem.OnlyInAfter
		p := problem.New(info.Code, "what is wrong")
		k := good.Kernels[0]

		// Of a kernel that cannot be judged, and of one that got worse besides.
		for _, status := range []live.Status{live.Untrustworthy, live.Worse} {
			if oneSided || status == live.Worse && info.Code != problem.BudgetUnknown {
				continue
			}
			p := p.Of(k.Key).In(k.Key)
			s := with(p)
			bad := *k
			bad.Status, bad.Problems = status, []problem.Problem{p}
			if status == live.Worse {
				bad = *manyKernels(root, 2, 1).Kernels[0]
				bad.Problems = []problem.Problem{p}
			}
			s.Kernels = slices.Clone(s.Kernels)
			s.Kernels[0] = &bad
			s.Sources = map[string]*live.Source{}
			for path, src := range good.Sources {
				next := *src
				next.Definitions = slices.Clone(src.Definitions)
				for i, d := range next.Definitions {
					if slices.Contains(d.Kernels, k) {
						next.Definitions[i].Kernels = []*live.Kernel{&bad}
					}
				}
				s.Sources[path] = &next
			}
			want := "status tooltip diagnostic lens row"
			if info.Severity == "edited" { // which is off: status and lenses tell it
				want = "status tooltip lens row"
			}
			if got := strings.Join(seen(t, root, s, info.Code), " "); !strings.Contains(got, want) {
				t.Errorf("%s of a kernel (%s): seen in %q", info.Code, status, got)
			}
		}
		if oneSided || info.Code == problem.SourceEdited { // whose findings are off: status and lenses tell it
			continue
		}

		// Of a side, and of a kernel that is not there to show it.
		for name, p := range map[string]problem.Problem{
			"a side": p.On(diff.SideAfter), "the baseline": p.On(diff.SideBefore), "no kernel that is shown": p.Of("no::such"),
			"a folder": p.In(filepath.Join(root, "dumps")), "an assembly": p.In("x/22_final_isa.s"),
		} {
			if got := strings.Join(seen(t, root, with(p), info.Code), " "); !strings.Contains(got, "status tooltip diagnostic") {
				t.Errorf("%s of %s: seen in %q", info.Code, name, got)
			}
		}

		// Of the session as a whole: nothing is to be relied on.
		s := with(p)
		s.Invalid = s.Problems
		if got := strings.Join(seen(t, root, s, info.Code), " "); got != "status tooltip diagnostic lens row" {
			t.Errorf("%s of the session: seen in %q", info.Code, got)
		}
	}
}

// Where nothing is compared, each definition says why, and none that it was not
// compiled.
func TestRefusedLenses(t *testing.T) {
	root := t.TempDir()
	good := manyKernels(root, 2, 0)
	s := &live.State{Ready: true, Refused: true, Verdict: diff.NotTrustworthy, Live: &resource.Side{}, Sources: map[string]*live.Source{}}
	s.Problems = []problem.Problem{problem.New(problem.ConfigurationInvalid, "isadiff.toml:2: kernels is 3").In("isadiff.toml").At(2)}
	s.Invalid = s.Problems
	for path, src := range good.Sources {
		next := *src
		next.Definitions = slices.Clone(src.Definitions)
		for i := range next.Definitions {
			next.Definitions[i].Kernels = nil
		}
		s.Sources[path] = &next
	}
	v := viewOf(t, testServer(t, io.Discard), root, s)
	v.folders[0].current.Store(&opened{config: v.folders[0].config})
	for path := range s.Sources {
		for _, l := range v.lensesOf(path) {
			if !strings.HasPrefix(l.lens.Title, "? isadiff.toml:2 (configuration-invalid)") || strings.Contains(l.lens.Title, "compiled") {
				t.Errorf("%s: %q", path, l.lens.Title)
			}
		}
	}
	if st := statusOf(v.folders[0]); st.Text != "isadiff ⚠ isadiff.toml:2 (configuration-invalid)" || st.State != "untrustworthy" || strings.Contains(st.Tooltip, "baseline") {
		t.Errorf("%+v", st)
	}
}
