package capture

import (
	"bufio"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"isadiff/engine/dump"
	"isadiff/engine/regular"
)

// An event is a line of the journal that the hook writes; which fields it has
// depends on Event.
type event struct {
	Event   string // python, compiler, begin, end, launch, launch-failed, test-failed, tests-stopped, foreign, hook-error
	PID     int
	Name    string        // the launcher's or the test's name; of a compiler, its own
	Dir     string        // begin, end: what FLYDSL_DUMP_DIR was set to
	Dump    bool          // begin, end: whether dumping was on
	Error   string        // end, launch-failed, test-failed, tests-stopped, hook-error
	Test    bool          // launch-failed: in a test, which tells if it fails of that
	Where   string        // hook-error
	Written []writtenDump // end
	Files   []string      // foreign, external
	Roots   []string      // foreign: the folders that the files were imported from

	Version, Stamp, Python string // compiler
}

// A writtenDump is a dump directory that a compile wrote into.
type writtenDump struct {
	Dir    string
	Stage  string // its newest final assembly file; "" if the compile left none
	Digest string // of that file
}

// A journal is what the Python processes of one run told.
type journal struct {
	pythons   int // processes that loaded the hook
	compiles  []compiled
	launched  []string // launchers of launches that compiled nothing
	failed    []event  // launches and tests that failed before a compile
	compilers []dump.Compiler
	foreign   []string
	roots     []string // that they were imported from
	external  []string // files outside the project and of no installed package, with size and time
	errors    []event
	damaged   bool // a line could not be read
}

// A compiled is one compile: its end, or its beginning if it has none.
type compiled struct {
	event
	ended bool
}

// readJournal reads the journals of all processes of a run.
func readJournal(dir string) (j journal) {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return j
	}
	for _, file := range files { // sorted by process
		if !j.read(file) {
			j.damaged = true
		}
	}
	slices.Sort(j.external)
	j.external = slices.Compact(j.external)
	slices.Sort(j.foreign)
	j.foreign = slices.Compact(j.foreign)
	return j
}

// doubts reports whether compiles that failed or have not ended, or several that differ,
// wrote into a directory.
func (j journal) doubts(dir string) bool {
	digest := ""
	for _, c := range j.compiles {
		if !c.ended && inside(dir, c.Dir) {
			return true
		}
		for _, w := range c.Written {
			if w.Dir != dir {
				continue
			}
			if w.Digest == "" || c.Error != "" || digest != "" && w.Digest != digest {
				return true
			}
			digest = w.Digest
		}
	}
	return j.damaged
}

// read takes in the journal of one process. A process has one compile at a time.
func (j *journal) read(file string) bool {
	f, _, err := regular.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	var open []compiled
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil { // a line without an end was cut when the process died
			break
		}
		var e event
		if json.Unmarshal(line, &e) != nil {
			return false
		}
		switch e.Event {
		case "python":
			j.pythons++
		case "compiler":
			if c := (dump.Compiler{Name: e.Name, Version: e.Version, Stamp: e.Stamp, Python: e.Python}); !slices.Contains(j.compilers, c) {
				j.compilers = append(j.compilers, c)
			}
		case "begin":
			open = append(open, compiled{event: e})
		case "end":
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
			j.compiles = append(j.compiles, compiled{e, true})
		case "launch":
			if !slices.Contains(j.launched, e.Name) {
				j.launched = append(j.launched, e.Name)
			}
		case "launch-failed", "test-failed", "tests-stopped":
			j.failed = append(j.failed, e)
		case "foreign":
			j.foreign = append(j.foreign, e.Files...)
			j.roots = append(j.roots, e.Roots...)
		case "external":
			for _, f := range e.Files {
				if strings.Contains(f, hookPrefix) {
					continue // our own
				}
				j.external = append(j.external, f)
			}
		case "hook-error":
			j.errors = append(j.errors, e)
		}
	}
	j.compiles = append(j.compiles, open...)
	return true
}
