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
			w.Key("edition")
			w.Int(int64(resource.Edition))
		}
		w.Key("kernels")
		w.Object(func() {
			for _, r := range side.Records {
				w.Key(r.Key)
				writeKernel(w, r)
			}
		})
		w.Problems(side.Doubts())
		if meta.Revision != "" {
			w.Key("revision")
			w.String(meta.Revision)
		}
		w.Key("schema")
		w.Int(Schema)
		w.Key("tool")
		w.String(Tool)
		w.Key("trustworthy")
		w.Bool(side.Trustworthy())
		w.Key("warnings")
		w.Strings(side.Warnings)
		if !meta.Written.IsZero() {
			w.Key("written")
			w.String(meta.Written.UTC().Format(time.RFC3339))
		}
	})
	return w.Err()
}

func writeKernel(w *Writer, r *resource.Record) {
	w.Object(func() {
		w.Key("arch")
		w.Object(func() {
			w.Key("features")
			w.Strings(r.Target.Features)
			w.Key("gen")
			w.optionalInt(int64(r.Target.Gen()))
			w.Key("processor")
			w.optionalString(r.Target.Processor)
			w.Key("target_id")
			w.optionalString(r.Target.ID)
		})
		w.Compilers(r)
		if r.Digest != "" {
			w.Key("digest")
			w.String(r.Digest)
		}
		if r.Launch != (resource.Launch{}) {
			w.Key("launch")
			writeLaunch(w, r.Launch)
		}
		w.Key("metrics")
		w.Cells(&r.Cells)
		w.Key("notes")
		w.Strings(r.Notes)
		w.Occupancy(r.Occupancy)
		if r.Origin != (resource.Origin{}) {
			w.Key("origin")
			w.Object(func() {
				w.Key("digest")
				w.String(r.Origin.Digest)
				w.Key("line")
				w.Int(int64(r.Origin.Line))
				w.Key("path")
				w.String(r.Origin.Path)
				if r.Origin.Sources != "" {
					w.Key("sources")
					w.String(r.Origin.Sources)
				}
			})
		}
		w.Problems(r.Doubts())
		w.Key("source")
		w.String(r.Source)
	})
}

func writeLaunch(w *Writer, l resource.Launch) {
	w.Object(func() {
		w.Key("compiler_waves")
		w.Int(l.CompilerWaves)
		w.Key("cu_mode")
		w.Bool(l.CUMode)
		w.Key("dynamic_lds")
		w.Bool(l.DynamicLDS)
		w.Key("dynamic_stack")
		w.Bool(l.DynamicStack)
		w.Key("dynamic_vgpr")
		w.Bool(l.DynamicVGPR)
		w.Key("max_flat_workgroup_size")
		w.Int(l.MaxFlatWorkgroupSize)
		w.Key("next_free_vgpr")
		w.Int(l.NextFreeVGPR)
		w.Key("reqd_workgroup_size")
		w.Array(func() {
			for _, n := range l.ReqdWorkgroupSize {
				w.Int(n)
			}
		})
		w.Key("wavefront_size")
		w.Int(l.WavefrontSize)
	})
}
