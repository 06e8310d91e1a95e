package facts

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"isadiff/engine/diff"
	"isadiff/engine/live"
	"isadiff/engine/locate"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// Record returns what is known of a kernel of a session: the live side, else the
// baseline.
func Record(k *live.Kernel) *resource.Record {
	if k.Live != nil {
		return k.Live
	}
	return k.Baseline
}

// Unlaunchable says why the kernel as it is now cannot be launched; "" if it can, as far
// as is known.
func Unlaunchable(k *live.Kernel) string {
	if k.Live == nil {
		return ""
	}
	return CannotLaunch(k.Live.Occupancy.Unlaunchable)
}

// CannotLaunch says that a kernel cannot be launched for a reason; "" if there is none.
func CannotLaunch(why string) string {
	if why == "" {
		return ""
	}
	return "cannot be launched: " + why
}

// Standing returns the verdict on one kernel of a session, or what keeps it from one.
func Standing(k *live.Kernel, s *live.State) string {
	switch k.Status {
	case live.Worse:
		return diff.Regression.String()
	case live.Untrustworthy, live.OneSided:
		return diff.NotTrustworthy.String()
	case live.NoBaseline:
		if len(k.Broken) > 0 {
			return diff.Regression.String()
		}
		if s.Baseline.Problem != nil {
			return diff.NotTrustworthy.String()
		}
		return "NO BASELINE"
	case live.Pending:
		return "PENDING"
	case live.Edited:
		return "EDITED SINCE"
	case live.Compiling:
		return "COMPILING"
	}
	if len(s.Invalid) > 0 {
		return diff.NotTrustworthy.String()
	}
	return diff.OK.String()
}

// PlaceNote says what is to be known of a kernel's place where it is not certain; "" if it
// is. See also [locate.Place.Reason], which says it at length.
func PlaceNote(k *live.Kernel) string {
	switch p := &k.Place; {
	case p.Match == locate.Ambiguous:
		return fmt.Sprintf("ambiguous: fits %d definitions", len(p.Candidates))
	case p.Match != locate.None:
		return ""
	case p.Left != "":
		return "nothing in " + filepath.Base(p.Left) + " is known to define it"
	case p.Outside != "":
		return "source outside the project (path-map)"
	case p.Origin.Path != "":
		return "source not found here (path-map)"
	}
	return ""
}

// Shows reports whether the kernel that a problem is of shows it. One that is on one
// side only does.
func Shows(s *live.State, p problem.Problem) bool {
	if p.Kernel == "" || p.Code.OneSided() {
		return p.Kernel != ""
	}
	k := s.Kernel(p.Kernel)
	return k != nil && slices.ContainsFunc(k.Problems, func(q problem.Problem) bool { return q.Code == p.Code })
}

// Capital returns a text that begins a sentence.
func Capital(s string) string {
	if s == "" || s[0] >= utf8.RuneSelf {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
