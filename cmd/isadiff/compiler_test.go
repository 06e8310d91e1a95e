package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A remake is one kernel that two compilers made of the same, or that one edited.
type remake struct {
	t             *testing.T
	before, after string
}

// remake copies the two sides of a pair. edit changes a file of after, by the end of
// its name.
func newRemake(t *testing.T, before, after string) remake {
	t.Helper()
	r := remake{t, filepath.Join(t.TempDir(), "before"), filepath.Join(t.TempDir(), "after")}
	for to, from := range map[string]string{r.before: before, r.after: after} {
		if err := os.CopyFS(to, os.DirFS(filepath.Join(repository(t), "testdata", filepath.FromSlash(from)))); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func (r remake) edit(dir, end, old, new string) {
	r.t.Helper()
	found := false
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, end) {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found = found || regexp.MustCompile(old).Match(text)
		return os.WriteFile(path, regexp.MustCompile(old).ReplaceAll(text, []byte(new)), 0o666)
	})
	if err != nil || !found {
		r.t.Fatalf("%s of %s: %q: %v", end, dir, old, err)
	}
}

func (r remake) write(path, text string) {
	r.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

// TestCompilerChanged: both sides' compilers are named, and where one module became
// other code it is said that the compiler changed and the kernel did not: of dumps, of
// a snapshot, and by a watch alike. Nothing is said that is not certain.
func TestCompilerChanged(t *testing.T) {
	t.Parallel()
	const (
		spills = "dumps/tile-up-spills/gfx942/"
		module = "window_filter/window_filter_0/00_origin.mlir"
		hip    = "kernels-hip-amdgcn-amd-amdhsa-gfx942.s"
	)
	manifest := func(version string) string {
		return `{"compilers": [{"name": "flydsl", "version": "` + version + `"}]}`
	}
	flydsl := func(t *testing.T, before, after string) remake {
		r := newRemake(t, spills+"before", spills+"after")
		text, err := os.ReadFile(filepath.Join(repository(t), "testdata", "dumps", "base", "gfx942", "window_filter", "window_filter_0", "00_origin.mlir"))
		if err != nil {
			t.Fatal(err)
		}
		for dir, version := range map[string]string{r.before: before, r.after: after} {
			r.write(filepath.Join(dir, filepath.FromSlash(module)), string(text))
			if version != "" {
				r.write(filepath.Join(dir, ".isadiff-capture.json"), manifest(version))
			}
		}
		return r
	}
	for _, test := range []struct {
		name    string
		make    func(*testing.T) remake
		line    string // that names the compilers; "" for none
		note    string // a part of what is said of the kernel; "" for nothing
		changed bool   // compiler_changed
	}{
		{"FlyDSL", func(t *testing.T) remake { return flydsl(t, "0.4.2", "0.5.0") },
			"compiler: before FlyDSL 0.4.2; after FlyDSL 0.5.0",
			"the compiler changed, the kernel did not: both were made from the same module, by FlyDSL 0.4.2 before and by FlyDSL 0.5.0 after", true},
		{"FlyDSL, plain dumps", func(t *testing.T) remake { return flydsl(t, "", "") },
			"", "the compiler changed, the kernel did not: both were made from the same module; which compilers made them is not known, so its options may be what changed", true},
		{"FlyDSL, one capture", func(t *testing.T) remake { return flydsl(t, "", "0.5.0") },
			"compiler: before not known; after FlyDSL 0.5.0", "the compiler changed, the kernel did not: both were made from the same module; which compilers", true},
		{"FlyDSL, other options", func(t *testing.T) remake { return flydsl(t, "0.5.0", "0.5.0") },
			"compiler: FlyDSL 0.5.0", "the kernel did not change: both were made from the same module by FlyDSL 0.5.0, so its build, options or environment did", false},
		{"FlyDSL, an edit", func(t *testing.T) remake {
			r := newRemake(t, spills+"before", spills+"after")
			r.write(filepath.Join(r.before, ".isadiff-capture.json"), manifest("0.4.2"))
			r.write(filepath.Join(r.after, ".isadiff-capture.json"), manifest("0.5.0"))
			return r
		}, "compiler: before FlyDSL 0.4.2; after FlyDSL 0.5.0", "", false},
		{"Triton", func(t *testing.T) remake {
			r := newRemake(t, "triton/after", "triton/after")
			r.edit(r.after, ".json", `"triton_version": "3.9.0"`, `"triton_version": "3.10.0"`)
			r.edit(r.after, ".amdgcn", `\ts_endpgm`, "\tds_read_b32 v0, v0\n\ts_endpgm")
			r.edit(r.after, ".ttir", `/project/`, "/ci/checkout/") // another folder is no edit
			return r
		}, "compiler: before Triton 3.9.0; after Triton 3.10.0", "the compiler changed, the kernel did not: both were made from the same module, by Triton 3.9.0", true},
		{"HIP, the source known", func(t *testing.T) remake {
			r := newRemake(t, "hip/before", "hip/after")
			r.edit(r.before, ".s", `(\t\.file\t\d+ "[^"]*" "[^"]*").*`, "$1 md5 0x1234")
			r.edit(r.after, ".s", `(\t\.file\t\d+ "[^"]*" "[^"]*").*`, "$1 md5 0x1234")
			r.edit(r.after, ".s", `clang version 22\.1\.8`, "clang version 23.1.0")
			return r
		}, "compiler: before Debian clang version 22.1.8 (1~deb12u1); after Debian clang version 23.1.0 (1~deb12u1)",
			"the compiler changed from Debian clang version 22.1.8 (1~deb12u1) to Debian clang version 23.1.0 (1~deb12u1), and the source files that the assembly names did not", false},
		{"HIP, another source", func(t *testing.T) remake {
			r := newRemake(t, "hip/before", "hip/after")
			r.edit(r.after, ".s", `clang version 22\.1\.8`, "clang version 23.1.0")
			return r
		}, "compiler: before Debian clang version 22.1.8 (1~deb12u1); after Debian clang version 23.1.0 (1~deb12u1)", "", false},
		{"HIP, two compilers in one tree", func(t *testing.T) remake {
			r := newRemake(t, "hip/before", "hip/before")
			r.edit(r.after, hip, `clang version 22\.1\.8`, "clang version 19.1.7")
			return r
		}, "compiler: before Debian clang version 22.1.8 (1~deb12u1); after Debian clang version 19.1.7 (1~deb12u1) (6 kernels), Debian clang version 22.1.8 (1~deb12u1) (6 kernels)", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := test.make(t)
			baseline := filepath.Join(t.TempDir(), "baseline.json")
			if out, err := exec.Command("isadiff", "snapshot", "--ignore-times", "--force", r.before, "-o", baseline).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, before := range []string{r.before, baseline} {
				text, _ := exec.Command("isadiff", "diff", "--ignore-times", before, r.after).Output() // exit codes are of the figures
				if test.line != "" && !strings.Contains("\n"+string(text), "\n"+test.line+"\n") || test.line == "" && strings.Contains(string(text), "compiler:") {
					t.Errorf("want the line %q of\n%s", test.line, text)
				}
				noted := strings.Contains(string(text), "did not") || strings.Contains(string(text), "module")
				if test.note != "" && !strings.Contains(string(text), ": "+test.note) || noted != (test.note != "") {
					t.Errorf("want the note %q of\n%s", test.note, text)
				}
				for format, want := range map[string]string{"markdown": test.line, "html": test.line, "junit": strings.TrimPrefix(test.line, "compiler: ")} {
					page, _ := exec.Command("isadiff", "diff", "--ignore-times", before, r.after, "--format", format).Output()
					if plain := strings.NewReplacer(`\`, "", "&#43;", "+", "-&gt;", "->").Replace(string(page)); !strings.Contains(plain, want) {
						t.Errorf("%s lacks %q", format, want)
					}
				}
				report, _ := exec.Command("isadiff", "diff", "--ignore-times", before, r.after, "--json", "-").Output()
				if changed := changedRows(t, report); changed != test.changed {
					t.Errorf("compiler_changed %v\n%s", changed, report)
				}
			}
			if text := firstBlock(t, t.TempDir(), baseline, r.after); !strings.Contains(text, test.line) || !strings.Contains(text, test.note) {
				t.Errorf("watch lacks %q or %q:\n%s", test.line, test.note, text)
			}
		})
	}
}

// firstBlock returns what a watch in a folder shows first.
func firstBlock(t *testing.T, dir, baseline, dumps string) string {
	t.Helper()
	watch := exec.Command("isadiff", "watch", "--ignore-times", "--kernels", "*", "--baseline", baseline, dumps)
	watch.Dir = dir
	out, err := watch.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := watch.Start(); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		text.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "RESULT: ") {
			break
		}
	}
	_ = watch.Process.Kill()
	_ = watch.Wait() // it was killed
	return text.String()
}

// changedRows reports whether all rows of a report have compiler_changed.
func changedRows(t *testing.T, text []byte) bool {
	t.Helper()
	var report struct {
		Rows []struct {
			Changed bool `json:"compiler_changed"`
		}
	}
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, row := range report.Rows {
		if !row.Changed {
			return false
		}
	}
	return len(report.Rows) > 0
}
