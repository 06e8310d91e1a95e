package dump

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"isadiff/engine/problem"
)

// A capture that has not ended is never taken for a full one: neither the whole
// tree, nor a part of it, nor a tree that holds it.
func TestIncompleteCapture(t *testing.T) {
	text, err := os.ReadFile("../../testdata/dumps/base/gfx950/transpose/transpose_static_0/22_final_isa.s")
	if err != nil {
		t.Fatal(err)
	}
	top := t.TempDir()
	root := filepath.Join(top, "capture", "gfx950")
	write(t, filepath.Join(root, "k", "22_final_isa.s"), text)
	mark := filepath.Join(root, IncompleteName)
	write(t, mark, []byte("interrupted after 3 s\nmore\n"))

	for _, dir := range []string{root, filepath.Join(root, "k"), top} {
		side := Read(context.Background(), dir, Options{})
		if len(side.Records) != 1 || side.Trustworthy() || len(side.Problems) != 1 ||
			side.Problems[0].Code != problem.CaptureIncomplete || !strings.Contains(side.Problems[0].Message, ": interrupted after 3 s") {
			t.Errorf("%s: %d kernels, problems %v", dir, len(side.Records), side.Problems)
		}
	}
	folder := ReadFolder(context.Background(), root, "", Options{})
	if folder == nil || len(folder.Problems) != 1 {
		t.Errorf("the marked directory alone: %+v", folder)
	}

	// Which of them ended without a word is known by the file of the run.
	running := filepath.Join(root, RunningName)
	for _, c := range []struct {
		mark          string
		left          bool
		message, mend string
	}{
		{"interrupted after 3 s\n", true, "is not whole: interrupted after 3 s", "capture again"},
		{"", true, "has not ended: it may be under way", "wait until it has ended; "},
		{Begun(time.Unix(0, 0)), false, "has not ended: it was begun at 19", "wait until it has ended; "},
		{Begun(time.Unix(0, 0)), true, "says that a capture was begun at 19", "capture again; if it runs on another machine, "},
	} {
		write(t, mark, []byte(c.mark))
		_ = os.Remove(running)
		if c.left {
			write(t, running, nil)
		}
		p := Read(context.Background(), root, Options{}).Problems
		if len(p) != 1 || !strings.Contains(p[0].Message, c.message) || !strings.HasPrefix(p[0].Mend(), c.mend) || (c.message[:4] != "says") == strings.Contains(p[0].Message, "killed") {
			t.Errorf("%q, left %v: %v, %q", c.mark, c.left, p, p[0].Mend())
		}
	}

	if err := os.Remove(mark); err != nil {
		t.Fatal(err)
	}
	if side := Read(context.Background(), root, Options{}); !side.Trustworthy() {
		t.Errorf("without the mark: %v", side.Problems)
	}
	// A directory of that name, or a mark beside the tree, says nothing.
	if err := os.Mkdir(mark, 0o755); err != nil {
		t.Fatal(err)
	}
	if side := Read(context.Background(), root, Options{}); !side.Trustworthy() {
		t.Errorf("a directory of that name: %v", side.Problems)
	}
}
