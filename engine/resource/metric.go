package resource

import (
	"cmp"
	"slices"
)

// A Metric is one column of the comparison. Its value is its place in the
// table, so metrics are ordered and index arrays of [NumMetrics] elements.
type Metric int

// The metrics in the order of the contract.
const (
	VGPR Metric = iota
	ArchVGPR
	AGPR
	SGPR
	NumberedSGPR
	VGPRSpill
	SGPRSpill
	ScratchBytes
	LDSStaticBytes
	LDSRead
	LDSWrite
	ScratchStore
	ScratchLoad
	MatrixOps

	NumMetrics int = iota
)

// MetricInfo describes a metric: whatever is said of it anywhere is derived from its
// row.
type MetricInfo struct {
	Key      string // its name in tables, JSON and configuration
	Short    string // its name where a line has to be short, such as a code lens; "" for the key
	Long     string // its name in a sentence; "" for the key
	Trigger  bool   // whether growth is a regression; the others are context
	Severity string // of a trigger the key below "severity." in the configuration
	Rank     int    // its place in the order of harm that growth does, the gravest first; see [ByHarm]
	Since    int    // the edition of the table that first has it; see [Edition]
	Unit     string // "registers", "dwords", "bytes per lane", "bytes" or "sites"
	From     string // where it is read
	Meaning  string // one sentence for documentation and hovers
	Cause    string // of a trigger why it usually grows, a sentence without a full stop
	Try      string // of a trigger what to do then, imperatives without a full stop
}

// SeveritySpills is the severity of what went to scratch memory, the gravest of all.
const SeveritySpills = "spills"

// Metrics describes every metric, in order.
var Metrics = [NumMetrics]MetricInfo{
	VGPR: {Key: "vgpr", Trigger: true, Severity: "registers", Rank: 4, Unit: "registers", From: "metadata .vgpr_count",
		Meaning: "Vector registers a wave occupies, the number that decides occupancy; already includes AGPRs where the register file is unified.",
		Cause:   "More values are live at once: larger tiles, deeper pipelining or more unrolling",
		Try:     "Use a smaller tile or fewer prefetch stages, or copy to LDS asynchronously instead of through registers"},
	ArchVGPR: {Key: "arch_vgpr", Rank: 7, Unit: "registers", From: "symbol <kernel>.num_vgpr", Meaning: "Architectural vector registers, the part of vgpr that is not accumulators."},
	AGPR:     {Key: "agpr", Rank: 8, Unit: "registers", From: "symbol <kernel>.num_agpr", Meaning: "Accumulation registers."},
	SGPR: {Key: "sgpr", Trigger: true, Severity: "registers", Rank: 6, Unit: "registers", From: "metadata .sgpr_count",
		Meaning: "Scalar registers a wave occupies, with VCC and the other special ones.",
		Cause:   "More scalar values are live: kernel arguments, buffer descriptors, uniform addresses",
		Try:     "Rarely matters by itself: look at occupancy first"},
	NumberedSGPR: {Key: "numbered_sgpr", Rank: 9, Unit: "registers", From: "symbol <kernel>.numbered_sgpr", Meaning: "Scalar registers that are named by a number (s0, s1, ...)."},
	VGPRSpill: {Key: "vgpr_spill", Short: "spill", Trigger: true, Severity: SeveritySpills, Rank: 1, Unit: "dwords", From: "metadata .vgpr_spill_count",
		Meaning: "Dwords of vector registers stored to scratch memory because no register was left.",
		Cause:   "More values are live at once than the registers of a wave can hold, so some are kept in scratch memory: the costliest of all changes",
		Try:     "Use a smaller tile, fewer prefetch stages or less unrolling, or a smaller workgroup, which gives each wave more registers; do not cap the registers to force accumulators out of AGPRs"},
	SGPRSpill: {Key: "sgpr_spill", Short: "sgpr spill", Trigger: true, Severity: SeveritySpills, Rank: 2, Unit: "dwords", From: "metadata .sgpr_spill_count",
		Meaning: "Scalar registers moved to vector lanes or to scratch memory because no register was left.",
		Cause:   "More scalar values are live than there are scalar registers: many kernel arguments, buffer descriptors or uniform addresses",
		Try:     "Load arguments where they are used, share buffer descriptors, or split the kernel"},
	ScratchBytes: {Key: "scratch_bytes", Short: "scratch", Long: "scratch", Trigger: true, Severity: SeveritySpills, Rank: 3, Unit: "bytes per lane", From: "metadata .private_segment_fixed_size",
		Meaning: "Scratch memory of one work-item: spills and private arrays.",
		Cause:   "Spilled values or arrays that are indexed at run time live in scratch memory",
		Try:     "Find out which by the spill counts: without spills it is an array, so index it by constants or unroll the loop; with spills, use a smaller tile, fewer prefetch stages or less unrolling, or a smaller workgroup, which gives each wave more registers; do not cap the registers to force accumulators out of AGPRs"},
	LDSStaticBytes: {Key: "lds_static_bytes", Short: "LDS", Long: "LDS", Trigger: true, Severity: "lds", Rank: 5, Unit: "bytes", From: "metadata .group_segment_fixed_size",
		Meaning: "Statically allocated LDS of a workgroup; dynamic LDS is not in it.",
		Cause:   "Larger shared tiles, or one more buffer of them; fewer workgroups may fit on a compute unit",
		Try:     "Use one stage fewer, and swizzle instead of padding to avoid bank conflicts"},
	LDSRead:      {Key: "lds_read", Rank: 12, Unit: "sites", From: "ds_read*, ds_load*", Meaning: "Instructions that read LDS."},
	LDSWrite:     {Key: "lds_write", Rank: 13, Unit: "sites", From: "ds_write*, ds_store*", Meaning: "Instructions that write LDS."},
	ScratchStore: {Key: "scratch_store", Rank: 10, Unit: "sites", From: "scratch_store*", Meaning: "Instructions that write scratch memory."},
	ScratchLoad:  {Key: "scratch_load", Rank: 11, Unit: "sites", From: "scratch_load*", Meaning: "Instructions that read scratch memory."},
	MatrixOps:    {Key: "matrix_ops", Rank: 14, Unit: "sites", From: "MFMA, WMMA, SMFMAC, SWMMAC", Meaning: "Matrix instructions."},
}

// Edition is that of the table of metrics, which a new metric increases. Snapshots
// name the one they were written by, so that a metric which one does not have because
// it is older is told from one that was lost.
var Edition = slices.MaxFunc(Metrics[:], func(a, b MetricInfo) int { return cmp.Compare(a.Since, b.Since) }).Since

// ByHarm are all metrics by the harm that their growth does, the gravest first: what
// went to scratch memory, then registers and LDS, then context.
var ByHarm = sorted(func(a, b Metric) int { return cmp.Compare(Metrics[a].Rank, Metrics[b].Rank) })

// Triggers are the triggers of [ByHarm].
var Triggers = slices.DeleteFunc(slices.Clone(ByHarm), func(m Metric) bool { return !m.Trigger() })

// ByKey are all metrics sorted by their keys, as JSON objects are.
var ByKey = sorted(func(a, b Metric) int { return cmp.Compare(a.String(), b.String()) })

func sorted(order func(a, b Metric) int) []Metric {
	all := make([]Metric, NumMetrics)
	for m := range all {
		all[m] = Metric(m)
	}
	slices.SortStableFunc(all, order)
	return all
}

// Short returns the metric's name where a line has to be short.
func (m Metric) Short() string { return cmp.Or(Metrics[m].Short, Metrics[m].Key) }

// Long returns the metric's name in a sentence.
func (m Metric) Long() string { return cmp.Or(Metrics[m].Long, Metrics[m].Key) }

// Spills reports whether m counts what went to scratch memory.
func (m Metric) Spills() bool { return Metrics[m].Severity == SeveritySpills }

// String returns the metric's key.
func (m Metric) String() string { return Metrics[m].Key }

// Trigger reports whether growth of m is a regression.
func (m Metric) Trigger() bool { return Metrics[m].Trigger }

// TriggerKeys returns the keys of the metrics whose growth is a regression.
func TriggerKeys() (keys []string) {
	for _, m := range Metrics {
		if m.Trigger {
			keys = append(keys, m.Key)
		}
	}
	return keys
}

// ParseMetric finds a metric by its key.
func ParseMetric(key string) (Metric, bool) {
	for m := range Metrics {
		if Metrics[m].Key == key {
			return Metric(m), true
		}
	}
	return 0, false
}
