package resource

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

// MetricInfo describes a metric.
type MetricInfo struct {
	Key     string // its name in tables, JSON and configuration
	Trigger bool   // whether growth is a regression; the others are context
	Unit    string // "registers", "dwords", "bytes per lane", "bytes" or "sites"
	From    string // where it is read
	Meaning string // one sentence for documentation and hovers
}

// Metrics describes every metric, in order.
var Metrics = [NumMetrics]MetricInfo{
	VGPR:           {"vgpr", true, "registers", "metadata .vgpr_count", "Vector registers a wave occupies, the number that decides occupancy; already includes AGPRs where the register file is unified."},
	ArchVGPR:       {"arch_vgpr", false, "registers", "symbol <kernel>.num_vgpr", "Architectural vector registers, the part of vgpr that is not accumulators."},
	AGPR:           {"agpr", false, "registers", "symbol <kernel>.num_agpr", "Accumulation registers."},
	SGPR:           {"sgpr", true, "registers", "metadata .sgpr_count", "Scalar registers a wave occupies, with VCC and the other special ones."},
	NumberedSGPR:   {"numbered_sgpr", false, "registers", "symbol <kernel>.numbered_sgpr", "Scalar registers that are named by a number (s0, s1, ...)."},
	VGPRSpill:      {"vgpr_spill", true, "dwords", "metadata .vgpr_spill_count", "Dwords of vector registers stored to scratch memory because no register was left."},
	SGPRSpill:      {"sgpr_spill", true, "dwords", "metadata .sgpr_spill_count", "Scalar registers moved to vector lanes or to scratch memory because no register was left."},
	ScratchBytes:   {"scratch_bytes", true, "bytes per lane", "metadata .private_segment_fixed_size", "Scratch memory of one work-item: spills and private arrays."},
	LDSStaticBytes: {"lds_static_bytes", true, "bytes", "metadata .group_segment_fixed_size", "Statically allocated LDS of a workgroup; dynamic LDS is not in it."},
	LDSRead:        {"lds_read", false, "sites", "ds_read*, ds_load*", "Instructions that read LDS."},
	LDSWrite:       {"lds_write", false, "sites", "ds_write*, ds_store*", "Instructions that write LDS."},
	ScratchStore:   {"scratch_store", false, "sites", "scratch_store*", "Instructions that write scratch memory."},
	ScratchLoad:    {"scratch_load", false, "sites", "scratch_load*", "Instructions that read scratch memory."},
	MatrixOps:      {"matrix_ops", false, "sites", "MFMA, WMMA, SMFMAC, SWMMAC", "Matrix instructions."},
}

// String returns the metric's key.
func (m Metric) String() string { return Metrics[m].Key }

// Trigger reports whether growth of m is a regression.
func (m Metric) Trigger() bool { return Metrics[m].Trigger }

// Triggers returns the keys of the metrics whose growth is a regression.
func Triggers() (keys []string) {
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
