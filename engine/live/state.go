package live

import (
	"time"

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
	Changed                     // compared, only informational deltas
	Worse                       // compared, a trigger grew
	Better                      // compared, triggers only shrank
	NoBaseline                  // figures only: there is nothing to compare with
	Pending                     // in the baseline, not compiled since this session's dumps began
	Compiling                   // a compile of it is under way; figures are the last ones
	OneSided                    // vanished from the dumps, or not in the baseline
	Untrustworthy               // cannot be judged: see Problems
)

// A Kernel is one kernel of a State: a row of the comparison with what only a
// live session knows.
type Kernel struct {
	Key                    string
	Row                    *diff.Row        // nil without a baseline
	Live                   *resource.Record // nil if not in the dumps
	Baseline               *resource.Record // nil without a baseline or not in it
	Status                 Status
	Problems               []problem.Problem // all reasons why it cannot be judged, of the record, its file and the row
	Place                  locate.Place
	File                   string       // absolute path of the live .s file; "" if none
	Dumped                 time.Time    // modification time of File
	Stale                  bool         // the definition's source changed after the compile
	Identical              bool         // the body's instructions equal the baseline's
	CompilerChanged        bool         // the same 00_origin.mlir up to locations, other instructions
	RenamedTo, RenamedFrom string       // key of the probable counterpart of a one-sided kernel
	Generations            []Generation // figures that were overwritten within one batch and differ
}

// A Generation is one of several contents that a dump file had in a batch.
type Generation struct {
	Cells resource.Cells
}

// A State is everything there is to show at one moment. It is an immutable
// value: whoever holds one can show it, compare it or drop it, and never locks.
type State struct {
	Seq      uint64
	Kernels  []*Kernel    // sorted by key
	Result   *diff.Result // nil without a usable baseline
	Live     *resource.Side
	Baseline Baseline
	Problems []problem.Problem // all that count for the verdict, as in Result; without baseline those of Live
	Pending  int
	Verdict  diff.Verdict       // Result's; without baseline OK or NotTrustworthy
	Sources  map[string]*Source // by absolute path: every Python file that defines kernels
}

// A Baseline tells where the before side came from.
type Baseline struct {
	Path    string
	Exists  bool
	Written time.Time
	Problem *problem.Problem // why it cannot be used
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
