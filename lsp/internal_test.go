package lsp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"isadiff/engine/diff"
	"isadiff/engine/gfx"
	"isadiff/engine/live"
	"isadiff/engine/locate"
	"isadiff/engine/problem"
	"isadiff/engine/project"
	"isadiff/engine/pysource"
	"isadiff/engine/resource"
)

// testServer is a server that nobody talks to; what it says goes to out.
func testServer(t testing.TB, out io.Writer) *Server {
	s := New(Options{Log: io.Discard})
	s.out = newOutgoing(out)
	s.conn = jsonrpc2.NewConn(newStream(pipe{&incoming{Reader: strings.NewReader(""), ended: make(chan struct{})}, s.out}), jsonrpc2.WithCodec(codec{}))
	s.client = client{encoding: protocol.PositionEncodingKindUTF16, related: true, markdown: true, status: true}
	t.Cleanup(func() {
		s.cancel()
		s.out.Close()
		<-s.out.done
	})
	return s
}

// manyKernels makes a state of n kernels in n/2 Python files, two a file; worse of
// them got worse.
func manyKernels(root string, n, worse int) *live.State {
	target, err := gfx.ParseTarget("amdgcn-amd-amdhsa--gfx942")
	if err != nil {
		panic(err)
	}
	state := &live.State{Seq: 1, Ready: true, Live: &resource.Side{}, Sources: map[string]*live.Source{}, Baseline: live.Baseline{Path: filepath.Join(root, ".isadiff/baseline.json"), Exists: true, Written: time.Now()}}
	rows := make([]diff.Row, n)
	for i := range n {
		key := fmt.Sprintf("module_%05d/kernel_%05d::kernel_%05d_0", i/2, i, i)
		record := func(vgprs int64) *resource.Record {
			r := &resource.Record{Key: key, Name: fmt.Sprintf("kernel_%05d_0", i), Target: target, Source: fmt.Sprintf("module_%05d/kernel_%05d/22_final_isa.s", i/2, i)}
			for m := range r.Cells {
				r.Cells[m] = resource.Value(0)
			}
			r.Cells[resource.VGPR] = resource.Value(vgprs)
			r.Cells[resource.SGPR] = resource.Value(18)
			r.Launch = resource.Launch{NextFreeVGPR: vgprs, WavefrontSize: 64, MaxFlatWorkgroupSize: 256}
			r.Occupancy = r.Occupy()
			r.Sites.Label = 7
			return r
		}
		k := &live.Kernel{Key: key, Baseline: record(88), File: filepath.Join(root, "dumps", "x", "22_final_isa.s"), Dumped: time.Now()}
		k.Live = k.Baseline
		if i < worse {
			k.Live, k.Status = record(127), live.Worse
			rows[i].Deltas = []diff.Delta{{Metric: resource.VGPR, Change: 39}}
		}
		rows[i].Key, rows[i].Before, rows[i].After = key, k.Baseline, k.Live
		k.Row = &rows[i]
		path := filepath.Join(root, fmt.Sprintf("module_%05d.py", i/2))
		d := pysource.Definition{Function: fmt.Sprintf("kernel_%05d", i), Qualified: fmt.Sprintf("kernel_%05d", i)}
		line := 10 + 20*(i%2)
		d.Ident = pysource.Range{Start: pysource.Position{Offset: 1000, Line: line, Column: 4}, End: pysource.Position{Offset: 1012, Line: line, Column: 16}}
		k.Place = locate.Place{Match: locate.Exact, Candidates: []locate.Candidate{{Path: path, Definition: d}}}
		state.Kernels = append(state.Kernels, k)
		src := state.Sources[path]
		if src == nil {
			src = &live.Source{Path: path, File: &pysource.File{Kernels: true}}
			state.Sources[path] = src
		}
		src.Definitions = append(src.Definitions, live.Defined{Definition: d, Kernels: []*live.Kernel{k}})
	}
	state.Result = &diff.Result{Total: n, Compared: n, Unchanged: n - worse, Changed: worse, Worsened: worse}
	if worse > 0 {
		state.Result.Verdict, state.Verdict = diff.Regression, diff.Regression
	}
	return state
}

// viewOf is the view of one folder with a state.
func viewOf(t testing.TB, s *Server, root string, state *live.State) *view {
	config, err := project.Load(project.Options{Dir: root, Root: root, Env: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	f := newFolder(s, uri.File(root), root, "p")
	return &view{Server: s, docs: s.docs.Load(), folders: []folderView{{folder: f, state: state, config: config}}}
}

// withOneChanged is the state after one more kernel got worse: everything else is
// the same pointers.
func withOneChanged(state *live.State, i int) *live.State {
	next := *state
	next.Seq++
	next.Kernels = append([]*live.Kernel(nil), state.Kernels...)
	k := *state.Kernels[i]
	row := *k.Row
	after := *k.Live
	after.Cells[resource.VGPR] = resource.Value(after.Cells[resource.VGPR].Value + 1)
	row.After, row.Deltas = &after, []diff.Delta{{Metric: resource.VGPR, Change: after.Cells[resource.VGPR].Value - row.Before.Cells[resource.VGPR].Value}}
	k.Live, k.Row, k.Status = &after, &row, live.Worse
	next.Kernels[i] = &k
	next.Sources = map[string]*live.Source{}
	for path, src := range state.Sources {
		next.Sources[path] = src
	}
	path := k.Place.Candidates[0].Path
	src := *state.Sources[path]
	src.Definitions = append([]live.Defined(nil), src.Definitions...)
	for j := range src.Definitions {
		if src.Definitions[j].Kernels[0].Key == k.Key {
			src.Definitions[j].Kernels = []*live.Kernel{&k}
		}
	}
	next.Sources[path] = &src
	return &next
}

// After shutdown a client is asked nothing and told nothing but how the work ended
// that it shows a bar for.
func TestNothingIsSaidAfterShutdown(t *testing.T) {
	var out lockedBuffer
	s := testServer(t, &out)
	s.life.advance(stopped)
	if err := s.ask(context.Background(), protocol.MethodWindowShowDocument, nil, nil); !errors.Is(err, errStopped) {
		t.Errorf("asking says %v", err)
	}
	s.tell(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Message: "late"})
	s.report(protocol.String("bar"), &protocol.WorkDoneProgressEnd{Kind: "end"})
	s.out.Close()
	<-s.out.done
	if said := out.String(); strings.Contains(said, "window/") || !strings.Contains(said, `"kind":"end"`) {
		t.Errorf("said %s", said)
	}
}

func TestErrorsOnTheWire(t *testing.T) {
	for _, c := range []struct {
		err  error
		code jsonrpc2.Code
	}{
		{context.Canceled, protocol.CodeRequestCancelled},
		{fmt.Errorf("reading: %w", context.Canceled), protocol.CodeRequestCancelled},
		{context.DeadlineExceeded, jsonrpc2.InternalError},
		{errors.New("x"), jsonrpc2.InternalError},
		{invalidParams("x", errors.New("y")), jsonrpc2.InvalidParams},
	} {
		var coded *jsonrpc2.Error
		if !errors.As(wireError(c.err), &coded) || coded.Code != c.code {
			t.Errorf("%v: %+v, want code %d", c.err, coded, c.code)
		}
	}
}

// Every problem code of the contract has a lens that ends with a command, and the
// first is the one that mends it.
func TestEveryProblemHasItsLens(t *testing.T) {
	root := t.TempDir()
	s := testServer(t, io.Discard)
	state := manyKernels(root, 2, 0)
	v := viewOf(t, s, root, state)
	f := v.folders[0].folder
	f.current.Store(&opened{config: v.folders[0].config})
	for _, info := range problem.Table {
		mends := s.mends(f, state.Kernels[0], problem.New(info.Code, "x").On(diff.SideBefore))
		if retake := mends[0].Command == commandSnapshotBaseline; retake != (info.Cure != problem.ExplainOnly) {
			t.Errorf("%s in the baseline: %+v", info.Code, mends)
		}
		k := *state.Kernels[0]
		k.Status, k.Leftover = live.Untrustworthy, filepath.Join(root, "23_final_isa.s")
		k.Problems = []problem.Problem{problem.New(info.Code, "x").At(3)}
		l := lensContext{s, f, state}.kernelLens(&k)
		if !strings.Contains(l.Title, "("+string(info.Code)+")") || !strings.HasPrefix(l.Title, "? ") {
			t.Errorf("%s: title %q", info.Code, l.Title)
		}
		if n := len(l.Actions); n == 0 || l.Actions[n-1].Command != commandExplain || l.Actions[n-1].Args.Code != string(info.Code) {
			t.Errorf("%s: actions %+v", info.Code, l.Actions)
		}
		if mended := len(l.Actions) > 1; mended != (info.Cure != problem.ExplainOnly) {
			t.Errorf("%s is mended by nothing but %+v", info.Code, l.Actions)
		}
		for _, a := range l.Actions {
			if !(s.cmds[a.Command] != nil) {
				t.Errorf("%s offers %s, which there is not", info.Code, a.Command)
			}
		}
	}
}

// A dump that only a compile can mend has a lens that compiles, or that says how to
// set a compile command. What a folder that is not trusted names is not offered.
func TestCompileAgainWhereItCan(t *testing.T) {
	root := t.TempDir()
	s := testServer(t, io.Discard)
	state := manyKernels(root, 2, 0)
	for _, c := range []struct {
		settings map[string]any
		trusted  bool
		offered  bool
		fails    string
	}{
		{map[string]any{"compile": "make"}, true, true, ""},
		{map[string]any{"compile": "make"}, false, false, "not trusted"},
		{nil, false, true, "or compile yourself: set FLYDSL_DUMP_IR=1"},
		{map[string]any{"producer": "hip"}, true, true, "or compile yourself: compile again with --save-temps=obj"},
	} {
		config, err := project.Load(project.Options{Dir: root, Root: root, Client: c.settings, Trusted: c.trusted})
		if err != nil {
			t.Fatal(err)
		}
		f := newFolder(s, uri.File(root), root, "p")
		f.current.Store(&opened{config: config})
		k := *state.Kernels[0]
		k.Status, k.Problems = live.Untrustworthy, []problem.Problem{problem.New(problem.MetadataCut, "x")}
		first := lensContext{s, f, state}.kernelLens(&k).Actions[0]
		if offered := first.Command == commandCapture && first.Title == "compile again"; offered != c.offered {
			t.Errorf("%+v: %+v", c, first)
		}
		if _, err := compileCommand(config); (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// Figures stay with their definition while it moves or is renamed, and never go to
// another one. A function that no known decorator makes a kernel (~) counts if it
// was one before, and not if it was none (!).
func TestCarry(t *testing.T) {
	read := func(names string) *pysource.File {
		f := &pysource.File{}
		for i, name := range strings.Fields(names) {
			d := pysource.Definition{Qualified: strings.Trim(name, "~!"), Via: "kernel", Ident: pysource.Range{Start: pysource.Position{Offset: i}}}
			if name[0] == '~' || name[0] == '!' {
				d.Via = ""
				f.Others = append(f.Others, d)
			} else {
				f.Definitions = append(f.Definitions, d)
			}
		}
		return f
	}
	defined := func(names string) (known []live.Defined) {
		led := func(d *pysource.Definition) bool { return strings.Fields(names)[d.Ident.Start.Offset][0] == '~' }
		for _, d := range read(names).With(led) {
			known = append(known, live.Defined{Definition: d, Kernels: []*live.Kernel{{Key: "::" + d.Qualified}}})
		}
		return known
	}
	for _, c := range []struct{ known, now, want string }{
		{"a b c", "a b c", "a b c"},
		{"a b c", "c a b", "c a b"},
		{"a b c", "a bx c", "a b c"},
		{"a b c", "a c", "a c"},
		{"a b c", "a n b c", "a - b c"},
		{"a b", "b a", "b a"},
		{"a b", "b x", "b -"},
		{"a b", "x b", "a b"},
		{"a b c", "b x c", "b - c"},
		{"a a", "a a", "a a"},
		{"", "a", "-"},
		{"a", "", ""},
		{"a ~b c", "a ~b c", "a b c"},
		{"~b c", "c ~x ~b", "c b"},
		{"a c", "a ~b c", "a c"},
		{"a c", "a ~c", "a"},
		{"a ~b", "a b", "a b"},
		{"a ~b !b", "a ~b !b", "a b"},
		{"a ~b !c", "a ~x !c", "a b"},
		{"a ~b !c", "a !c ~x", "a"},
		{"a ~b !c", "a ~x !y !c", "a"},
		{"!b a ~b", "!b a x ~b", "a - b"},
	} {
		var got []string
		for _, d := range carry(defined(c.known), read(c.known), read(c.now)) {
			if len(d.Kernels) == 0 {
				got = append(got, "-")
				continue
			}
			got = append(got, bare(d.Kernels[0].Key))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q then %q: %v, want %q", c.known, c.now, got, c.want)
		}
	}
}

func TestPositions(t *testing.T) {
	text := "a\r\nb🙂é\rc\n\nlast"
	all := splitLines(text)
	if got := strings.Join(all, "|"); got != "a|b🙂é|c||last" {
		t.Fatalf("lines %q", got)
	}
	for _, c := range []struct {
		enc          protocol.PositionEncodingKind
		line, column int
		wire         uint32
	}{
		{protocol.PositionEncodingKindUTF16, 1, 5, 3},
		{protocol.PositionEncodingKindUTF8, 1, 5, 5},
		{protocol.PositionEncodingKindUTF32, 1, 5, 2},
		{protocol.PositionEncodingKindUTF16, 1, 7, 4},
		{protocol.PositionEncodingKindUTF16, 1, 99, 4},
		{protocol.PositionEncodingKindUTF16, 99, 3, 0},
	} {
		p := all.toWire(c.enc, c.line, c.column)
		if p.Character != c.wire {
			t.Errorf("%v: %+v", c, p)
		}
		line, column := all.fromWire(c.enc, p)
		if want := min(c.column, len(all.line(c.line))); line != c.line || column != want {
			t.Errorf("%v and back: %d, %d", c, line, column)
		}
	}
	for line, want := range []int{0, 3, 11, 13, 14, 18, 18} {
		if got := all.offset(text, protocol.PositionEncodingKindUTF16, protocol.Position{Line: uint32(line)}); got != want {
			t.Errorf("line %d begins at %d, want %d", line, got, want)
		}
	}
}

func TestPathOf(t *testing.T) {
	for in, want := range map[string]string{
		"file:///a/b.py": "/a/b.py", "file:///a/%62.py": "/a/b.py", "file://localhost/a/b.py": "/a/b.py", "file:///a/../b.py": "/b.py",
		"file:///a%2Bb%20c.py": "/a+b c.py", "file:///a+b%20c.py": "/a+b c.py",
	} {
		if filepath.Separator != '/' {
			t.Skip("paths of POSIX")
		}
		if got, ok := pathOf(uri.URI(in)); !ok || got != want {
			t.Errorf("%s: %q %v, want %q", in, got, ok, want)
		}
	}
	for _, in := range []string{"untitled:x", "git:/a", "http://x/y", ""} {
		if got, ok := pathOf(uri.URI(in)); ok && in != "" {
			t.Errorf("%s: %q", in, got)
		}
	}
	if _, err := url.Parse(string(uri.File("/a b+c%"))); err != nil {
		t.Error(err)
	}
}
