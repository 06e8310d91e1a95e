// Command performance runs the benchmarks and writes docs/understand/performance.md: each
// figure beside its goal, as a ratio of two things measured in one run where
// there is something to compare with. `make bench` calls it.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"log"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	r := results{}
	for _, s := range suites {
		if err := r.run(s); err != nil {
			log.Fatalf("%s: %v", s.pkg, err)
		}
	}
	var b bytes.Buffer
	r.write(&b)
	if err := os.WriteFile("docs/understand/performance.md", b.Bytes(), 0o666); err != nil {
		log.Fatal(err)
	}
}

// A suite is the benchmarks of one package that run together.
type suite struct{ pkg, bench, time string }

var suites = []suite{
	{"./engine/isa", "Parse|CountLines", "1s"},
	{"./engine/dump", "Read|Object", "1s"},
	{"./cmd/isadiff", "^BenchmarkTree$", "5x"},
	{"./cmd/isadiff", "RealTree", "3x"},
	{"./engine/pysource", "^BenchmarkScan$|^BenchmarkRead$", "1s"},
	{"./engine/locate", "ParseOrigin|Set5000|Resolve", "1s"},
	{"./engine/diff", "Compare|Assemble", "1s"},
	{"./engine/live", "OneDump|Edit", "20x"},
	{"./engine/pressure", "Straight|Branches", "1s"},
	{"./engine/why", "Compare25k|CompareUnlike25k", "1s"},
	{"./lsp", "PublishOneChange|Hover|CodeLens", "1s"},
	{"./watch/session", "Latency", "10x"},
}

// results are metrics by benchmark ("isa.Parse/small") and unit ("ns/op").
type results map[string]map[string]float64

// run runs a suite and keeps what it measured.
func (r results) run(s suite) error {
	cmd := exec.Command("go", "test", "-run", "^$", "-bench", s.bench, "-benchtime", s.time, "-benchmem", "-timeout", "20m", s.pkg)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	os.Stdout.Write(out)
	if err != nil {
		return err
	}
	pkg := s.pkg[strings.LastIndexByte(s.pkg, '/')+1:]
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := strings.TrimPrefix(fields[0], "Benchmark")
		if i := strings.LastIndexByte(name, '-'); i > 0 {
			name = name[:i]
		}
		metrics := map[string]float64{}
		for i := 2; i+1 < len(fields); i += 2 {
			v, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return fmt.Errorf("%q: %w", lines.Text(), err)
			}
			metrics[fields[i+1]] = v
		}
		r[pkg+"."+name] = metrics
	}
	return lines.Err()
}

// A row is one figure of the page.
type row struct {
	what, goal string
	figure     func(results) (string, bool)
}

var rows = []row{
	{"`summarize` of 1,000 dump directories, wall time against `find -print0 \\| xargs -0 cat` over the same warm files", "at most 1", metric("isadiff.RealTree/summarize/1000", "x-cat", "%.2f")},
	{"the same with `-q --json`, which hashes the bodies", "1.3", metric("isadiff.RealTree/json/1000", "x-cat", "%.2f")},
	{"`diff` of two such trees against `cat` over both", "at most 1", metric("isadiff.RealTree/diff/1000", "x-cat", "%.2f")},
	{"`diff` of a snapshot and such a tree against `cat` over both", "1.3", metric("isadiff.RealTree/snapshot/1000", "x-cat", "%.2f")},
	{"10,000 directories against 1,000: `summarize`", "10", ratio("isadiff.RealTree/summarize/10000", "isadiff.RealTree/summarize/1000", "ns/op", "%.1f")},
	{"the same: `summarize -q --json`", "10", ratio("isadiff.RealTree/json/10000", "isadiff.RealTree/json/1000", "ns/op", "%.1f")},
	{"the same: `diff`", "10", ratio("isadiff.RealTree/diff/10000", "isadiff.RealTree/diff/1000", "ns/op", "%.1f")},
	{"the same: `diff` of a snapshot and a tree", "10", ratio("isadiff.RealTree/snapshot/10000", "isadiff.RealTree/snapshot/1000", "ns/op", "%.1f")},
	{"memory at 10,000: `summarize -q --json`", "64 MiB beyond the largest file", metric("isadiff.RealTree/json/10000", "MiB", "%.0f MiB")},
	{"the same: `diff`", "64 MiB beyond the largest file", metric("isadiff.RealTree/diff/10000", "MiB", "%.0f MiB")},
	{"the same: `diff` of a snapshot of 72 MB and a tree", "64 MiB beyond the largest file", metric("isadiff.RealTree/snapshot/10000", "MiB", "%.0f MiB")},
	{"files with one kernel each: `summarize` of 1,000 directories against `cat`", "at most 1", metric("isadiff.Tree/summarize/1000", "x-cat", "%.2f")},
	{"the same: `diff` of two against `cat` over both", "at most 1", metric("isadiff.Tree/diff/1000", "x-cat", "%.2f")},
	{"the same: `summarize` of 10,000 against 1,000", "10", ratio("isadiff.Tree/summarize/10000", "isadiff.Tree/summarize/1000", "ns/op", "%.1f")},
	{"the same: `diff` of 10,000 against 1,000", "10", ratio("isadiff.Tree/diff/10000", "isadiff.Tree/diff/1000", "ns/op", "%.1f")},
	{"the same: memory of `summarize` at 10,000", "64 MiB beyond the largest file", metric("isadiff.Tree/summarize/10000", "MiB", "%.0f MiB")},
	{"the same: memory of `diff` at 10,000", "64 MiB beyond the largest file", metric("isadiff.Tree/diff/10000", "MiB", "%.0f MiB")},
	{"assembly reader, file of 75 KB", "over 1 GB/s a core", metric("isa.Parse/large", "MB/s", "%.0f MB/s")},
	{"the same against only finding line ends", "", ratio("isa.Parse/large", "isa.CountLines/large", "ns/op", "%.1f")},
	{"allocations of the reader, 75 KB against 5 KB", "independent of the size: 1", ratio("isa.Parse/large", "isa.Parse/small", "allocs/op", "%.2f")},
	{"tree of 1,000 against reading the same bytes", "", ratio("dump.Read/1000", "dump.ReadBytes", "ns/op", "%.1f")},
	{"library of code objects, 20,000 kernels and 1 GB, against reading the same bytes", "", ratio("dump.Object", "dump.ObjectBytes", "ns/op", "%.2f")},
	{"the same alone", "", duration("dump.Object", "ns/op")},
	{"`00_origin.mlir` reader", "", metric("locate.ParseOrigin", "MB/s", "%.0f MB/s")},
	{"Python scanner against reading the bytes, 3,500 lines", "", ratio("pysource.Scan", "pysource.Read", "ns/op", "%.0f")},
	{"comparing 10,000 kernels", "", duration("diff.Compare", "ns/op")},
	{"live: one of 10,000 dumps settles → new State", "5 ms with publishing", duration("live.OneDump", "ns/op")},
	{"live: one of 10,000 kernels changes → bytes on the wire", "", duration("lsp.PublishOneChange", "ns/op")},
	{"hover, the server's own work", "1 ms", duration("lsp.Hover", "ns/op")},
	{"code lenses of a file, the server's own work", "1 ms", duration("lsp.CodeLens", "ns/op")},
	{"the compiler's last write → new State, default settings", "250 ms", duration("session.Latency", "ns/op")},
	{"live registers of a file of 1.5 MB", "20 ms", duration("pressure.AnalyzeStraight", "ns/op")},
	{"the same with 20,000 branches against 10,000", "2 (linear)", ratio("pressure.AnalyzeBranches20k", "pressure.AnalyzeBranches10k", "ns/op", "%.1f")},
	{"`why` of two files of 1.5 MB, 25,000 instructions each", "500 ms", duration("why.Compare25k", "ns/op")},
	{"the same of two that have little in common", "500 ms", duration("why.CompareUnlike25k", "ns/op")},
}

func metric(name, unit, format string) func(results) (string, bool) {
	return func(r results) (string, bool) {
		v, ok := r[name][unit]
		return fmt.Sprintf(format, v), ok
	}
}

func ratio(name, beside, unit, format string) func(results) (string, bool) {
	return func(r results) (string, bool) {
		v, ok := r[name][unit]
		w, okBeside := r[beside][unit]
		return fmt.Sprintf(format, v/w), ok && okBeside && w > 0
	}
}

func duration(name, unit string) func(results) (string, bool) {
	return func(r results) (string, bool) {
		v, ok := r[name][unit]
		return time.Duration(v).Round(100 * time.Nanosecond).String(), ok
	}
}

func (r results) write(b *bytes.Buffer) {
	fmt.Fprintf(b, `# Performance

Written by `+"`make bench`"+`, which measures everything below in one run: %s/%s, %d cores, %s. Ratios hold on other machines, times do not.
Compared figures were measured side by side. No test asserts a time.

The trees of the first rows are made of the real files of LLVM 14 to 22 in `+"`testdata/isa.zip`"+` that hold one to nine kernels, and of FlyDSL's in
`+"`testdata/dumps/base`"+`: 3.2 kernels and 46 kB a directory. Those with one kernel a file are of the latter alone.

| what | goal | measured |
|---|---|---|
`, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	for _, row := range rows {
		figure, ok := row.figure(r)
		if !ok {
			log.Fatalf("no figure for %q: a benchmark was renamed", row.what)
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", row.what, row.goal, figure)
	}
	b.WriteString(`
## Where the time goes

A third of the time of reading a tree goes to system calls: list a directory; open, examine, read, examine again and close a file. The rest goes to the reader. It looks at the
first letters of each line and skips most lines, then goes through the kernels' bodies once more, eight bytes at a time, for registers past the kernels' counts. One worker per
core reads directories; files over 4 MiB are read one at a time, so memory does not grow with the number of cores. A snapshot also has a hash of each kernel's instructions, which
takes as long as a third of the reading.

In a live session the work follows the change: it reads one directory, compares one kernel and publishes one file's diagnostics. Most of the time between the compiler's last write
and the answer is the watcher's quiet time of 150 ms, in which the rest of a batch arrives.
`)
}
