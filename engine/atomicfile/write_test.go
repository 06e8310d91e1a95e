package atomicfile_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"isadiff/engine/atomicfile"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// entries returns what is in dir, so that a forgotten temporary file is seen.
func entries(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestWriteReplacesWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "with space ü.json")
	for _, content := range []string{"a longer first content", "short", ""} {
		if err := atomicfile.Write(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); got != content {
			t.Errorf("got %q, want %q", got, content)
		}
	}
	if got := entries(t, dir); got != "with space ü.json" {
		t.Errorf("left in the directory: %s", got)
	}
}

func TestWriteKeepsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions are those of the directory on Windows")
	}
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Write(path, []byte("x")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o600 {
		t.Errorf("mode %v, want 0600", got)
	}
}

func TestWriteFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	link, target := filepath.Join(dir, "link"), filepath.Join(dir, "target")
	if err := os.Symlink("target", link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	for _, content := range []string{"dangling", "existing"} {
		if err := atomicfile.Write(link, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, target); got != content {
			t.Errorf("the link's target holds %q, want %q", got, content)
		}
		if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link is no link any more (%v)", err)
		}
	}
}

func TestWriteRefusals(t *testing.T) {
	dir := t.TempDir()
	if err := atomicfile.Write(dir, []byte("x")); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("a directory as target: %v", err)
	}
	if err := atomicfile.Write(filepath.Join(dir, "no", "such", "f"), []byte("x")); err == nil {
		t.Error("a missing directory was accepted")
	}
	if got := entries(t, dir); got != "" {
		t.Errorf("left in the directory: %s", got)
	}
}

// An error halfway leaves the old file and nothing besides.
func TestWriteFuncFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := atomicfile.WriteFunc(path, func(w io.Writer) error {
		if _, err := w.Write(make([]byte, 1<<20)); err != nil {
			return err
		}
		return broken
	})
	if !errors.Is(err, broken) || read(t, path) != "old" || entries(t, dir) != "f" {
		t.Errorf("%v; %s holds %d bytes", err, entries(t, dir), len(read(t, path)))
	}
}

// What is open is written to: renaming another file over it would take what was
// written to it before and after.
func TestWriteToOpenFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	stdout := os.Stdout
	os.Stdout = f
	t.Cleanup(func() { os.Stdout = stdout })
	put := func(s string) {
		if _, err := f.WriteString(s); err != nil {
			t.Fatal(err)
		}
	}
	put("table\n")
	if err := atomicfile.Write(path, []byte("document\n")); err != nil {
		t.Fatal(err)
	}
	put("verdict\n")
	if got := read(t, path); got != "table\ndocument\nverdict\n" {
		t.Errorf("%q", got)
	}
	if atomicfile.Replaces(path) || !atomicfile.Replaces(filepath.Join(dir, "other")) {
		t.Error("what is replaced is mistaken")
	}
	os.Stdout = stdout
	fd := fmt.Sprintf("/dev/fd/%d", f.Fd())
	if _, err := os.Stat(fd); err != nil {
		t.Skip("no /dev/fd here")
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(fd, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{fd, link} {
		if err := atomicfile.Write(name, []byte("more\n")); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, path); got != "table\ndocument\nverdict\nmore\nmore\n" {
		t.Errorf("%q", got)
	}
}

func TestWriteToDevices(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	if err := atomicfile.Write("/dev/full", []byte("x")); err == nil {
		t.Error("a full disk went unnoticed")
	}
	if err := atomicfile.Write("/dev/null", []byte("x")); err != nil {
		t.Errorf("/dev/null: %v", err)
	}
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode().IsRegular() {
		t.Fatalf("/dev/null was replaced by a file (%v)", err)
	}
}

// What killed writers left beside the file goes with the next one, once it is old.
func TestWriteClearsWhatWasLeft(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("temporary files have other names there")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	old := time.Now().Add(-2 * time.Hour)
	for name, left := range map[string]bool{
		".b.json1234567890123456789": false, ".b.json20261130": true, ".b.json": true, ".b.json123456789012345x": true,
		"b.json1234567890123456789": true, ".a.json1234567890123456789": true, ".b.json9234567890123456789": true,
	} {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if name != ".b.json9234567890123456789" { // another one writes it
			if err := os.Chtimes(name, old, old); err != nil {
				t.Fatal(err)
			}
		}
		t.Cleanup(func() {
			if _, err := os.Lstat(filepath.Join(dir, name)); (err == nil) != left {
				t.Errorf("%s: %v, want it left: %v", name, err, left)
			}
		})
	}
	if err := atomicfile.Write("b.json", nil); err != nil {
		t.Fatal(err)
	}
}
