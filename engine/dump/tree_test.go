//go:build unix

package dump

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

const (
	transpose = "../../testdata/dumps/base/gfx950/transpose/transpose_static_0/22_final_isa.s"
	softmax   = "../../testdata/dumps/base/gfx950/rowwise_softmax/softmax_rows_0/22_final_isa.s"
)

// A tree is a dump tree in the making.
type tree struct {
	t    *testing.T
	root string
	at   time.Time // an hour before it was begun
}

func newTree(t *testing.T) tree { return tree{t, t.TempDir(), time.Now().Add(-time.Hour)} }

// put writes a file with a modification time, in seconds after that of the tree.
func (tr tree) put(name string, data []byte, seconds int) {
	tr.t.Helper()
	path := filepath.Join(tr.root, name)
	write(tr.t, path, data)
	at := tr.at.Add(time.Duration(seconds) * time.Second)
	if err := os.Chtimes(path, at, at); err != nil {
		tr.t.Fatal(err)
	}
}

func (tr tree) read(opt Options) *resource.Side { return Read(context.Background(), tr.root, opt) }

func content(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// expect holds a side against its keys and problem codes, and a part of each
// warning.
func expect(t *testing.T, side *resource.Side, keys []string, codes []problem.Code, warnings ...string) {
	t.Helper()
	var gotKeys []string
	problems := side.Problems
	for _, r := range side.Records {
		gotKeys = append(gotKeys, r.Key)
		problems = append(problems, r.Problems...)
	}
	if !slices.Equal(gotKeys, keys) {
		t.Errorf("keys %q, want %q", gotKeys, keys)
	}
	if got := problem.Codes(problems); !slices.Equal(got, codes) {
		t.Errorf("problems %v, want codes %v", problems, codes)
	}
	if len(side.Warnings) != len(warnings) {
		t.Errorf("warnings %q, want %q", side.Warnings, warnings)
		return
	}
	for i, w := range warnings {
		if !strings.Contains(side.Warnings[i], w) {
			t.Errorf("warning %q, want one with %q", side.Warnings[i], w)
		}
	}
}

func TestStages(t *testing.T) {
	a, b := content(t, transpose), content(t, softmax)
	mlir := []byte("module {}\n")
	tests := []struct {
		name     string
		files    map[string]int // seconds after the others; 21 and lower hold transpose, others softmax
		opt      Options
		keys     []string
		codes    []problem.Code
		warnings []string
	}{
		{"one", map[string]int{"k/22_final_isa.s": 0}, Options{}, []string{"k::softmax_rows_0"}, nil, nil},
		{"at the root", map[string]int{"22_final_isa.s": 0}, Options{}, []string{"::softmax_rows_0"}, nil, nil},
		{"deep", map[string]int{"a/b c/d/22_final_isa.s": 0}, Options{}, []string{"a/b c/d::softmax_rows_0"}, nil, nil},
		{"without a number", map[string]int{"k/final_isa.s": 0, "k/9_final_isa.s": 0}, Options{}, []string{"k::transpose_static_0"}, nil, []string{"final_isa.s beside it is ignored"}},
		{"highest number, not last name", map[string]int{"k/9_final_isa.s": 0, "k/22_final_isa.s": 0}, Options{}, []string{"k::softmax_rows_0"}, nil, []string{"9_final_isa.s"}},
		{"three digits", map[string]int{"k/21_final_isa.s": 0, "k/100_final_isa.s": 0}, Options{}, []string{"k::softmax_rows_0"}, nil, []string{"21_final_isa.s"}},
		{"leftover", map[string]int{"k/21_final_isa.s": 10, "k/23_final_isa.s": 0}, Options{}, []string{"k::softmax_rows_0"}, []problem.Code{problem.StageStale}, []string{"21_final_isa.s"}},
		{"leftover of the same compile", map[string]int{"k/21_final_isa.s": 1, "k/23_final_isa.s": 0}, Options{}, []string{"k::softmax_rows_0"}, nil, []string{"21_final_isa.s"}},
		{"leftover, times ignored", map[string]int{"k/21_final_isa.s": 10, "k/23_final_isa.s": 0}, Options{IgnoreTimes: true}, []string{"k::softmax_rows_0"}, nil, []string{"21_final_isa.s", "written 10s later"}},
		{"compile failed", map[string]int{"k/22_final_isa.s": 0, "k/00_origin.mlir": 10}, Options{}, []string{"k::softmax_rows_0"}, []problem.Code{problem.DumpStale}, nil},
		{"compile failed, times ignored", map[string]int{"k/22_final_isa.s": 0, "k/00_origin.mlir": 10}, Options{IgnoreTimes: true}, []string{"k::softmax_rows_0"}, nil, []string{"left no assembly"}},
		{"a lower stage in between", map[string]int{"k/22_final_isa.s": 0, "k/21_final_isa.s": 1, "k/00_origin.mlir": 3}, Options{}, []string{"k::softmax_rows_0"}, []problem.Code{problem.DumpStale}, []string{"21_final_isa.s"}},
		{"sound compile", map[string]int{"k/22_final_isa.s": 5, "k/00_origin.mlir": 0}, Options{}, []string{"k::softmax_rows_0"}, nil, nil},
		{"other files", map[string]int{"k/22_final_isa.s.tmp": 0, "k/21_llvm_ir.ll": 0, "k/00_origin.mlir": 0}, Options{}, nil, []problem.Code{problem.NoDumpFiles}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tr := newTree(t)
			for name, seconds := range test.files {
				data := b
				switch base := filepath.Base(name); {
				case base == "00_origin.mlir":
					data = mlir
				case base == "9_final_isa.s" || base == "21_final_isa.s":
					data = a
				}
				tr.put(name, data, seconds)
			}
			expect(t, tr.read(test.opt), test.keys, test.codes, test.warnings...)
		})
	}
}

// TestFailedCompile reads what FlyDSL leaves behind when LLVM aborts: the old
// assembly beside a new origin.
func TestFailedCompile(t *testing.T) {
	tr := newTree(t)
	for name, seconds := range map[string]int{"22_final_isa.s": 0, "00_origin.mlir": 60} {
		paths, err := filepath.Glob("../../testdata/dumps/failed-compile/gfx950/then-failed/*/*/" + name)
		if err != nil || len(paths) == 0 {
			paths, _ = filepath.Glob("../../testdata/dumps/failed-compile/gfx950/then-failed/*/" + name)
		}
		if len(paths) == 0 {
			t.Fatal("no dump of a failed compile")
		}
		tr.put("k/"+name, content(t, paths[0]), seconds)
	}
	side := tr.read(Options{})
	if codes := problem.Codes(side.Problems); !slices.Equal(codes, []problem.Code{problem.DumpStale}) {
		t.Errorf("problems %v", side.Problems)
	}
}

func TestOddTrees(t *testing.T) {
	data := content(t, softmax)
	t.Run("missing", func(t *testing.T) {
		expect(t, Read(context.Background(), filepath.Join(t.TempDir(), "no"), Options{}), nil, []problem.Code{problem.InputNotFound})
	})
	t.Run("a file", func(t *testing.T) {
		expect(t, Read(context.Background(), softmax, Options{}), nil, []problem.Code{problem.InputKind})
	})
	t.Run("a directory of that name", func(t *testing.T) {
		tr := newTree(t)
		tr.put("22_final_isa.s/22_final_isa.s", data, 0)
		expect(t, tr.read(Options{}), []string{"22_final_isa.s::softmax_rows_0"}, nil)
	})
	t.Run("names", func(t *testing.T) {
		tr := newTree(t)
		var keys []string
		for _, name := range []string{"a b", "q\"uote'", "new\nline", "täst", "bad\xff", "tab\t"} {
			tr.put(name+"/22_final_isa.s", data, 0)
			keys = append(keys, resource.ValidText(name)+"::softmax_rows_0")
		}
		slices.Sort(keys)
		expect(t, tr.read(Options{}), keys, nil)
	})
	t.Run("a link to a file", func(t *testing.T) {
		tr := newTree(t)
		target, err := filepath.Abs(softmax)
		if err != nil {
			t.Fatal(err)
		}
		symlink(t, target, filepath.Join(tr.root, "22_final_isa.s"))
		expect(t, tr.read(Options{}), []string{"::softmax_rows_0"}, nil)
	})
	t.Run("a link to nowhere", func(t *testing.T) {
		tr := newTree(t)
		tr.put("k/22_final_isa.s", data, 0)
		symlink(t, "nowhere", filepath.Join(tr.root, "22_final_isa.s"))
		expect(t, tr.read(Options{}), []string{"k::softmax_rows_0"}, []problem.Code{problem.InputNotFound})
	})
	t.Run("a loop of links", func(t *testing.T) {
		tr := newTree(t)
		tr.put("k/22_final_isa.s", data, 0)
		symlink(t, "..", filepath.Join(tr.root, "k", "up"))
		expect(t, tr.read(Options{}), []string{"k::softmax_rows_0"}, nil, "k/up is a link to a directory")
	})
	t.Run("the root is a link", func(t *testing.T) {
		tr := newTree(t)
		tr.put("dump/k/22_final_isa.s", data, 0)
		link := filepath.Join(tr.root, "latest")
		symlink(t, "dump", link)
		expect(t, Read(context.Background(), link, Options{}), []string{"k::softmax_rows_0"}, nil)
	})
	t.Run("one key from two places", func(t *testing.T) {
		tr := newTree(t)
		odd := strings.ReplaceAll(string(data), "softmax_rows_0", "x::y")
		tr.put("d/22_final_isa.s", []byte(odd), 0)
		tr.put("d::x/22_final_isa.s", []byte(strings.ReplaceAll(string(data), "softmax_rows_0", "y")), 0)
		side := tr.read(Options{})
		if !slices.Contains(problem.Codes(side.Problems), problem.KeyDuplicate) || len(side.Records) != 1 {
			t.Errorf("%d records, problems %v", len(side.Records), side.Problems)
		}
	})
	t.Run("a module without kernels", func(t *testing.T) {
		empty := []byte("\t.amdgpu_metadata\n---\namdhsa.kernels:  []\namdhsa.target:   amdgcn-amd-amdhsa--gfx950\n...\n\n\t.end_amdgpu_metadata\n")
		tr := newTree(t)
		tr.put("lib/22_final_isa.s", empty, 0)
		expect(t, tr.read(Options{}), nil, []problem.Code{problem.NoKernels}, "lib/22_final_isa.s holds no kernels")
		tr.put("k/22_final_isa.s", data, 0)
		expect(t, tr.read(Options{}), []string{"k::softmax_rows_0"}, nil, "lib/22_final_isa.s holds no kernels")
	})
	t.Run("interrupted", func(t *testing.T) {
		tr := newTree(t)
		tr.put("k/22_final_isa.s", data, 0)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		expect(t, Read(ctx, tr.root, Options{}), nil, []problem.Code{problem.InputUnstable})
	})
}

func symlink(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

// TestPipe: a pipe that is called like a stage file is never opened, which would
// block for good.
func TestPipe(t *testing.T) {
	tr := newTree(t)
	tr.put("k/22_final_isa.s", content(t, softmax), 0)
	if err := syscall.Mkfifo(filepath.Join(tr.root, "22_final_isa.s"), 0o644); err != nil {
		t.Fatal(err)
	}
	expect(t, tr.read(Options{}), []string{"k::softmax_rows_0"}, nil, "22_final_isa.s is no regular file")
}

// TestUnreadable needs a user who may not read everything, so as root it runs
// itself again as another one.
func TestUnreadable(t *testing.T) {
	root := os.Getenv("UNREADABLE_TREE")
	if root == "" {
		tr := newTree(t)
		root = tr.root
		tr.put("k/22_final_isa.s", content(t, softmax), 0)
		tr.put("file/22_final_isa.s", content(t, softmax), 0)
		tr.put("dir/22_final_isa.s", content(t, softmax), 0)
		for _, name := range []string{"file/22_final_isa.s", "dir"} {
			path := filepath.Join(root, name)
			if err := os.Chmod(path, 0); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.Chmod(path, 0o755) })
		}
		if os.Getuid() == 0 {
			runAsNobody(t, root)
			return
		}
	}
	side := Read(context.Background(), root, Options{})
	expect(t, side, []string{"k::softmax_rows_0"}, []problem.Code{problem.InputUnreadable})
	if len(side.Problems) != 2 || side.Problems[0].File != "dir" || side.Problems[1].File != "file/22_final_isa.s" {
		t.Errorf("problems %v", side.Problems)
	}

	// A tree that cannot be listed at all is named as it was given.
	tree := filepath.Join(root, "dir")
	want := []problem.Problem{problem.New(problem.InputUnreadable, "%s cannot be read: permission denied", tree).In(tree)}
	if got := Read(context.Background(), tree, Options{}).Problems; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if f := ReadFolder(context.Background(), tree, "", Options{}); !slices.Equal(f.Problems, want) {
		t.Errorf("got %v, want %v", f.Problems, want)
	}
}

func runAsNobody(t *testing.T, root string) {
	t.Helper()
	for dir := root; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	binary := filepath.Join(root, "dump.test")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(binary, data, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "-test.run=^TestUnreadable$", "-test.v")
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), "UNREADABLE_TREE="+root, "GOCOVERDIR=")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestUnreadable") {
		t.Errorf("as another user: %v\n%s", err, out)
	}
}

// TestUnstable: a file that changes while it is read gives its figures at one
// moment or a problem, never a mixture.
func TestUnstable(t *testing.T) {
	tr := newTree(t)
	path := filepath.Join(tr.root, "k", "22_final_isa.s")
	small, large := content(t, transpose), content(t, softmax)
	write(t, path, small)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			data := small
			if i%2 == 0 {
				data = large
			}
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
			if err != nil {
				continue
			}
			f.Write(data[:len(data)/2])
			f.Write(data[len(data)/2:])
			f.Close()
		}
	}()
	defer func() { close(stop); <-stopped }()
	for range 30 {
		side := tr.read(Options{})
		switch {
		case len(side.Problems) > 0:
		case len(side.Records) != 1 || !side.Records[0].Trustworthy():
			t.Errorf("%d records", len(side.Records))
		case side.Records[0].Name == "softmax_rows_0" && side.Records[0].Cells[resource.LDSStaticBytes].Value != 64:
			t.Errorf("softmax has %v bytes of LDS", side.Records[0].Cells[resource.LDSStaticBytes])
		}
	}
}

// TestVanishing: directories that come and go while the tree is read.
func TestVanishing(t *testing.T) {
	tr := newTree(t)
	data := content(t, transpose)
	tr.put("stays/22_final_isa.s", data, 0)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			dir := filepath.Join(tr.root, "goes")
			os.MkdirAll(dir, 0o755)
			os.WriteFile(filepath.Join(dir, "22_final_isa.s"), data, 0o644)
			os.RemoveAll(dir)
		}
	}()
	defer func() { close(stop); <-stopped }()
	for range 30 {
		side := tr.read(Options{})
		if !slices.ContainsFunc(side.Records, func(r *resource.Record) bool { return r.Key == "stays::transpose_static_0" && r.Trustworthy() }) {
			t.Fatalf("what stays is lost: %v", side.Problems)
		}
		for _, p := range side.Problems {
			if p.Code != problem.InputUnstable && p.Code != problem.MetadataMissing && p.Code != problem.MetadataCut && p.Code != problem.NoKernels {
				t.Errorf("problem %v", p)
			}
		}
	}
}

// TestReadFolder: one directory gives what the whole tree gives of it.
func TestReadFolder(t *testing.T) {
	tr := newTree(t)
	tr.put("a/21_final_isa.s", content(t, transpose), 10)
	tr.put("a/23_final_isa.s", content(t, softmax), 0)
	tr.put("b/22_final_isa.s", content(t, softmax), 0)
	opt := Options{Digest: true, Settled: true}
	var folders []*Folder
	for _, dir := range []string{"", "a", "b", "gone"} {
		if f := ReadFolder(context.Background(), tr.root, dir, opt); f != nil {
			folders = append(folders, f)
		}
	}
	if len(folders) != 2 || folders[0].Leftover != "23_final_isa.s" {
		t.Fatalf("%d folders", len(folders))
	}
	whole, parts := tr.read(opt), Assemble(tr.root, folders)
	expect(t, parts, []string{"a::softmax_rows_0", "b::softmax_rows_0"}, []problem.Code{problem.StageStale}, "21_final_isa.s")
	for i, r := range whole.Records {
		if r.Digest == "" || r.Digest != parts.Records[i].Digest || r.Digest != whole.Records[0].Digest {
			t.Errorf("digest of %s is %q", r.Key, r.Digest)
		}
	}
}
