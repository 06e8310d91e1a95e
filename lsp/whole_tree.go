package lsp

import (
	"isadiff/engine/live"
	"isadiff/engine/problem"
)

// wholeTree returns the one problem that stands for those of all kernels where no kernel
// can be compared for the same cause: the tree was built for another target than the
// baseline. It is of no file and no kernel.
func wholeTree(s *live.State) (p problem.Problem, ok bool) {
	n, before, after := 0, "", ""
	for _, k := range s.Kernels {
		if k.Live == nil || k.Baseline == nil || k.Status == live.Compiling {
			continue
		}
		if k.Status != live.Untrustworthy || len(k.Problems) == 0 {
			return problem.Problem{}, false
		}
		code := problem.Gravest(k.Problems).Code
		b, a := k.Baseline.Target.Processor, k.Live.Target.Processor
		if code == problem.TargetFeaturesDiffer {
			b, a = k.Baseline.Target.ID, k.Live.Target.ID
		} else if code != problem.TargetDiffers {
			return problem.Problem{}, false
		}
		if n++; n == 1 {
			p.Code, before, after = code, b, a
		} else if code != p.Code || b != before || a != after {
			return problem.Problem{}, false
		}
	}
	if n < 2 {
		return problem.Problem{}, false
	}
	return problem.New(p.Code, "%s: built for %s, and for %s in the baseline", problem.Count(n, "kernel"), oneLine(after), oneLine(before)).
		Mended("take a baseline of this target, or build for %s", oneLine(before)), true
}

// folderProblems are what counts for the verdict and is shown on the folder: what no
// kernel shows, and what all do.
func folderProblems(s *live.State) []problem.Problem {
	ps := unshown(s)
	if p, ok := wholeTree(s); ok {
		ps = append(ps[:len(ps):len(ps)], p)
	}
	return ps
}

// folded is the code of what is said of the whole tree and so of no kernel; "" if nothing
// is.
func folded(s *live.State) string {
	p, _ := wholeTree(s)
	return string(p.Code)
}
