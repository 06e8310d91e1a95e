package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every version's snapshots go on to load: testdata/snapshots holds one of each
// writer that ever was, NAME-VERSION.json, of one and the same dump. A file there
// is never written anew; a release whose snapshots differ from the last one's adds
// its own.
func TestSnapshotsOfEveryVersion(t *testing.T) {
	t.Parallel()
	kept, err := filepath.Glob(filepath.Join("testdata", "snapshots", "*.json"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("no snapshots: %v", err)
	}
	dumps := filepath.Join(repository(t), "testdata", "dumps", "tile-up-spills", "gfx942")
	for _, path := range kept {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), filepath.ToSlash(repository(t))) {
				t.Error("it names a place on the machine that it was made on")
			}
			// What a later version might add: it is read over.
			later := filepath.Join(t.TempDir(), "later.json")
			if err := os.WriteFile(later, []byte(strings.Replace(string(text), "{", "{\n  \"of_a_later_version\": {\"a\": [1, null]},", 1)), 0o666); err != nil {
				t.Fatal(err)
			}
			for _, snapshot := range []string{path, later} {
				for side, want := range map[string]string{"before": "RESULT: OK", "after": "worsened: 3; improved: 0\nRESULT: REGRESSION"} {
					cmd := exec.Command("isadiff", "diff", snapshot, filepath.Join(dumps, side))
					out, _ := cmd.Output() // the exit code says what the last line says
					if !strings.HasSuffix(string(out), want+"\n") || !strings.Contains(string(out), "compared 1 of 1 kernels") {
						t.Errorf("against %s:\n%s", side, out)
					}
				}
			}
		})
	}
}
