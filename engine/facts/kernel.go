package facts

import (
	"slices"
	"strings"

	"isadiff/engine/live"
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
	if s == "" {
		return ""
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
