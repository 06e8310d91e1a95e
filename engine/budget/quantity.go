package budget

import (
	"fmt"
	"strings"

	"isadiff/engine/occupancy"
	"isadiff/engine/resource"
)

// A Quantity is what a budget limits: a metric by its key, or one of
//
//   - "spill": vgpr_spill and sgpr_spill together;
//   - "occupancy": waves per SIMD, as [occupancy.Waves] has them; 0 if the kernel
//     cannot be launched.
type Quantity string

// The quantities besides the metrics.
const (
	Spill     Quantity = "spill"
	Occupancy Quantity = "occupancy"
)

// Quantities returns every quantity that can be limited.
func Quantities() []string {
	names := []string{string(Spill), string(Occupancy)}
	for _, m := range resource.Metrics {
		names = append(names, m.Key)
	}
	return names
}

func parseQuantity(name string) (Quantity, error) {
	if q := Quantity(name); q == Spill || q == Occupancy {
		return q, nil
	}
	if _, ok := resource.ParseMetric(name); ok {
		return Quantity(name), nil
	}
	return "", fmt.Errorf("limits %q, must limit one of %s", name, strings.Join(Quantities(), ", "))
}

// A bound tells what a figure says about the true one.
type bound uint8

const (
	exact   bound = iota
	atLeast       // the true figure is this or larger
	atMost        // the true figure is this or smaller
)

// A measure is the figure of one kernel.
type measure struct {
	figure int64
	bound  bound
	why    string // why it is only a bound
	reason string // why there is no figure; "" if there is one
}

// measure returns the quantity's figure for a kernel.
func (q Quantity) measure(r *resource.Record) measure {
	switch q {
	case Spill:
		vector, scalar := cell(r, resource.VGPRSpill), cell(r, resource.SGPRSpill)
		if vector.reason != "" {
			return vector
		}
		vector.figure += scalar.figure
		vector.reason = scalar.reason
		return vector
	case Occupancy:
		return waves(r)
	default:
		m, _ := resource.ParseMetric(string(q))
		return cell(r, m)
	}
}

func cell(r *resource.Record, m resource.Metric) measure {
	c := r.Cells[m]
	if c.State != resource.Known {
		return measure{reason: fmt.Sprintf("%s is %s: %s", m, c, c.Reason)}
	}
	found := measure{figure: c.Value}
	if m == resource.ScratchBytes && r.Launch.DynamicStack {
		found.bound, found.why = atLeast, "scratch_bytes is a lower bound: the kernel's stack grows while it runs"
	}
	return found
}

func waves(r *resource.Record) measure {
	waves, known := occupancy.Waves(r)
	if !known {
		return measure{reason: "the waves per SIMD are not known: the workgroup size, the processor's limits or a register count is missing"}
	}
	found := measure{figure: int64(waves)}
	switch {
	case r.Launch.DynamicLDS:
		found.bound, found.why = atMost, fmt.Sprintf("the waves per SIMD are %d at most: the size of the dynamic LDS is not in the dump", waves)
	case r.Launch.DynamicVGPR:
		found.bound, found.why = atMost, fmt.Sprintf("the waves per SIMD are %d at most: the kernel allocates VGPRs while it runs", waves)
	}
	return found
}
