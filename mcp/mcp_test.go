package mcp_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"isadiff/docs"
	"isadiff/engine/judge"
	"isadiff/engine/problem"
	"isadiff/engine/project"
	"isadiff/engine/report"
	"isadiff/mcp"
)

// An agent is a client of a server in this process.
type agent struct {
	*testing.T
	*sdk.ClientSession
}

// connect begins a session of a client with roots; without any it does not know of them.
func connect(t *testing.T, o mcp.Options, change func(*sdk.ClientOptions), roots ...string) agent {
	t.Helper()
	opt := &sdk.ClientOptions{}
	if len(roots) == 0 {
		opt.Capabilities = &sdk.ClientCapabilities{}
	}
	if change != nil {
		change(opt)
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, opt)
	for _, dir := range roots {
		client.AddRoots(&sdk.Root{URI: "file://" + filepath.ToSlash(dir)}) //lint:ignore SA1019 clients have roots
	}
	here, there := sdk.NewInMemoryTransports()
	server, err := mcp.New(o).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	session, err := client.Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		_ = server.Wait()
	})
	return agent{t, session}
}

type arguments map[string]any

// ask calls a tool and returns its text, and what it says as JSON in out.
func (a agent) ask(tool string, args arguments, out any) (text string, failed bool) {
	a.Helper()
	r, err := a.CallTool(a.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		a.Fatalf("%s: %v", tool, err)
	}
	text = r.Content[0].(*sdk.TextContent).Text
	if !r.IsError && out != nil {
		data, err := json.Marshal(r.StructuredContent)
		if err == nil {
			err = json.Unmarshal(data, out)
		}
		if err != nil {
			a.Fatalf("%s: %v", tool, err)
		}
	}
	return text, r.IsError
}

// brief is ask for an answer.
func (a agent) brief(tool string, args arguments) (b report.Brief, text string) {
	a.Helper()
	text, failed := a.ask(tool, args, &b)
	if failed {
		a.Fatalf("%s: %s", tool, text)
	}
	if n := strings.Count(text, "\n"); n > report.BriefLines {
		a.Errorf("%s: %d lines", tool, n)
	}
	return b, text
}

// refused is ask for what is no answer.
func (a agent) refused(tool string, args arguments, want string) {
	a.Helper()
	if text, failed := a.ask(tool, args, nil); !failed || !strings.Contains(text, want) {
		a.Errorf("%s of %v: %q, want an error with %q", tool, args, text, want)
	}
}

// folder returns a folder with all links followed, as macOS needs it.
func folder(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// fixture makes a project that has the two sides of a regression as "before" and "dumps".
func fixture(t *testing.T) string {
	t.Helper()
	dir := folder(t)
	from := filepath.Join("..", "testdata", "dumps", "tile-up-spills", "gfx942")
	for side, to := range map[string]string{"before": "before", "after": "dumps"} {
		if err := os.CopyFS(filepath.Join(dir, to), os.DirFS(filepath.Join(from, side))); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(dir, "isadiff.toml"), "dumps = \"dumps\"\n")
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

const window = "window_filter/window_filter_0::window_filter_0"

func TestTools(t *testing.T) {
	var names, writing []string
	for tool, err := range connect(t, mcp.Options{}, nil).Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
		if !tool.Annotations.ReadOnlyHint {
			writing = append(writing, tool.Name)
		}
		if tool.Description == "" || tool.InputSchema == nil || tool.OutputSchema == nil {
			t.Errorf("%s says too little of itself", tool.Name)
		}
		data, _ := json.Marshal(tool)
		if len(data) > 6000 {
			t.Errorf("%s takes %d bytes of an agent's memory", tool.Name, len(data))
		}
		if strings.Contains(string(data), `"type":[`) || strings.Contains(string(data), "null") {
			t.Errorf("%s has something of several types: %s", tool.Name, data)
		}
	}
	slices.Sort(names)
	if s := strings.Join(names, " "); s != "compare diff explain snapshot status summarize where why" {
		t.Error(s)
	}
	if s := strings.Join(writing, " "); s != "compare snapshot" {
		t.Errorf("%s write", s)
	}
	for tool, err := range connect(t, mcp.Options{ReadOnly: true}, nil).Tools(t.Context(), nil) {
		if err != nil || !tool.Annotations.ReadOnlyHint {
			t.Errorf("%v, %v", tool, err)
		}
	}
}

func TestDiff(t *testing.T) {
	dir := fixture(t)
	a := connect(t, mcp.Options{}, nil, dir)
	b, text := a.brief("diff", arguments{"before": "before", "after": "dumps"})
	if b.Verdict != "REGRESSION" || b.ExitCode != 1 || len(b.Kernels) != 1 || len(b.Problems) != 0 {
		t.Errorf("%+v", b)
	}
	k := b.Kernels[0]
	if k.Kernel != window || k.Standing != "worse" || k.Target != "gfx942" || k.Figures[0].Metric != "vgpr_spill" || *k.Figures[0].Before != 0 || *k.Figures[0].After != 136 {
		t.Errorf("%+v", k)
	}
	if !strings.HasPrefix(k.Facts[0], "why: spill stores and reloads 0 -> 67, ") {
		t.Errorf("%q", k.Facts)
	}
	if want := "tool why: before " + filepath.Join(dir, "before") + ", after " + filepath.Join(dir, "dumps") + ", kernels " + window; len(b.Next) != 1 || b.Next[0] != want {
		t.Errorf("%q, want %q", b.Next, want)
	}
	// It is what the commands say, as they say it in short.
	o, err := judge.Open(project.Options{Dir: dir}, judge.Inputs{}, judge.Needs{})
	if err != nil {
		t.Fatal(err)
	}
	o.Read.Digest = true
	before, after, _, err := judge.Sides(t.Context(), o, filepath.Join(dir, "before"), filepath.Join(dir, "dumps"))
	if err != nil {
		t.Fatal(err)
	}
	r, about, err := judge.Judge(t.Context(), o, before, after, judge.Tell{Places: true, Reasons: true})
	if err != nil {
		t.Fatal(err)
	}
	body, _, _ := strings.Cut(string(report.BriefDiff(r, report.Options{Context: about}).Text(report.Style{})), "next: ")
	if !strings.HasPrefix(text, body) {
		t.Errorf("%s, want %s", text, body)
	}

	if b, _ := a.brief("diff", arguments{"before": "dumps", "after": "before"}); b.Verdict != "OK" || b.Kernels[0].Standing != "better" {
		t.Errorf("%+v", b)
	}
	b, _ = a.brief("diff", arguments{"before": "nowhere", "after": "dumps"})
	if b.Verdict != "NOT TRUSTWORTHY" || b.ExitCode != 2 || b.Problems[0].Code != "input-not-found" || b.Next[0] != "tool explain: topic input-not-found" {
		t.Errorf("%+v", b)
	}
	a.refused("diff", arguments{"before": "", "after": "dumps"}, "the empty path names nothing")
	a.refused("diff", arguments{"before": "before"}, `"after"`)
	a.refused("diff", arguments{"before": "before", "after": "dumps", "kernels": "["}, "[usage] kernels: ")
	a.refused("diff", arguments{"before": "before", "after": "dumps", "limit": -1}, "limit is -1")
}

func TestLook(t *testing.T) {
	dir := fixture(t)
	a := connect(t, mcp.Options{}, nil, dir)
	b, _ := a.brief("why", arguments{"before": "before", "after": "dumps", "kernels": window})
	if b.Verdict != "REGRESSION" || !slices.ContainsFunc(b.Kernels[0].Facts, func(s string) bool { return strings.HasPrefix(s, "live VGPRs peak at 82 -> 122") }) {
		t.Errorf("%+v", b)
	}
	b, _ = a.brief("where", arguments{"path": "dumps"})
	if b.Verdict != "OK" || b.Kernels[0].Kernel != window || !slices.Contains(b.Kernels[0].Facts, "34 spill stores, 33 reloads") {
		t.Errorf("%+v", b)
	}
	if err := os.CopyFS(filepath.Join(dir, "base"), os.DirFS(filepath.Join("..", "testdata", "dumps", "base", "gfx942"))); err != nil {
		t.Fatal(err)
	}
	b, text := a.brief("summarize", arguments{"path": "base", "limit": 2, "ignore_times": true})
	if b.Verdict != "OK" || len(b.Kernels) != 2 || b.LeftOut[0] != (report.BriefCount{What: "kernel", Count: 13}) || !strings.Contains(text, "left out: 13 kernels") {
		t.Errorf("%+v", b)
	}
}

func TestExplain(t *testing.T) {
	a := connect(t, mcp.Options{}, nil)
	if text, failed := a.ask("explain", arguments{"topic": "target-differs"}, nil); failed || !strings.Contains(text, "build both sides for one target") {
		t.Error(text)
	}
	if text, failed := a.ask("explain", nil, nil); failed || !strings.Contains(text, "vgpr_spill") {
		t.Error(text)
	}
	a.refused("explain", arguments{"topic": "frobnicate"}, `"frobnicate" is no problem code`)
}

func TestResources(t *testing.T) {
	a := connect(t, mcp.Options{}, nil)
	got := map[string]bool{}
	for r, err := range a.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		got[r.URI] = true
	}
	if !got["isadiff://reference/contract"] || !got["isadiff://reference/problem-codes"] {
		t.Errorf("%v", got)
	}
	page, err := a.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "isadiff://reference/contract"})
	want, _ := docs.Reference.ReadFile("reference/contract.md")
	if err != nil || page.Contents[0].Text != string(want) {
		t.Errorf("the contract is not the page: %v", err)
	}
	for _, info := range problem.Table {
		r, err := a.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "isadiff://problem/" + string(info.Code)})
		if err != nil || !strings.Contains(r.Contents[0].Text, string(info.Code)) {
			t.Errorf("%s: %v", info.Code, err)
		}
	}
	if r, err := a.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "isadiff://problem/vgpr"}); err == nil {
		t.Errorf("%v", r)
	}
}

func TestStatus(t *testing.T) {
	dir := fixture(t)
	a := connect(t, mcp.Options{}, nil, dir)
	type status struct {
		Project judge.Here
		Roots   []string
		Answer  *report.Brief
		Note    string
	}
	var s status
	if text, failed := a.ask("status", nil, &s); failed || !strings.Contains(text, "baseline "+filepath.Join(dir, ".isadiff", "baseline.json")+", not there\n") {
		t.Error(text)
	}
	if !s.Project.Dumps.There || s.Project.Baseline.There || s.Answer == nil || s.Answer.Verdict != "OK" || !strings.Contains(s.Note, "no baseline yet") || s.Roots[0] != dir {
		t.Errorf("%+v", s)
	}
	if b, _ := a.brief("snapshot", arguments{"dumps": "before", "revision": "v1"}); b.Verdict != "OK" || !strings.Contains(b.Summary[0], "1 kernel in ") {
		t.Errorf("%+v", b)
	}
	s = status{}
	if text, _ := a.ask("status", nil, &s); s.Answer == nil || s.Answer.Verdict != "REGRESSION" || s.Note != "" || !strings.Contains(text, "worse: "+window) || !strings.Contains(text, "before v1 (") {
		t.Errorf("%s, %+v", text, s)
	}
	if err := os.RemoveAll(filepath.Join(dir, "dumps")); err != nil {
		t.Fatal(err)
	}
	s = status{}
	if _, failed := a.ask("status", nil, &s); failed || s.Answer != nil || !strings.Contains(s.Note, "there are no dumps yet") {
		t.Errorf("%+v", s)
	}
}

func TestSnapshot(t *testing.T) {
	dir := fixture(t)
	a := connect(t, mcp.Options{}, nil, dir)
	a.brief("snapshot", arguments{"dumps": "before", "output": "kept/base.json"})
	b, _ := a.brief("snapshot", arguments{"output": "kept/base.json"})
	if b.Verdict != "OK" || b.Kernels[0].Standing != "worse" || !strings.Contains(b.Summary[1], "the old baseline is kept in ") {
		t.Errorf("%+v", b)
	}
	for _, name := range []string{"base.json", "base.isa.zst", "base.previous.json"} {
		if _, err := os.Stat(filepath.Join(dir, "kept", name)); err != nil {
			t.Error(err)
		}
	}
	// What cannot be trusted is no baseline.
	write(t, filepath.Join(dir, "cut", "k", "22_final_isa.s"), "nothing\n")
	b, _ = a.brief("snapshot", arguments{"dumps": "cut", "output": "kept/cut.json"})
	if b.Verdict != "NOT TRUSTWORTHY" || len(b.Problems) == 0 {
		t.Errorf("%+v", b)
	}
	if _, err := os.Stat(filepath.Join(dir, "kept", "cut.json")); err == nil {
		t.Error("it was written all the same")
	}
}

// Nothing outside of the roots is read or written, whatever leads there.
func TestPlaces(t *testing.T) {
	dir, outside := fixture(t), fixture(t)
	const refusal = "is outside of what this server may use"
	link := func(to, at string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, at); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	link(filepath.Join(outside, "before"), filepath.Join(dir, "linked"))
	link(filepath.Join(outside, "dumps", "window_filter", "window_filter_0", "22_final_isa.s"), filepath.Join(dir, "mixed", "k", "22_final_isa.s"))
	link(filepath.Join(outside, "secret"), filepath.Join(dir, "bare.isa.zst"))
	write(t, filepath.Join(outside, "secret"), "")
	write(t, filepath.Join(dir, "bare.json"), "{}")
	link(filepath.Join(dir, "before"), filepath.Join(dir, "inside")) // that leads nowhere else
	a := connect(t, mcp.Options{}, nil, dir)
	for _, path := range []string{filepath.Join(outside, "before"), "../" + filepath.Base(outside), "linked", "mixed", "bare.json", "/", "linked/nowhere"} {
		a.refused("diff", arguments{"before": path, "after": "dumps"}, refusal)
		a.refused("diff", arguments{"before": "before", "after": path}, refusal)
		a.refused("why", arguments{"before": path, "after": "dumps"}, refusal)
		a.refused("where", arguments{"path": path}, refusal)
		a.refused("summarize", arguments{"path": path}, refusal)
		a.refused("snapshot", arguments{"dumps": path, "output": "x.json"}, refusal)
	}
	if b, _ := a.brief("diff", arguments{"before": "inside", "after": "dumps"}); b.Verdict != "REGRESSION" {
		t.Errorf("%+v", b)
	}
	for _, path := range []string{filepath.Join(outside, "x.json"), "linked/x.json", "../x.json"} {
		a.refused("snapshot", arguments{"dumps": "before", "output": path}, refusal)
	}
	a.refused("compare", arguments{"revision": "HEAD", "command": []string{"true"}, "output": "linked/sides"}, refusal)
	a.refused("status", arguments{"project": outside}, refusal)
	// A project that begins above the roots is none of theirs.
	connect(t, mcp.Options{}, nil, filepath.Join(dir, "before")).refused("status", nil, refusal)
	// The configuration leads nowhere either.
	write(t, filepath.Join(dir, "isadiff.toml"), "dumps = \""+filepath.ToSlash(filepath.Join(outside, "dumps"))+"\"\nbaseline = \"linked\"\n")
	if text, _ := a.ask("status", nil, nil); !strings.Contains(text, "dumps "+filepath.Join(outside, "dumps")+", not there\n") || !strings.Contains(text, refusal) || strings.Contains(text, "REGRESSION") {
		t.Error(text)
	}
	link(filepath.Join(outside, "secret"), filepath.Join(dir, ".isadiff", "accepted.toml"))
	a.refused("status", nil, refusal)
}

// The folders of the command line bound what the client's roots name.
func TestPlacesOfBoth(t *testing.T) {
	dir, other := fixture(t), fixture(t)
	sides := arguments{"before": "before", "after": "dumps"}
	for name, tt := range map[string]struct {
		dirs, roots []string
		capable     bool // of naming roots
		refused     string
	}{
		"folders alone":                 {dirs: []string{dir}},
		"folders that hold a root":      {dirs: []string{filepath.Dir(dir)}, roots: []string{dir}},
		"a root that holds the folders": {dirs: []string{dir}, roots: []string{filepath.Dir(dir)}},
		"nothing in common":             {dirs: []string{dir}, roots: []string{other}, refused: "no folder may be used"},
		"a root that is not there":      {roots: []string{filepath.Join(dir, "nowhere")}, refused: "no folder may be used"},
		"folders and no root":           {dirs: []string{dir}, capable: true},
		"no root":                       {capable: true, refused: "no folder may be used"},
		"neither":                       {refused: "is outside of what this server may use"},
	} {
		t.Run(name, func(t *testing.T) {
			capable := func(o *sdk.ClientOptions) {
				if tt.capable {
					o.Capabilities = nil
				}
			}
			a := connect(t, mcp.Options{Dirs: tt.dirs}, capable, tt.roots...)
			if tt.refused != "" {
				a.refused("diff", arguments{"before": filepath.Join(dir, "before"), "after": filepath.Join(dir, "dumps")}, tt.refused)
				return
			}
			if b, _ := a.brief("diff", sides); b.Verdict != "REGRESSION" {
				t.Errorf("%+v", b)
			}
		})
	}
}

// repository makes a git repository whose last commit is the regression, and a command
// that compiles it.
func repository(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"git", "sh"} {
		if _, err := exec.LookPath(name); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
	t.Setenv("XDG_CACHE_HOME", folder(t))
	dir := folder(t)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	write(t, filepath.Join(dir, "compile.sh"), "test \"$1\" != wait || { echo >started; sleep 60; }\nmkdir -p \"$FLYDSL_DUMP_DIR/k\"\ncp kernel.s \"$FLYDSL_DUMP_DIR/k/22_final_isa.s\"\n")
	for _, side := range []string{"before", "after"} {
		text, err := os.ReadFile(filepath.Join("..", "testdata", "dumps", "tile-up-spills", "gfx942", side, "window_filter", "window_filter_0", "22_final_isa.s"))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "kernel.s"), string(text))
		git("add", ".")
		git("commit", "-q", "-m", side)
	}
	return dir
}

func TestCompare(t *testing.T) {
	dir := repository(t)
	var said []string
	a := connect(t, mcp.Options{}, func(o *sdk.ClientOptions) {
		o.ProgressNotificationHandler = func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			said = append(said, r.Params.Message)
		}
	}, dir)
	params := &sdk.CallToolParams{Name: "compare", Arguments: arguments{"revision": "HEAD~1", "command": []string{"sh", "compile.sh"}, "output": "sides"}}
	params.SetProgressToken("p")
	r, err := a.CallTool(t.Context(), params)
	if err != nil || r.IsError {
		t.Fatalf("%v, %+v", err, r)
	}
	text := r.Content[0].(*sdk.TextContent).Text
	for _, want := range []string{"REGRESSION: 1 kernel got worse\n", "before HEAD~1 (" + filepath.Join(dir, "sides", "before") + "), after the working tree (", "vgpr_spill 0 -> 136 (+136)", "next: tool why: before " + filepath.Join(dir, "sides", "before")} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if len(said) < 3 || !strings.HasPrefix(said[0], "base: ") || said[len(said)-1] != "comparing" {
		t.Errorf("%q", said)
	}
	if b, _ := a.brief("why", arguments{"before": "sides/before", "after": "sides/after"}); b.Verdict != "REGRESSION" {
		t.Errorf("%+v", b)
	}
	if b, text := a.brief("compare", arguments{"revision": "HEAD~1", "command": []string{"sh", "compile.sh"}}); b.ExitCode != 1 || !strings.Contains(text, "\nbefore HEAD~1, after the working tree\n") {
		t.Errorf("%+v", b)
	}
	if b, _ := a.brief("compare", arguments{"revision": "HEAD~1", "command": []string{"sh", "-c", "echo the reason; exit 3"}}); b.Verdict != "NOT TRUSTWORTHY" || !strings.Contains(b.Problems[0].Message, "the reason") {
		t.Errorf("%+v", b)
	}
	a.refused("compare", arguments{"revision": "nowhere", "command": []string{"true"}}, "[compare-revision]")
	write(t, filepath.Join(dir, "isadiff.toml"), "compile = \"make kernels\"\n")
	a.refused("compare", arguments{"revision": "HEAD", "command": []string{}}, "that of the project is make kernels")
	a.refused("compare", arguments{"revision": "HEAD", "command": []string{"true"}, "archs": []string{"x86"}}, `archs: "x86" is no architecture`)
}

// A call that the client takes back ends its command.
func TestCancel(t *testing.T) {
	dir := repository(t)
	a := connect(t, mcp.Options{}, nil, dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := a.CallTool(ctx, &sdk.CallToolParams{Name: "compare", Arguments: arguments{"revision": "HEAD", "command": []string{"sh", "compile.sh", "wait"}, "output": "sides"}})
		ended <- err
	}()
	for _, err := os.Stat(filepath.Join(dir, "started")); err != nil; _, err = os.Stat(filepath.Join(dir, "started")) {
		select {
		case err := <-ended:
			t.Fatalf("it has ended: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("the call has an answer")
	}
	// The folder is free once the command is gone.
	for {
		b, _ := a.brief("compare", arguments{"revision": "HEAD", "command": []string{"sh", "compile.sh"}, "output": "sides"})
		if b.Verdict == "OK" {
			break
		}
		if b.Problems[0].Code != "capture-not-fresh" && b.Problems[0].Code != "capture-busy" {
			t.Fatalf("%+v", b)
		}
	}
}
