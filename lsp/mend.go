package lsp

import (
	"path/filepath"

	"isadiff/engine/diff"
	"isadiff/engine/live"
	"isadiff/engine/problem"
)

// An action is something that a lens or a code action offers: a title and the
// command that the server runs.
type action struct {
	Title   string
	Command string
	Args    commandArgs
}

// A cure is the kind of command that mends a problem.
type cure uint8

const (
	explainOnly    cure = iota // nothing that a server could do: the explanation tells what a person can
	compileAgain               // compile into a fresh dump directory
	takeBaseline               // write the baseline again from the dumps
	removeLeftover             // remove the stage file that hides a newer one
	openAtLine                 // look at the assembly
	readAgain                  // read the tree again
	newestCounts               // say that the newest of several dumps is the one to compare
)

// cures is the mend of every problem code of the contract. A code that is not
// here is mended by what its explanation says.
var cures = map[problem.Code]cure{
	problem.InputNotFound:   compileAgain,
	problem.InputKind:       explainOnly,
	problem.InputUnreadable: readAgain,
	problem.InputUnstable:   readAgain,

	problem.NoDumpFiles: compileAgain,
	problem.NoKernels:   compileAgain,

	problem.MetadataMissing:    compileAgain,
	problem.MetadataCut:        compileAgain,
	problem.MetadataMalformed:  compileAgain,
	problem.DescriptorMismatch: compileAgain,
	problem.StageStale:         removeLeftover,
	problem.DumpStale:          compileAgain,

	problem.NotUTF8: compileAgain,

	problem.KernelUnnamed:      compileAgain,
	problem.KernelNameConflict: compileAgain,
	problem.KernelDuplicate:    compileAgain,
	problem.KeyDuplicate:       compileAgain,

	problem.CountInvalid:     compileAgain,
	problem.CountMissing:     compileAgain,
	problem.SymbolConflict:   compileAgain,
	problem.SymbolUnresolved: compileAgain,
	problem.CountsContradict: compileAgain,

	problem.BodyUnbounded:   openAtLine,
	problem.BodyUncountable: openAtLine,

	problem.TargetUnknown:        explainOnly,
	problem.TargetDiffers:        explainOnly,
	problem.TargetFeaturesDiffer: explainOnly,
	problem.TargetConflict:       compileAgain,

	problem.OnlyInBefore: takeBaseline,
	problem.OnlyInAfter:  takeBaseline,

	problem.PairAmbiguous: explainOnly,

	problem.ApplicabilityDiffers: takeBaseline,

	problem.SnapshotInvalid:       takeBaseline,
	problem.SnapshotSchema:        takeBaseline,
	problem.SnapshotUntrustworthy: takeBaseline,
	problem.AssemblyMissing:       explainOnly, // a new baseline of other code would end the comparison

	problem.ConfigurationInvalid: explainOnly,

	problem.BudgetInvalid: explainOnly,
	problem.BudgetUnknown: explainOnly,

	problem.RunUnderWay:        explainOnly,
	problem.CaptureIncomplete:  compileAgain,
	problem.CaptureNotFresh:    explainOnly,
	problem.CaptureFailed:      compileAgain,
	problem.CaptureInterrupted: compileAgain,
	problem.CaptureEmpty:       explainOnly,
	problem.CaptureCached:      explainOnly,
	problem.CaptureNoISA:       compileAgain,
	problem.CaptureOverwritten: explainOnly,
	problem.CaptureElsewhere:   explainOnly,
	problem.CompareRevision:    explainOnly,
	problem.CompareOwnCode:     explainOnly,
	problem.MergeConflict:      explainOnly,

	problem.Overwritten:  newestCounts,
	problem.SourceEdited: compileAgain,

	problem.InternalError:    readAgain,
	problem.Usage:            explainOnly,
	problem.OutputUnwritable: explainOnly,
}

// mends returns what to offer for a problem: the command that mends it, then its
// explanation. A cure that this server cannot perform is left to the
// explanation, which tells how. What is wrong with the baseline is mended by a new
// one.
func (s *Server) mends(f *folder, k *live.Kernel, p problem.Problem) []action {
	folder := string(f.uri)
	var kernel string
	if k != nil {
		kernel = k.Key
	}
	explain := action{"explain", commandExplain, commandArgs{Folder: folder, Code: string(p.Code)}}
	cure := cures[p.Code]
	if p.Side == diff.SideBefore && cure != explainOnly {
		cure = takeBaseline
	}
	switch cure {
	case compileAgain:
		if offersCapture(f) {
			return []action{{"compile again", commandCapture, commandArgs{Folder: folder}}, explain}
		}
	case takeBaseline:
		return []action{{"take baseline", commandSnapshotBaseline, commandArgs{Folder: folder}}, explain}
	case removeLeftover:
		if k != nil && k.Leftover != "" {
			return []action{{"remove " + filepath.Base(k.Leftover), commandRemoveLeftover, commandArgs{Folder: folder, File: k.Leftover}}, explain}
		}
	case openAtLine:
		if k != nil && k.File != "" {
			return []action{{"open the assembly", commandShowISA, commandArgs{Folder: folder, Kernel: kernel, Line: p.Line}}, explain}
		}
	case newestCounts:
		counts := action{"the newest counts", commandNewestCounts, commandArgs{Folder: folder, Kernel: kernel}}
		if offersCapture(f) {
			return []action{{"capture", commandCapture, commandArgs{Folder: folder}}, counts, explain}
		}
		return []action{counts, explain}
	case readAgain:
		return []action{{"read again", commandRescan, commandArgs{Folder: folder}}, explain}
	}
	return []action{explain}
}

// gravest returns the problem that says most about why a kernel cannot be
// judged: what is wrong with the dump before what is wrong with the pair, and what
// follows from another problem behind it.
func gravest(ps []problem.Problem) problem.Problem {
	best := ps[0]
	for _, p := range ps[1:] {
		if rankOf(p.Code) < rankOf(best.Code) {
			best = p
		}
	}
	return best
}

// follows are the problems that others bring about, by the last group of the
// contract that can be behind them.
var follows = map[problem.Code]int{
	problem.DescriptorMismatch:   5, // an entry that is cut off or has no name is missed
	problem.CountsContradict:     8, // a symbol with two values contradicts what else tells it
	problem.ApplicabilityDiffers: 13,
}

func rankOf(c problem.Code) int {
	if group, ok := follows[c]; ok {
		return 2*group + 1
	}
	return 2 * problem.Lookup(c).Group
}
