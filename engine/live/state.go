package live

import (
	"slices"
	"strings"
	"time"

	"isadiff/engine/accept"
	"isadiff/engine/diff"
	"isadiff/engine/locate"
	"isadiff/engine/problem"
	"isadiff/engine/pysource"
	"isadiff/engine/resource"
)

// A Status tells how one kernel stands in a live session.
type Status uint8

// The statuses of a kernel.
const (
	Unchanged     Status = iota // compared, no delta
	Changed                     // compared, only informational deltas, or growth that is accepted
	Worse                       // compared, and a trigger grew that is not accepted or a budget is broken
	Better                      // compared, triggers only shrank
	NoBaseline                  // figures only: there is nothing to compare with
	Edited                      // a source that it is compiled with was saved since; figures are those of the code before
	Pending                     // in the baseline, not compiled since this session's dumps began
	Compiling                   // a compile of it is under way; figures are the last ones
	OneSided                    // vanished from the dumps, or not in the baseline
	Untrustworthy               // cannot be judged: see Problems
)

// String returns the status as JSON and the protocol spell it.
func (s Status) String() string {
	return [...]string{
		Unchanged: "unchanged", Changed: "changed", Worse: "worse", Better: "better", NoBaseline: "no-baseline", Edited: "edited",
		Pending: "pending", Compiling: "compiling", OneSided: "one-sided", Untrustworthy: "untrustworthy",
	}[s]
}

// A Kernel is one kernel of a State: a row of the comparison with what only a
// live session knows. A kernel that did not change from one State to the next is
// the same pointer in both, so what changed is found by comparing pointers.
type Kernel struct {
	Key                    string
	Row                    *diff.Row        // nil without a usable baseline
	Live                   *resource.Record // nil if not in the dumps
	Baseline               *resource.Record // nil without a baseline or not in it
	Status                 Status
	Problems               []problem.Problem // all reasons why it cannot be judged, of the record, its file and the row; a Compiling kernel has dump-stale among them, which is not yet news
	Broken                 []diff.Breach     // the budgets that it breaks, with a baseline or without
	Place                  locate.Place
	File                   string      // absolute path of the live .s file; "" if none
	Dumped                 time.Time   // modification time of File
	Compiled               time.Time   // when the compile began that File is of, or earlier: a source that was not saved since is what it read
	Leftover               string      // absolute path of the stage file that hides a newer one (stage-stale); "" if none
	Stale                  bool        // the definition's source is another text than was compiled, saved or not
	Edited                 []string    // saved sources that it is compiled with and that mean something else since, relative to the project's root
	Identical              bool        // the body's instructions equal the baseline's
	Remade                 diff.Remade // whether it was made of the same as the baseline's and has other instructions
	RenamedTo, RenamedFrom string      // key of the probable counterpart of a one-sided kernel
	Proposed               *diff.Row   // the two of a probable counterpart compared, which counts for nothing until a pair says that they are one; nil without one
	Pair                   [2]string   // the halves of the order that makes them one
	Instead                string      // the source of the baseline's kernel, where the dump is that of another source and both define one of the name; "" if not
	Variants               []Variant   // what its place in the dumps held before, compiled from the same sources; it is overwritten then
}

// A State is everything there is to show at one moment. It is an immutable
// value: whoever holds one can show it, compare it or drop it, and never locks.
type State struct {
	Seq       uint64       // grows by one with every State of a session
	Ready     bool         // false only before every input was read once: there is nothing to show yet
	Kernels   []*Kernel    // sorted by key
	Result    *diff.Result // exactly what `isadiff diff` says of the same files; nil if there is no baseline; without rows if there is one that cannot be used
	Live      *resource.Side
	Dumps     Dumps
	Baseline  Baseline
	Problems  []problem.Problem  // all that count for the verdict, as in Result; without baseline those of Live
	Warnings  []string           // Result's and the session's own, such as overwritten specializations; they change no verdict
	Invalid   []problem.Problem  // those of Problems that say why the session as a whole is not to be relied on, see [Session.Distrust]
	Failed    []problem.Problem  // those of Problems that say how the last run failed, see [Order.End]
	Refused   bool               // nothing is compared, as it is not known what: see Invalid
	Unread    []accept.Fault     // what cannot be read of the file of accepted regressions, and so accepts nothing
	Pending   int                // kernels whose Status is Pending
	Compiling int                // kernels whose Status is Compiling
	Edited    int                // kernels with sources that were saved since their compile
	Verdict   diff.Verdict       // Result's; without baseline as of `isadiff summarize`
	Run       *Run               // the run of isadiff that compiles into the dumps; nil if none is under way
	Sources   map[string]*Source // by absolute path: every Python file that defines kernels
}

// Kernel returns the kernel of a key, or nil.
func (s *State) Kernel(key string) *Kernel {
	i, ok := slices.BinarySearchFunc(s.Kernels, key, func(k *Kernel, key string) int { return strings.Compare(k.Key, key) })
	if !ok {
		return nil
	}
	return s.Kernels[i]
}

// Dumps tells where the live side comes from and how its changes are noticed.
type Dumps struct {
	Path    string
	Exists  bool
	Polling bool
	Reason  string // why it is polled, in words for the user; "" when events are used
}

// A Baseline tells where the before side came from.
type Baseline struct {
	Path    string
	Exists  bool
	Written time.Time        // of the snapshot file; zero for a dump directory
	Dir     bool             // a dump directory rather than a snapshot
	Undo    bool             // an earlier baseline is kept, so the last change can be undone
	Problem *problem.Problem // why it cannot be used; nil if it can, or if there is none
}

// A Source is a Python file with the kernels that its definitions compile to.
type Source struct {
	Path        string
	File        *pysource.File
	Version     int64     // grows with every change of the text
	Definitions []Defined // in the order of the text
}

// A Defined is a definition with its kernels, the worst first.
type Defined struct {
	Definition pysource.Definition
	Kernels    []*Kernel
}
