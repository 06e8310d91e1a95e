//go:build producers

package realtest

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
)

// A watching is a live session of the built binary.
type watching struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines *bufio.Scanner
	seen  []string
}

// startWatch starts `isadiff watch --json` in a project.
func startWatch(t *testing.T, dir string) *watching {
	t.Helper()
	w := &watching{t: t, cmd: exec.Command(binary(t), "watch", "--json")}
	w.cmd.Dir = dir
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.cmd.Process.Kill(); w.cmd.Wait() })
	w.lines = bufio.NewScanner(out)
	w.lines.Buffer(nil, 1<<24)
	return w
}

// until waits for a state that diff would end with an exit code and that names a
// kernel.
func (w *watching) until(exit int, kernel string) {
	w.t.Helper()
	for w.lines.Scan() {
		line := w.lines.Text()
		w.seen = append(w.seen, line)
		var state struct {
			Exit int `json:"exit_code"`
		}
		if err := json.Unmarshal([]byte(line), &state); err != nil {
			w.t.Fatalf("%v: %s", err, line)
		}
		if state.Exit == exit && strings.Contains(line, kernel) {
			return
		}
	}
	w.t.Fatalf("no state of %d about %q: %v\n%s", exit, kernel, w.lines.Err(), strings.Join(w.seen, "\n"))
}

func (w *watching) stop() {
	w.t.Helper()
	if err := w.cmd.Process.Kill(); err != nil {
		w.t.Error(err)
	}
}
