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

// ownLine begins the lines that FlyDSL prints about each of its dumps.
const ownLine = "[flydsl.compile] "

// withoutOwnLines returns a writer to w that drops the lines of the compiler itself.
// What else is written it passes on at once, also where a line has no end yet.
func withoutOwnLines(w io.Writer) io.Writer {
	if w == nil {
		return nil
	}
	return &lineFilter{w: w}
}

type lineFilter struct {
	w    io.Writer
	line []byte // the beginning of a line, as long as it may be one to drop
	rest bool   // the line is told: the rest of it is passed on
	drop bool   // or dropped
}

func (f *lineFilter) Write(p []byte) (int, error) {
	var kept []byte
	for _, b := range p {
		switch {
		case f.drop:
		case f.rest:
			kept = append(kept, b)
		default:
			f.line = append(f.line, b)
			switch {
			case string(f.line) == ownLine:
				f.line, f.drop = f.line[:0], true
			case !strings.HasPrefix(ownLine, string(f.line)):
				kept, f.line, f.rest = append(kept, f.line...), f.line[:0], true
			}
		}
		if b == '\n' {
			f.rest, f.drop = false, false
		}
	}
	if len(kept) == 0 {
		return len(p), nil
	}
	_, err := f.w.Write(kept)
	return len(p), err
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
