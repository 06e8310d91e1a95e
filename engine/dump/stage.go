package dump

import (
	"cmp"
	"strings"
	"time"
)

// Suffix ends the name of every stage file that holds final assembly.
const Suffix = "final_isa.s"

// OriginName is the first file of a compile.
const OriginName = "00_origin.mlir"

// Tolerance is how much older than another file the assembly that counts may be
// before the answer would be about an old compile. It covers the time between
// the first and the last file of one quick compile and coarse file times.
const Tolerance = 2 * time.Second

// IsStage reports whether a file name is that of a stage file with final
// assembly.
func IsStage(name string) bool { return strings.HasSuffix(name, Suffix) }

// CompareStages orders stage files by their number, "9_final_isa.s" before
// "21_final_isa.s" before "100_final_isa.s"; one without a number comes first.
// The last one counts.
func CompareStages(a, b string) int {
	na, nb := stageNumber(a), stageNumber(b)
	return cmp.Or(cmp.Compare(len(na), len(nb)), cmp.Compare(na, nb), cmp.Compare(a, b))
}

// stageNumber returns the digits of a stage file's name without leading zeros;
// "" if it has none.
func stageNumber(name string) string {
	number, ok := strings.CutSuffix(name, "_"+Suffix)
	if !ok || strings.Trim(number, "0123456789") != "" || number == "" {
		return ""
	}
	if number = strings.TrimLeft(number, "0"); number == "" {
		return "0"
	}
	return number
}
