package capture

import (
	"io"
	"regexp"
	"strings"
	"sync"
)

// A tail keeps the end of what a command prints.
type tail struct {
	mu   sync.Mutex
	data []byte
}

const tailSize = 64 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.data = append(t.data, p...)
	if len(t.data) > 2*tailSize {
		t.data = append(t.data[:0], t.data[len(t.data)-tailSize:]...)
	}
	return len(p), nil
}

// tee returns a writer to both; to t alone if w is nil. What w cannot take is
// dropped: the command must not die of it.
func tee(w io.Writer, t *tail) io.Writer {
	if w == nil {
		return t
	}
	return teeWriter{w, t}
}

type teeWriter struct {
	w io.Writer
	t *tail
}

func (tw teeWriter) Write(p []byte) (int, error) {
	_, _ = tw.w.Write(p)
	return tw.t.Write(p)
}

var (
	escapes = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]|\x1b\\][^\x07]*\x07")
	// names of the lines that say why a command failed, the most telling first:
	// LLVM's own abort, an exception, pytest's summary, any other error.
	telling = []*regexp.Regexp{
		regexp.MustCompile(`^LLVM ERROR: `),
		regexp.MustCompile(`^(ERROR|FAILED) \S`),
		regexp.MustCompile(`^[\w.]*(Error|Exception|Interrupt|Exit)\b`),
		regexp.MustCompile(`(?i)\berror\b|not found`),
	}
)

// maxCause bounds a cause.
const maxCause = 300

// cause returns the line that says best why the command failed, "" if it printed
// nothing.
func (t *tail) cause() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(escapes.ReplaceAllString(string(t.data), ""), "\n")
	best, last, rank := "", "", len(telling)
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		last = line
		for i, pattern := range telling[:rank+min(1, len(telling)-rank)] {
			if pattern.MatchString(line) {
				best, rank = line, i
				break
			}
		}
	}
	if best == "" {
		best = last
	}
	if len(best) > maxCause {
		best = strings.ToValidUTF8(best[:maxCause], "") + " ..."
	}
	return best
}
