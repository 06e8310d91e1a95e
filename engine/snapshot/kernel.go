package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"isadiff/engine/gfx"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// A kernelList decodes the object "kernels" one kernel after the other.
type kernelList struct {
	edition int // of the table of metrics that wrote the snapshot
	records []*resource.Record
	bad     []badCell
	lacking [resource.NumMetrics]bool // what kernels do not have because the snapshot is older

	arch   arch        // of the last kernel
	target *gfx.Target // made of it; nil before the first
	err    error       // why it is in doubt
}

// A badCell is a cell that is no cell, or a kernel's member that cannot be
// believed.
type badCell struct {
	key  string
	path []string // within the kernel
	what string
}

func (l *kernelList) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if _, err := dec.ReadToken(); err != nil { // the caller saw that it is an object
		return err
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if len(l.records) == maxKernels {
			return errKernels
		}
		key := name.String()
		var k kernel
		if err := json.UnmarshalDecode(dec, &k); err != nil {
			return err
		}
		for _, b := range k.Metrics.bad {
			l.bad = append(l.bad, badCell{key, append([]string{"metrics"}, b.path...), b.what})
		}
		if !k.Metrics.seen {
			l.bad = append(l.bad, badCell{key, nil, "the kernel has no metrics"})
		}
		r, err := k.record(key, l)
		if err != nil {
			l.bad = append(l.bad, badCell{key, []string{"arch"}, err.Error()})
		}
		l.records = append(l.records, r)
	}
	_, err := dec.ReadToken()
	return err
}

// A kernel is one kernel of a snapshot.
type kernel struct {
	Arch      arch      `json:"arch"`
	Compilers []string  `json:"compilers"`
	Digest    string    `json:"digest"`
	Launch    launch    `json:"launch"`
	Metrics   metrics   `json:"metrics"`
	Notes     []string  `json:"notes"`
	Occupancy occupancy `json:"occupancy"`
	Origin    origin    `json:"origin"`
	Codes     []coded   `json:"problem_codes"`
	Problems  []string  `json:"problems"`
	Source    string    `json:"source"`
}

type arch struct {
	Features  []string `json:"features"`
	Processor string   `json:"processor"`
	TargetID  string   `json:"target_id"`
}

func (a arch) same(b arch) bool {
	return a.TargetID == b.TargetID && a.Processor == b.Processor && (a.Features == nil) == (b.Features == nil) && slices.Equal(a.Features, b.Features)
}

type launch struct {
	CompilerWaves        int64   `json:"compiler_waves"`
	CUMode               bool    `json:"cu_mode"`
	DynamicLDS           bool    `json:"dynamic_lds"`
	DynamicStack         bool    `json:"dynamic_stack"`
	DynamicVGPR          bool    `json:"dynamic_vgpr"`
	MaxFlatWorkgroupSize int64   `json:"max_flat_workgroup_size"`
	NextFreeVGPR         int64   `json:"next_free_vgpr"`
	ReqdWorkgroupSize    []int64 `json:"reqd_workgroup_size"`
	WavefrontSize        int64   `json:"wavefront_size"`
}

type occupancy struct {
	Launch  int    `json:"launch"`
	Limiter string `json:"limiter"`
	LLVM    int    `json:"llvm"`
}

type origin struct {
	Digest  string `json:"digest"`
	Line    int    `json:"line"`
	Path    string `json:"path"`
	Sources string `json:"sources"`
}

func (k *kernel) record(key string, l *kernelList) (*resource.Record, error) {
	if l.target == nil || !l.arch.same(k.Arch) {
		target, err := k.Arch.target()
		l.arch, l.target, l.err = k.Arch, &target, err
	}
	target, err := *l.target, l.err
	r := &resource.Record{
		Key: key, Name: resource.NameIn(key, k.Source), Source: k.Source, Target: target, Cells: k.Metrics.cells,
		Notes: k.Notes, Launch: k.Launch.facts(), Digest: k.Digest,
		Occupancy: gfx.Occupancy{Launch: k.Occupancy.Launch, LLVM: k.Occupancy.LLVM, Limiter: k.Occupancy.Limiter},
		Compilers: k.Compilers,
		Origin:    resource.Origin{Digest: k.Origin.Digest, Sources: k.Origin.Sources, Path: k.Origin.Path, Line: k.Origin.Line},
	}
	k.older(r, l.edition, &l.lacking)
	r.Problems = k.distrust(r)
	if now := r.Occupy(); now != (gfx.Occupancy{}) {
		r.Occupancy = now // an older release may have counted otherwise
	}
	return r, err
}

// older fills in the cells that a kernel lacks because the snapshot was written by an
// edition of the table of metrics that did not have them, and marks them in lacking.
func (k *kernel) older(r *resource.Record, edition int, lacking *[resource.NumMetrics]bool) {
	for m := range r.Cells {
		if !k.Metrics.present[m] && resource.Metrics[m].Since > edition {
			r.Cells[m] = resource.Older()
		}
		if r.Cells[m].Older() { // it stayed in a newer snapshot, see TakePart
			lacking[m] = true
		}
	}
}

// distrust returns why the figures of a kernel cannot be believed: the problems
// it had when the snapshot was written, and the cells that it lacks.
func (k *kernel) distrust(r *resource.Record) []problem.Problem {
	var ps []problem.Problem
	problems := both(k.Problems, k.Codes)
	for _, p := range problems {
		ps = append(ps, problem.New(problem.SnapshotUntrustworthy, "%s: not trustworthy when the snapshot was written: %s", r.Key, p))
	}
	for m := range r.Cells {
		c := &r.Cells[m]
		if c.State != resource.Unparsed {
			continue
		}
		metric := resource.Metric(m)
		if !k.Metrics.present[m] {
			*c = resource.Unread("the snapshot does not have it")
			ps = append(ps, problem.New(problem.CountMissing, "%s: the snapshot has no %s", r.Key, metric).Mended("%s", problem.Lookup(problem.SnapshotInvalid).Mend))
		} else if len(problems) == 0 {
			ps = append(ps, problem.New(problem.SnapshotUntrustworthy, "%s: %s could not be read when the snapshot was written: %s", r.Key, metric, c.Reason))
		}
	}
	for i := range ps {
		ps[i] = ps[i].In(r.Source).Of(r.Key)
	}
	return ps
}

// target returns the identity. Snapshots from before there were features have
// theirs in the target_id alone; a processor that an older tool could not name
// is read off it as well. Two statements that differ were edited.
func (a arch) target() (gfx.Target, error) {
	t, err := gfx.ParseTarget(a.TargetID)
	if a.Processor == "" {
		return t, nil
	}
	if err != nil { // no target_id that can be read
		t = gfx.Target{ID: a.TargetID, Processor: a.Processor}
	}
	if t.Processor != a.Processor {
		return t, fmt.Errorf("processor %q contradicts target_id %q", a.Processor, a.TargetID)
	}
	if a.Features == nil {
		return t, nil
	}
	features := slices.Compact(slices.Sorted(slices.Values(a.Features)))
	if err == nil && !slices.Equal(features, t.Features) {
		return t, fmt.Errorf("features %q contradict target_id %q", features, a.TargetID)
	}
	if t.Features = features; len(features) == 0 {
		t.Features = nil
	}
	return t, nil
}

func (l launch) facts() resource.Launch {
	f := resource.Launch{
		NextFreeVGPR: l.NextFreeVGPR, WavefrontSize: l.WavefrontSize, MaxFlatWorkgroupSize: l.MaxFlatWorkgroupSize,
		CUMode: l.CUMode, DynamicVGPR: l.DynamicVGPR, DynamicLDS: l.DynamicLDS, DynamicStack: l.DynamicStack,
		CompilerWaves: l.CompilerWaves,
	}
	if len(l.ReqdWorkgroupSize) == len(f.ReqdWorkgroupSize) {
		copy(f.ReqdWorkgroupSize[:], l.ReqdWorkgroupSize)
	}
	return f
}

// metrics decodes the cells of a kernel. Keys that are no metric of ours are
// those of a later release and left out.
type metrics struct {
	cells   resource.Cells
	present [resource.NumMetrics]bool
	seen    bool
	bad     []badCell
}

func (m *metrics) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '{' {
		return dec.SkipValue() // not seen, which is said with the kernel's name
	}
	m.seen = true
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadValue()
		if err != nil {
			return err
		}
		metric, known := metricNamed(name)
		if !known {
			if err := dec.SkipValue(); err != nil {
				return err
			}
			continue
		}
		cell, what, err := readCell(dec)
		if err != nil {
			return err
		}
		m.cells[metric], m.present[metric] = cell, true
		if what != "" {
			m.bad = append(m.bad, badCell{path: []string{metric.String()}, what: what})
		}
	}
	_, err := dec.ReadToken()
	return err
}

// metricNamed finds a metric by its name in quotes.
func metricNamed(quoted jsontext.Value) (resource.Metric, bool) {
	for m := range resource.Metrics {
		if is(quoted, resource.Metrics[m].Key) {
			return resource.Metric(m), true
		}
	}
	return 0, false
}

// is reports whether a JSON value is the string s, however it is spelled.
func is(v jsontext.Value, s string) bool {
	if v.Kind() != '"' {
		return false
	}
	if bytes.IndexByte(v, '\\') >= 0 {
		plain, err := jsontext.AppendUnquote(nil, v)
		return err == nil && string(plain) == s
	}
	return len(v) == len(s)+2 && string(v[1:len(v)-1]) == s
}

// readCell reads one cell; what says why it is none, or is empty.
func readCell(dec *jsontext.Decoder) (cell resource.Cell, what string, err error) {
	if dec.PeekKind() != '{' {
		v, err := dec.ReadValue()
		return cell, shorten(v) + " is no cell", err
	}
	if _, err := dec.ReadToken(); err != nil {
		return cell, "", err
	}
	state := resource.Unparsed
	badState, badValue := `the state "" is none of value, n/a and unparsed`, "a cell of state value has no value"
	for dec.PeekKind() == '"' {
		name, err := dec.ReadValue()
		if err != nil {
			return cell, "", err
		}
		isState, isReason, isValue := is(name, "state"), is(name, "reason"), is(name, "value")
		v, err := dec.ReadValue()
		switch {
		case err != nil:
			return cell, "", err
		case isState:
			state, badState = readState(v)
		case isValue:
			cell.Value, badValue = count(v)
		case isReason && v.Kind() == '"':
			reason, err := jsontext.AppendUnquote(nil, v)
			if err != nil {
				return cell, "", err
			}
			cell.Reason = string(reason)
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return cell, "", err
	}
	switch {
	case badState != "":
		return resource.Cell{}, badState, nil
	case state == resource.Known:
		return resource.Value(cell.Value), badValue, nil
	case cell.Reason == "":
		cell.Reason = noReason
	}
	return resource.Cell{State: state, Reason: cell.Reason}, "", nil
}

func readState(v jsontext.Value) (s resource.State, bad string) {
	switch {
	case is(v, stateValue):
		return resource.Known, ""
	case is(v, stateNA):
		return resource.NotApplicable, ""
	case is(v, stateUnparsed):
		return resource.Unparsed, ""
	}
	return s, fmt.Sprintf("the state %s is none of value, n/a and unparsed", shorten(v))
}

// count reads the value of a cell: plain digits, as Python's integers are
// written. 3.0 and 3e0 are no integers.
func count(v jsontext.Value) (n int64, bad string) {
	n, err := strconv.ParseInt(string(v), 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Sprintf("the value %s is beyond all counts", shorten(v))
	case err != nil || n < 0 || v[0] == '-':
		return 0, fmt.Sprintf("the value %s is no non-negative integer", shorten(v))
	}
	return n, ""
}
