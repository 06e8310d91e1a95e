package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A platform is one that binaries are made for, with the names that others have
// for it.
type platform struct {
	goos, goarch string
	wheel        string   // Python's platform tags
	vscode       []string // VS Code's targets
}

// The binaries are static, so one of Linux runs with any libc. Go 1.26 needs
// macOS 12 (go.dev/doc/go1.25#darwin).
var platforms = []platform{
	{"linux", "amd64", "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64", []string{"linux-x64", "alpine-x64"}},
	{"linux", "arm64", "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64", []string{"linux-arm64", "alpine-arm64"}},
	{"darwin", "amd64", "macosx_12_0_x86_64", []string{"darwin-x64"}},
	{"darwin", "arm64", "macosx_12_0_arm64", []string{"darwin-arm64"}},
	{"windows", "amd64", "win_amd64", []string{"win32-x64"}},
	{"windows", "arm64", "win_arm64", []string{"win32-arm64"}},
}

// binary returns the file name of a program.
func (p platform) binary(program string) string {
	if p.goos == "windows" {
		return program + ".exe"
	}
	return program
}

// The programs. An archive has both; wheels and editors' packages the first alone.
const (
	isadiff = "isadiff"
	server  = "isadiff-mcp"
)

// binaryLimit is the largest that a binary may be: what takes it higher is a decision.
const binaryLimit = 18 << 20

// A dist makes everything that is handed out.
type dist struct {
	root      string // of the repository
	out       string
	platforms []platform
	vscode    bool
	log       io.Writer

	version string
	stage   string // a temporary folder
}

// make builds everything anew.
func (d *dist) make() (err error) {
	if d.version, err = d.readVersion(); err != nil {
		return err
	}
	if err := d.empty(); err != nil {
		return err
	}
	if d.stage, err = os.MkdirTemp("", "isadiff-dist-"); err != nil {
		return err
	}
	defer os.RemoveAll(d.stage)
	extras, err := d.documentation()
	if err != nil {
		return err
	}
	module, err := readTree(filepath.Join(d.root, "cmd", "packaging", "python", "isadiff"), "isadiff/")
	if err != nil {
		return err
	}
	var binaries []string
	for i, p := range d.platforms {
		fmt.Fprintf(d.log, "%s/%s, %d of %d: Go compiles it, which takes minutes the first time", p.goos, p.goarch, i+1, len(d.platforms))
		if d.vscode {
			fmt.Fprint(d.log, "; then node packs the extension")
		}
		fmt.Fprintln(d.log)
		path, binary, err := d.program(p, isadiff)
		if err != nil {
			return err
		}
		other, agents, err := d.program(p, server)
		if err != nil {
			return err
		}
		binaries = append(binaries, path, other)
		if err := d.archive(p, append([]file{binary, agents}, extras...)); err != nil {
			return err
		}
		if err := d.write(fmt.Sprintf("isadiff-%s-py3-none-%s.whl", d.version, p.wheel), func(w io.Writer) error {
			return writeWheel(w, d.version, p.wheel, binary, module)
		}); err != nil {
			return err
		}
		if d.vscode {
			for _, target := range p.vscode {
				if err := d.extension(target, path); err != nil {
					return err
				}
			}
		}
	}
	if err := d.neovim(); err != nil {
		return err
	}
	if err := d.write("isadiff-"+d.version+".cdx.json", func(w io.Writer) error {
		return writeBill(w, d.version, binaries, filepath.Join(d.root, "editors", "vscode", "package-lock.json"))
	}); err != nil {
		return err
	}
	return d.checksums()
}

// readVersion returns the version, which stands once: in the extension's manifest.
func (d *dist) readVersion() (string, error) {
	path := filepath.Join(d.root, "editors", "vscode", "package.json")
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("reading the version: %w", err)
	}
	var manifest struct{ Version string }
	if err := json.Unmarshal(data, &manifest); err != nil || manifest.Version == "" {
		return "", fmt.Errorf("reading the version: %s names none", path)
	}
	return manifest.Version, nil
}

// empty removes what an earlier run wrote. A folder that holds anything else is
// not touched.
func (d *dist) empty() error {
	old, err := os.ReadDir(d.out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range old {
		if e.Name() != "SHA256SUMS" && !strings.HasPrefix(e.Name(), "isadiff") || e.IsDir() {
			return fmt.Errorf("%s holds %s, which is not of an earlier run: name another folder", d.out, e.Name())
		}
	}
	for _, e := range old {
		if err := os.Remove(filepath.Join(d.out, e.Name())); err != nil {
			return err
		}
	}
	return os.MkdirAll(d.out, 0o777)
}

// program builds a program for a platform and returns its path and its entry.
func (d *dist) program(p platform, name string) (path string, f file, err error) {
	if path, err = d.build(p, name); err != nil {
		return "", f, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", f, err
	}
	if len(data) > binaryLimit {
		return "", f, fmt.Errorf("%s of %s/%s has %d bytes, more than %d", name, p.goos, p.goarch, len(data), binaryLimit)
	}
	return path, file{name: p.binary(name), data: data, executable: true}, nil
}

// build builds a program for a platform and returns its path.
func (d *dist) build(p platform, name string) (string, error) {
	path, err := filepath.Abs(filepath.Join(d.stage, p.goos+"-"+p.goarch, p.binary(name)))
	if err != nil {
		return "", err
	}
	_, err = d.run(append(os.Environ(), "GOOS="+p.goos, "GOARCH="+p.goarch, "CGO_ENABLED=0", "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0"),
		"go", "build", "-trimpath", "-buildvcs="+d.stamp(), "-ldflags=-s -w -X main.release="+d.version, "-o", path, "./cmd/"+name)
	return path, err
}

// stamp tells whether the binary can be stamped with the revision: only in a
// checkout that git can read.
func (d *dist) stamp() string {
	if _, err := d.run(os.Environ(), "git", "rev-parse", "HEAD"); err != nil {
		return "false"
	}
	return "true"
}

// run runs a command in the root of the repository and returns what it printed.
func (d *dist) run(env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = d.root, env
	var errOut bytes.Buffer
	cmd.Stderr = &errOut
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, errOut.Bytes())
	}
	return out, nil
}

// documentation returns what goes into an archive beside the binary: the README
// with the pages and pictures that it leads to, the license, the manual pages, the
// completions of shells and the plugin for coding agents.
func (d *dist) documentation() (files []file, err error) {
	host, err := d.build(platform{goos: runtime.GOOS, goarch: runtime.GOARCH}, isadiff)
	if err != nil {
		return nil, err
	}
	manual := filepath.Join(d.stage, "man")
	if _, err := d.run(os.Environ(), host, "man", manual); err != nil {
		return nil, err
	}
	if files, err = readTree(manual, "man/man1/"); err != nil {
		return nil, err
	}
	for shell, name := range map[string]string{"bash": "isadiff.bash", "zsh": "_isadiff", "fish": "isadiff.fish", "powershell": "isadiff.ps1"} {
		script, err := d.run(os.Environ(), host, "completion", shell)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: "completions/" + name, data: script})
	}
	pages, err := d.pages()
	if err != nil {
		return nil, err
	}
	plugin, err := readTree(filepath.Join(d.root, "editors", "agents", "isadiff"), "agents/isadiff/", ".claude-plugin", ".lsp.json", ".mcp.json")
	if err != nil {
		return nil, err
	}
	return append(append(files, pages...), plugin...), nil
}

// pages returns the README with all that it leads to, and the license.
func (d *dist) pages() (files []file, err error) {
	if files, err = readTree(filepath.Join(d.root, "docs"), "docs/"); err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(f file) bool { return strings.HasSuffix(f.name, ".go") })
	for _, name := range []string{"README.md", "CHANGELOG.md", "editors/vscode/README.md", "LICENSE"} {
		data, err := os.ReadFile(filepath.Join(d.root, name))
		if errors.Is(err, fs.ErrNotExist) && name == "LICENSE" {
			continue
		}
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: name, data: data})
	}
	return files, nil
}

// archive writes what is unpacked by hand.
func (d *dist) archive(p platform, contents []file) error {
	folder := fmt.Sprintf("isadiff-%s-%s-%s", d.version, p.goos, p.goarch)
	var files []file
	for _, f := range contents {
		f.name = folder + "/" + f.name
		files = append(files, f)
	}
	if p.goos == "windows" {
		return d.write(folder+".zip", func(w io.Writer) error { return writeZip(w, sorted(files)) })
	}
	return d.write(folder+".tar.gz", func(w io.Writer) error { return writeTar(w, files) })
}

// extension writes the package of VS Code for one target.
func (d *dist) extension(target, binary string) error {
	script := filepath.Join("editors", "vscode", "scripts", "package.mjs")
	out := filepath.Join(d.stage, "vscode")
	if _, err := d.run(append(os.Environ(), "ISADIFF_BINARY="+binary, "SOURCE_DATE_EPOCH="+fmt.Sprint(epoch.Unix())), "node", script, out, target); err != nil {
		return fmt.Errorf("%w\nnode and `npm ci` in editors/vscode are needed; -without-vscode leaves these packages out", err)
	}
	name := "isadiff-" + target + ".vsix"
	data, err := os.ReadFile(filepath.Join(out, name))
	if err != nil {
		return err
	}
	return d.write(name, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// neovim writes the plugin, to be unpacked below a `pack/*/start`.
func (d *dist) neovim() error {
	files, err := readTree(filepath.Join(d.root, "editors", "nvim"), "isadiff.nvim/")
	if err != nil {
		return err
	}
	return d.write("isadiff.nvim-"+d.version+".tar.gz", func(w io.Writer) error { return writeTar(w, files) })
}

func (d *dist) write(name string, fill func(io.Writer) error) error {
	var b bytes.Buffer
	if err := fill(&b); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	fmt.Fprintf(d.log, "  %-80s %5.1f MB\n", name, float64(b.Len())/(1<<20))
	return os.WriteFile(filepath.Join(d.out, name), b.Bytes(), 0o666)
}

// checksums writes SHA256SUMS, as `sha256sum -c` reads it.
func (d *dist) checksums() error {
	written, err := os.ReadDir(d.out)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, e := range written {
		data, err := os.ReadFile(filepath.Join(d.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), e.Name())
	}
	return os.WriteFile(filepath.Join(d.out, "SHA256SUMS"), []byte(sums.String()), 0o666)
}
