package lsp_test

import (
	endian "encoding/binary"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// However many look at it, the assembly of a compile after a save is read twice: by
// who watches it, and by who takes in what a run has left.
func TestReadsOfACompile(t *testing.T) {
	p := newSavingProject(t)
	s := p.trusting(true)
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if _, err := unix.InotifyAddWatch(fd, p.path("dumps/k.py/window_filter_0"), unix.IN_CLOSE_NOWRITE); err != nil {
		t.Fatal(err)
	}
	p.save(s, strings.Replace(savedKernel, "small", "large", 1), 2)
	expect(s, "textDocument/publishDiagnostics", func(d published) bool {
		return d.URI == p.uri("k.py") && len(d.Diagnostics) == 1
	})
	s.rescan()
	reads := map[string]int{}
	buffer := make([]byte, 64<<10)
	for {
		n, err := unix.Read(fd, buffer)
		if err == unix.EAGAIN || n <= 0 {
			break
		}
		for rest := buffer[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			end := unix.SizeofInotifyEvent + int(endian.NativeEndian.Uint32(rest[12:]))
			name, _, _ := strings.Cut(string(rest[unix.SizeofInotifyEvent:end]), "\x00")
			reads[name]++
			rest = rest[end:]
		}
	}
	// One more is that of the compiler's own process, whose hook hashes what it wrote.
	if n := reads["22_final_isa.s"]; n == 0 || n > 2+1 {
		t.Errorf("read %d times: %v", n, reads)
	}
	s.claim("textDocument/publishDiagnostics")
	s.close()
}
