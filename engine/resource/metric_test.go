package resource

import (
	"regexp"
	"strings"
	"testing"
)

func TestMetricsAreWhole(t *testing.T) {
	seen := map[any]bool{}
	once := func(what any) {
		if seen[what] {
			t.Errorf("%v stands twice", what)
		}
		seen[what] = true
	}
	for _, info := range Metrics {
		once(info.Key)
		once(info.Rank)
		if !regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`).MatchString(info.Key) || info.Unit == "" || info.From == "" || !strings.HasSuffix(info.Meaning, ".") {
			t.Errorf("%+v", info)
		}
		if info.Rank < 1 || info.Rank > NumMetrics || info.Since < 0 || info.Since > Edition {
			t.Errorf("%s: rank %d, since %d", info.Key, info.Rank, info.Since)
		}
		if (info.Severity != "") != info.Trigger || (info.Cause != "") != info.Trigger || (info.Try != "") != info.Trigger || strings.HasSuffix(info.Cause+info.Try, ".") {
			t.Errorf("%s: trigger %v, severity %q, cause %q, try %q", info.Key, info.Trigger, info.Severity, info.Cause, info.Try)
		}
	}
	for i, m := range ByHarm {
		if i > 0 && ByHarm[i-1].Trigger() != m.Trigger() && m.Trigger() {
			t.Errorf("%s is a trigger behind context", m)
		}
		if i > 0 && m.Spills() && !ByHarm[i-1].Spills() {
			t.Errorf("%s counts spills and stands behind what does not", m)
		}
	}
}
