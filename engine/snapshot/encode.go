package snapshot

import (
	"bytes"
	"io"
	"time"

	"isadiff/engine/resource"
)

// The identity of the form, which the Python helper shares.
const (
	Schema = 2
	Tool   = "isa_resource_table"
)

// Meta is what a snapshot tells about itself besides its kernels. All of it is
// optional.
type Meta struct {
	Written  time.Time // when the baseline was taken; zero if it does not say
	Revision string    // the revision of the sources it was taken from, as its taker named it
}

// Encode returns the snapshot of a side, as [EncodeTo] writes it.
func Encode(side *resource.Side, meta Meta) ([]byte, error) {
	var buf bytes.Buffer
	buf.Grow(2600 * len(side.Records))
	err := EncodeTo(&buf, side, meta)
	return buf.Bytes(), err
}

// EncodeTo writes the snapshot of a side, indented by two, keys sorted, with a
// newline at the end. It holds no more than a kernel in memory.
func EncodeTo(to io.Writer, side *resource.Side, meta Meta) error {
	w := NewWriter(to)
	w.Object(func() {
		if resource.Edition > 0 {
			w.KeyInt("edition", int64(resource.Edition))
		}
		w.KeyObject("kernels", func() {
			for _, r := range side.Records {
				w.Key(r.Key)
				writeKernel(w, r)
			}
		})
		w.Problems(side.Doubts())
		if meta.Revision != "" {
			w.KeyString("revision", meta.Revision)
		}
		w.KeyInt("schema", Schema)
		w.KeyString("tool", Tool)
		w.KeyBool("trustworthy", side.Trustworthy())
		w.KeyStrings("warnings", side.Warnings)
		if !meta.Written.IsZero() {
			w.KeyString("written", meta.Written.UTC().Format(time.RFC3339))
		}
	})
	return w.Err()
}

func writeKernel(w *Writer, r *resource.Record) {
	w.Object(func() {
		w.KeyObject("arch", func() {
			w.KeyStrings("features", r.Target.Features)
			w.Key("gen")
			w.optionalInt(int64(r.Target.Gen()))
			w.Key("processor")
			w.optionalString(r.Target.Processor)
			w.Key("target_id")
			w.optionalString(r.Target.ID)
		})
		w.Compilers(r)
		if r.Digest != "" {
			w.KeyString("digest", r.Digest)
		}
		if r.Launch != (resource.Launch{}) {
			w.Key("launch")
			writeLaunch(w, r.Launch)
		}
		w.Key("metrics")
		w.Cells(&r.Cells)
		w.KeyStrings("notes", r.Notes)
		w.Occupancy(r.Occupancy)
		if r.Origin != (resource.Origin{}) {
			w.KeyObject("origin", func() {
				w.KeyString("digest", r.Origin.Digest)
				w.KeyInt("line", int64(r.Origin.Line))
				w.KeyString("path", r.Origin.Path)
				if r.Origin.Sources != "" {
					w.KeyString("sources", r.Origin.Sources)
				}
			})
		}
		w.Problems(r.Doubts())
		w.KeyString("source", r.Source)
	})
}

func writeLaunch(w *Writer, l resource.Launch) {
	w.Object(func() {
		w.KeyInt("compiler_waves", l.CompilerWaves)
		w.KeyBool("cu_mode", l.CUMode)
		w.KeyBool("dynamic_lds", l.DynamicLDS)
		w.KeyBool("dynamic_stack", l.DynamicStack)
		w.KeyBool("dynamic_vgpr", l.DynamicVGPR)
		w.KeyInt("max_flat_workgroup_size", l.MaxFlatWorkgroupSize)
		w.KeyInt("next_free_vgpr", l.NextFreeVGPR)
		w.KeyArray("reqd_workgroup_size", func() {
			for _, n := range l.ReqdWorkgroupSize {
				w.Int(n)
			}
		})
		w.KeyInt("wavefront_size", l.WavefrontSize)
	})
}
