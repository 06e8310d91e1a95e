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
	cure := problem.Lookup(p.Code).Cure
	whole := k == nil && (p.Code == problem.TargetDiffers || p.Code == problem.TargetFeaturesDiffer) // of the tree
	if whole || p.Side == diff.SideBefore && cure != problem.ExplainOnly {
		cure = problem.TakeBaseline
	}
	switch cure {
	case problem.CompileAgain:
		if offersCapture(f) {
			return []action{{"compile again", commandCapture, commandArgs{Folder: folder}}, explain}
		}
	case problem.TakeBaseline:
		return []action{{"take baseline", commandSnapshotBaseline, commandArgs{Folder: folder}}, explain}
	case problem.RemoveLeftover:
		if k != nil && k.Leftover != "" {
			return []action{{"remove " + filepath.Base(k.Leftover), commandRemoveLeftover, commandArgs{Folder: folder, File: k.Leftover}}, explain}
		}
	case problem.OpenAtLine:
		if k != nil && k.File != "" {
			return []action{{"open the assembly", commandShowISA, commandArgs{Folder: folder, Kernel: kernel, Line: p.Line}}, explain}
		}
	case problem.NewestCounts:
		counts := action{"the newest counts", commandNewestCounts, commandArgs{Folder: folder, Kernel: kernel}}
		if offersCapture(f) {
			return []action{{"capture", commandCapture, commandArgs{Folder: folder}}, counts, explain}
		}
		return []action{counts, explain}
	case problem.ReadAgain:
		return []action{{"read again", commandRescan, commandArgs{Folder: folder}}, explain}
	}
	return []action{explain}
}
