package snapshot

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"isadiff/engine/problem"
)

// A text of many small values is refused before it takes many times its size in memory.
func TestSnapshotsOfAnySize(t *testing.T) {
	const head = `{"schema": 2, "tool": "isa_resource_table", "trustworthy": true, `
	var kernels strings.Builder
	for i := range maxKernels + 1 {
		fmt.Fprintf(&kernels, `"k%d::k":{"metrics":{}},`, i)
	}
	list := func(n int) string { return strings.TrimSuffix(strings.Repeat(`"",`, n), ",") }
	for _, tt := range []struct{ name, text, says string }{
		{"values", head + `"kernels": {"k::k": {"notes": [` + list(maxValues+2) + `]}}}`, "f.json: holds more than 8000000 values"},
		{"warnings", head + `"kernels": {}, "warnings": [` + list(maxListed+2) + `]}`, "f.json: warnings holds more than 100000 values"},
		{"problem codes", head + `"kernels": {}, "problem_codes": [` + strings.Repeat("{},", maxListed+2) + `{}]}`, "problem_codes holds more than"},
		{"kernels", head + `"kernels": {` + strings.TrimSuffix(kernels.String(), ",") + `}}`, "holds more than 200000 kernels"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		side, _ := Decode("f.json", []byte(tt.text))
		runtime.ReadMemStats(&after)
		if len(side.Records) > 0 || len(side.Problems) != 1 || side.Problems[0].Code != problem.SnapshotInvalid || !strings.Contains(side.Problems[0].Message, tt.says) {
			t.Errorf("%s: %.500v", tt.name, side.Problems)
		}
		if took := (after.TotalAlloc - before.TotalAlloc) >> 20; took > 2500 { // the race detector takes a third more
			t.Errorf("%s: %d MiB were taken for %d", tt.name, took, len(tt.text)>>20)
		}
	}
}
