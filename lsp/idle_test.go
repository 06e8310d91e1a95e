//go:build linux

package lsp_test

import (
	"flag"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var idleTime = flag.Duration("idle", 70*time.Second, "how long the idle benchmark looks at a server that has nothing to do")

// BenchmarkIdle measures what a server uses of one core while nobody types and
// nothing is compiled, beside the goal: in a project of a few kernels, and in one
// of 10,000 dumps and 5,000 Python files. All known files are looked at every three
// minutes there, so a longer time than by default gives a better figure.
func BenchmarkIdle(b *testing.B) {
	tests := []struct {
		name    string
		project func(*testing.B) projectDir
	}{
		{"small", func(b *testing.B) projectDir {
			p := projectDir{b, b.TempDir()}
			p.copyFile("../testdata/kernels/transpose.py", "transpose.py")
			p.dump("mixed/gfx1201/before", "dumps")
			return p
		}},
		{"large", func(b *testing.B) projectDir { return largeProject(b) }},
	}
	for _, tt := range tests {
		b.Run(tt.name, func(b *testing.B) {
			p := tt.project(b)
			for b.Loop() {
				s := start(b, startOptions{})
				s.settings = object{"dumps": "dumps"}
				s.initializeWith(object{"processId": os.Getpid(), "rootUri": fileURI(p.root), "capabilities": capabilities()})
				s.settled(1)
				s.execute("isadiff.snapshotBaseline", object{}, nil)
				s.rescan()
				s.claim("window/showMessage")
				<-time.After(5 * time.Second) // what was done so far is no part of idleness
				before := processorTime(b, s)
				<-time.After(*idleTime)
				used := processorTime(b, s) - before
				b.ReportMetric(100*used.Seconds()/idleTime.Seconds(), "%-of-a-core(goal:0.05)")
				s.close()
			}
		})
	}
}

// processorTime is what all threads of the server have used, in ns: the clock that
// clock_getcpuclockid(3) gives for a process.
func processorTime(tb testing.TB, s *session) time.Duration {
	tb.Helper()
	const scheduler = 2
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^s.cmd.Process.Pid<<3|scheduler), &t); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(t.Nano())
}
