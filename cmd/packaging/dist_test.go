package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestDist builds everything twice, from two copies of the sources in folders of
// different names, and wants the same bytes; then it installs and runs what this
// machine can. It takes minutes, so it is run only by `make test-dist`, which
// sets ISADIFF_DIST to the platforms: "all", or "linux/amd64,…".
func TestDist(t *testing.T) {
	chosen := os.Getenv("ISADIFF_DIST")
	if chosen == "" {
		t.Skip("run by make test-dist: ISADIFF_DIST is not set")
	}
	if chosen == "all" {
		chosen = ""
	}
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	base := t.TempDir()
	vscode := available(t, "the packages of VS Code", filepath.Join(repository, "editors", "vscode", "node_modules")) && found(t, "node")
	var outs []string
	for _, name := range []string{"a", "another-place"} {
		root := filepath.Join(base, name)
		from := repository
		if len(outs) > 0 {
			from = filepath.Join(base, "a") // others may be editing the repository
		}
		copySources(t, from, root)
		if vscode {
			if err := os.Symlink(filepath.Join(repository, "editors", "vscode", "node_modules"), filepath.Join(root, "editors", "vscode", "node_modules")); err != nil {
				t.Fatal(err)
			}
		}
		d := &dist{root: root, out: filepath.Join(root, "dist"), vscode: vscode, log: io.Discard}
		if err := d.choose(chosen); err != nil {
			t.Fatal(err)
		}
		if err := d.make(); err != nil {
			t.Fatal(err)
		}
		outs = append(outs, d.out)
	}
	same(t, outs[0], outs[1])
	t.Run("checksums", func(t *testing.T) { checkSums(t, outs[0]) })
	t.Run("run", func(t *testing.T) { runArchives(t, outs[0]) })
	t.Run("pip", func(t *testing.T) { installWheel(t, outs[0]) })
	t.Run("bill", func(t *testing.T) {
		bills, _ := filepath.Glob(filepath.Join(outs[0], "*.cdx.json"))
		data, err := os.ReadFile(bills[0])
		if err != nil {
			t.Fatal(err)
		}
		validate(t, data)
	})
}

// available reports whether something exists that a test needs. Where CI is set
// it has to.
func available(t *testing.T, what, path string) bool {
	t.Helper()
	_, err := os.Stat(path)
	if err != nil {
		lacking(t, what+": "+err.Error())
	}
	return err == nil
}

func found(t *testing.T, command string) bool {
	t.Helper()
	_, err := exec.LookPath(command)
	if err != nil {
		lacking(t, command+" is not installed")
	}
	return err == nil
}

func lacking(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Errorf("not tested: %s", why)
		return
	}
	t.Logf("not tested: %s", why)
}

// copySources copies what is built from, with times of its own.
func copySources(t *testing.T, from, to string) {
	t.Helper()
	skipped := []string{".git", ".cache", "bin", "dist", "node_modules", "test"}
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case e.IsDir() && rel != "." && slices.Contains(skipped, e.Name()):
			return filepath.SkipDir
		case e.IsDir():
			return os.MkdirAll(target, 0o777)
		case !e.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, data, 0o666)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func same(t *testing.T, a, b string) {
	t.Helper()
	names := func(dir string) (list []string) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return list
	}
	if x, y := names(a), names(b); !slices.Equal(x, y) {
		t.Fatalf("not the same files:\n%s\n%s", x, y)
	}
	for _, name := range names(a) {
		x, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			t.Fatal(err)
		}
		y, err := os.ReadFile(filepath.Join(b, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(x, y) {
			t.Errorf("%s is not the same in two builds", name)
		}
	}
}

func checkSums(t *testing.T, dir string) {
	sums, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() == "SHA256SUMS" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if line := fmt.Sprintf("%x  %s\n", sha256.Sum256(data), e.Name()); !strings.Contains(string(sums), line) {
			t.Errorf("SHA256SUMS lacks %s", line)
		}
	}
}

// runArchives unpacks the archive of each platform that runs here, that of
// another processor by qemu's user mode, and lets the binary do its work.
func runArchives(t *testing.T, dir string) {
	archives, _ := filepath.Glob(filepath.Join(dir, "isadiff-*-"+runtime.GOOS+"-*.tar.gz"))
	ran := 0
	for _, archive := range archives {
		_, arch, _ := strings.Cut(strings.TrimSuffix(filepath.Base(archive), ".tar.gz"), runtime.GOOS+"-")
		var command []string
		if arch != runtime.GOARCH {
			qemu := map[string]string{"arm64": "qemu-aarch64-static", "amd64": "qemu-x86_64-static"}[arch]
			if !found(t, qemu) {
				continue
			}
			command = []string{qemu}
		}
		into := t.TempDir()
		if out, err := exec.Command("tar", "-xzf", archive, "-C", into, "--strip-components=1").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, name := range []string{"README.md", "agents/isadiff/.claude-plugin/plugin.json", "agents/isadiff/.lsp.json", "agents/isadiff/skills/isadiff/SKILL.md", "man/man1/isadiff.1", "man/man1/isadiff-diff.1", "completions/isadiff.bash", "completions/_isadiff"} {
			if _, err := os.Stat(filepath.Join(into, name)); err != nil {
				t.Errorf("%s: %v", filepath.Base(archive), err)
			}
		}
		program := "isadiff"
		run := func(args ...string) string {
			t.Helper()
			args = append(append(slices.Clone(command), filepath.Join(into, program)), args...)
			out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
			if err != nil {
				t.Errorf("%v: %v\n%s", args, err, out)
			}
			return string(out)
		}
		if out := run("version"); !strings.HasPrefix(out, "isadiff ") || strings.HasPrefix(out, "isadiff devel") {
			t.Errorf("%s: %s", arch, out)
		}
		dumps := filepath.Join("..", "..", "testdata", "dumps", "tile-up-spills", "gfx942", "before")
		if out := run("diff", dumps, dumps); !strings.HasSuffix(out, "RESULT: OK\n") {
			t.Errorf("%s: %s", arch, out)
		}
		program = "isadiff-mcp"
		if out := run("--version"); !strings.HasPrefix(out, "isadiff-mcp ") || strings.HasPrefix(out, "isadiff-mcp devel") {
			t.Errorf("%s: %s", arch, out)
		}
		ran++
	}
	if ran == 0 {
		lacking(t, "no archive for this machine")
	}
}

// installWheel installs the wheel of this machine into an environment of its own,
// without a network, and runs it there.
func installWheel(t *testing.T, dir string) {
	here := slices.IndexFunc(platforms, func(p platform) bool { return p.goos == runtime.GOOS && p.goarch == runtime.GOARCH })
	if here < 0 || runtime.GOOS == "windows" {
		lacking(t, "no wheel is installed on this system")
		return
	}
	wheels, _ := filepath.Glob(filepath.Join(dir, "isadiff-*-py3-none-"+platforms[here].wheel+".whl"))
	if len(wheels) != 1 {
		t.Fatalf("wheels for this machine: %v", wheels)
	}
	if !found(t, "python3") {
		return
	}
	environment := filepath.Join(t.TempDir(), "venv")
	run := func(want, name string, args ...string) {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), "PIP_DISABLE_PIP_VERSION_CHECK=1", "PYTHONPATH=")
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
	}
	python := filepath.Join(environment, "bin", "python")
	run("", "python3", "-m", "venv", environment)
	run("Successfully installed isadiff", python, "-m", "pip", "install", "--no-index", wheels[0])
	run("", python, "-m", "pip", "check")
	run("RESULT: REGRESSION", filepath.Join(environment, "bin", "isadiff"), "demo")
	run("isadiff ", python, "-m", "isadiff", "version")
	run("isadiff.pytest_plugin", python, "-c", "from importlib import metadata; print([e.value for d in metadata.distributions() for e in d.entry_points if e.group == 'pytest11'])")
	run("Successfully uninstalled", python, "-m", "pip", "uninstall", "-y", "isadiff")
	if left, _ := filepath.Glob(filepath.Join(environment, "bin", "isadiff*")); len(left) > 0 {
		t.Errorf("left after uninstalling: %v", left)
	}
}
