package gitignore_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"isadiff/engine/gitignore"
)

// In isadiff's own folder git sees the figures and the accepted regressions, and
// nothing else that isadiff writes there.
func TestBeside(t *testing.T) {
	root := t.TempDir()
	for file, ignored := range map[string]bool{
		"baseline.json": false, "accepted.toml": false, "gfx942.json": false, ".gitignore": false,
		"baseline.isa.zst": true, "baseline.previous.json": true, "baseline.previous.isa.zst": true,
		"more/gfx1201.json": false, "more/gfx1201.isa.zst": true, "report.md": true, "compare.md": true, "capture.log": true, "dumps/k/22_final_isa.s": true,
		".baseline.json.lock": true, ".baseline.isa.zst123456789012345678": true, "baseline.json.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp": true, "baseline.json123456": true, "baseline.isa.zst123456": true,
	} {
		path := filepath.Join(root, ".isadiff", filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if file != ".gitignore" {
			if err := os.WriteFile(path, nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		gitignore.Beside(filepath.Join(root, ".isadiff", "more", "gfx1201.json"), os.OpenFile)
		git := func(args ...string) error {
			return exec.Command("git", append([]string{"-C", root}, args...)...).Run()
		}
		if err := git("init", "-q"); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skip("git: ", err)
		}
		if err := git("check-ignore", "-q", path); (err == nil) != ignored {
			t.Errorf("%s: ignored is %v, want %v", file, err == nil, ignored)
		}
	}
}

func TestBesideLeavesAlone(t *testing.T) {
	root := t.TempDir()
	own := filepath.Join(root, ".isadiff", ".gitignore")
	if err := os.Mkdir(filepath.Dir(own), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(own, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{".isadiff/baseline.json", "before.json", ".isadiff/dumps/k.s"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o777); err != nil {
			t.Fatal(err)
		}
		gitignore.Beside(filepath.Join(root, filepath.FromSlash(path)), os.OpenFile)
	}
	if text, err := os.ReadFile(own); string(text) != "mine" {
		t.Errorf("the user's file is %q, %v", text, err)
	}
	for _, other := range []string{".gitignore", ".isadiff/dumps/.gitignore"} {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(other))); err == nil {
			t.Errorf("%s was written", other)
		}
	}
}
