package resource

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"isadiff/engine/gfx"
	"isadiff/engine/isa"
	"isadiff/engine/problem"
)

// FromFile makes a record of each kernel of an assembly file or a code object. dir and source are
// the file's directory and path relative to its side's root, in slashes. The
// problems are those of the file as a whole; every record has them as well, as no
// figure of a file that is cut short or contradicts itself can be believed.
func FromFile(f *isa.File, dir, source string) ([]*Record, []problem.Problem) {
	return FromFileWith(f, dir, source, Launched{})
}

// Launched is what is known of the launches of a file's kernels, from elsewhere
// than its text. The zero value is nothing.
type Launched struct {
	LDS     int64  // bytes of LDS that a launch takes
	LDSFrom string // the file that says so; "" if it is not known
}

// FromFileWith is FromFile with what is known besides the text.
func FromFileWith(f *isa.File, dir, source string, launched Launched) ([]*Record, []problem.Problem) {
	problems := make([]problem.Problem, 0, len(f.Problems))
	for _, p := range f.Problems {
		p.Message = source + ": " + p.Message
		if f.Object && p.Next == "" {
			p = p.Mended(anew)
		}
		problems = append(problems, p.In(source))
	}
	target := f.Identity
	conflict := slices.ContainsFunc(f.Problems, func(p problem.Problem) bool { return p.Code == problem.TargetConflict })
	records, memory := make([]*Record, 0, len(f.Kernels)), make([]Record, len(f.Kernels))
	shape, known := target.Shape()
	prefix := ValidText(dir) + "::"
	for i, k := range f.Kernels {
		b := builder{file: f, kernel: k, launched: launched}
		b.target, b.conflict = target, conflict
		b.shape, b.known = shape, known
		b.record = &memory[i]
		key := prefix + k.Name
		*b.record = Record{Key: key, Name: key[len(prefix):], Source: source, Object: f.Object, Target: target}
		b.record.Problems = slices.Clone(problems)
		records = append(records, b.build())
	}
	return records, slices.Clip(problems)
}

// A builder makes one record.
type builder struct {
	file   *isa.File
	kernel *isa.Kernel
	target gfx.Target
	shape  gfx.Processor
	known  bool // the processor stands in the table

	conflict bool // the file names two targets
	record   *Record

	launched Launched
}

func (b *builder) build() *Record {
	r, k := b.record, b.kernel
	for _, p := range k.Problems {
		b.report(p.Code, p.Line, "%s", p.Message)
	}
	b.metadataCells()
	b.symbolCells()
	b.siteCells()
	b.check()
	b.takeLDS()
	b.launch()
	b.notes()
	r.Sites = Sites{Label: k.Body.Label, End: k.Body.End, Metadata: k.Line, FirstSpill: k.Body.FirstScratch, LDSDirect: k.Body.Sites.LDSDirect}
	r.Occupancy = r.Occupy()
	slices.SortStableFunc(r.Problems, func(x, y problem.Problem) int { return cmp.Compare(x.Line, y.Line) })
	return r
}

// report adds a problem of this kernel.
func (b *builder) report(code problem.Code, line int, format string, args ...any) {
	r := b.record
	message := fmt.Sprintf("%s: %s: %s", r.Source, b.kernel.Name, fmt.Sprintf(format, args...))
	p := problem.New(code, "%s", message).In(r.Source).At(line).Of(r.Key)
	if b.file.Object {
		p = p.Mended(anew)
	}
	r.Problems = append(r.Problems, p)
}

// anew mends a code object, which nobody edits.
const anew = "build the file again, or copy it again"

// cell makes a cell of a field that the file must state.
func (b *builder) cell(m Metric, f isa.Field, what string) {
	c := &b.record.Cells[m]
	switch f.State {
	case isa.Read:
		*c = Value(f.Value)
	case isa.Absent:
		*c = Unread(what + " is missing")
		b.report(problem.CountMissing, b.kernel.Line, "%s is missing", what)
	case isa.Invalid:
		*c = Unread(f.Reason)
		b.report(problem.CountInvalid, f.Line, "%s", f.Reason)
	default:
		*c = Unread(f.Reason)
		b.report(problem.SymbolUnresolved, f.Line, "%s", f.Reason)
	}
}

func (b *builder) metadataCells() {
	m := &b.kernel.Metadata
	b.cell(VGPR, m.VGPRCount, ".vgpr_count")
	b.cell(SGPR, m.SGPRCount, ".sgpr_count")
	if b.file.Object && m.VGPRSpillCount.State == isa.Absent && m.SGPRSpillCount.State == isa.Absent {
		// Optional in metadata; every compiler states both (AMDGPUUsage).
		b.record.Cells[VGPRSpill], b.record.Cells[SGPRSpill] = NA(handWritten), NA(handWritten)
	} else {
		b.cell(VGPRSpill, m.VGPRSpillCount, ".vgpr_spill_count")
		b.cell(SGPRSpill, m.SGPRSpillCount, ".sgpr_spill_count")
	}
	b.cell(ScratchBytes, m.PrivateSegment, ".private_segment_fixed_size")
	b.cell(LDSStaticBytes, m.GroupSegment, ".group_segment_fixed_size")
}

const handWritten = "its metadata state no spills, as those of hand-written assembly"

const notStated = "a code object does not state it"

const noSymbols = "written by an LLVM without resource symbols (before version 20)"

func (b *builder) symbolCells() {
	m, s := &b.kernel.Metadata, &b.kernel.Symbols
	cells := &b.record.Cells
	if b.file.Symbols {
		b.cell(ArchVGPR, s.NumVGPR, "symbol num_vgpr")
		b.cell(AGPR, s.NumAGPR, "symbol num_agpr")
		b.cell(NumberedSGPR, s.NumberedSGPR, "symbol numbered_sgpr")
		if m.AGPRCount.State == isa.Invalid {
			b.report(problem.CountInvalid, m.AGPRCount.Line, "%s", m.AGPRCount.Reason)
		}
		return
	}
	why := noSymbols
	if b.file.Object {
		why = notStated
	}
	cells[ArchVGPR], cells[AGPR], cells[NumberedSGPR] = NA(why), NA(why), NA(why)
	switch {
	case m.AGPRCount.State != isa.Absent:
		b.cell(AGPR, m.AGPRCount, ".agpr_count")
	case b.file.Object && b.known && !b.shape.AGPRs:
		cells[AGPR] = Value(0)
	}
}

func (b *builder) siteCells() {
	cells, body := &b.record.Cells, &b.kernel.Body
	for _, site := range []struct {
		metric Metric
		count  int
	}{
		{LDSRead, body.Sites.LDSRead},
		{LDSWrite, body.Sites.LDSWrite},
		{ScratchStore, body.Sites.ScratchStore},
		{ScratchLoad, body.Sites.ScratchLoad},
		{MatrixOps, body.Sites.Matrix},
	} {
		switch {
		case (site.metric == ScratchStore || site.metric == ScratchLoad) && b.target.Processor != "" && !b.shape.ScratchSpills:
			cells[site.metric] = NA(b.buffered())
		case b.file.Object:
			cells[site.metric] = NA("the instructions of a code object are not counted; its assembly has them")
		case body.Code != "":
			cells[site.metric] = Unread(body.Reason)
		default:
			cells[site.metric] = Value(int64(site.count))
		}
	}
}

// buffered says why scratch instructions count nothing on a processor. The text is one
// for all kernels of a processor that stands in the table, which are few.
func (b *builder) buffered() string {
	name := b.target.Processor
	if known, ok := bufferedOn.Load(name); ok {
		return known.(string)
	}
	why := name + " spills through buffer_* instructions; scratch_bytes is exact"
	if b.known {
		bufferedOn.Store(name, why)
	}
	return why
}

var bufferedOn sync.Map // by processor

// takeLDS makes the figure of LDS that of the launch, where it is known: then the
// assembly names the static part alone, and that is 0.
func (b *builder) takeLDS() {
	l, m := b.launched, b.kernel.Metadata.GroupSegment
	if l.LDSFrom == "" || m.State != isa.Read {
		return
	}
	if m.Value > l.LDS {
		b.contradict(m.Line, ".group_segment_fixed_size is %d, more than the %d bytes of LDS that %s says a launch takes", m.Value, l.LDS, l.LDSFrom)
		return
	}
	b.record.Cells[LDSStaticBytes] = Value(l.LDS)
}

func (b *builder) launch() {
	m, d, body := &b.kernel.Metadata, &b.kernel.Descriptor, &b.kernel.Body
	b.record.Launch = Launch{
		NextFreeVGPR:         d.NextFreeVGPR.Value,
		WavefrontSize:        m.WavefrontSize.Value,
		MaxFlatWorkgroupSize: m.MaxFlatWorkgroupSize.Value,
		ReqdWorkgroupSize:    m.ReqdWorkgroupSize,
		CUMode:               d.WGPMode.State == isa.Read && d.WGPMode.Value == 0,
		DynamicVGPR:          body.DynamicVGPR,
		DynamicLDS:           b.dynamicLDS(),
		DynamicStack:         m.DynamicStack || b.set(b.kernel.Symbols.HasRecursion) || b.set(b.kernel.Symbols.HasIndirectCall) || b.set(b.kernel.Symbols.HasDynSizedStack),
		CompilerWaves:        body.Occupancy.Value,
	}
}

// dynamicLDS reports whether the kernel uses LDS beyond its static size, as far
// as the text shows it: its arguments say so, it touches LDS and has none, or it
// addresses LDS past the static size.
func (b *builder) dynamicLDS() bool {
	static, body := b.kernel.Metadata.GroupSegment, &b.kernel.Body
	switch {
	case b.launched.LDSFrom != "" || static.State != isa.Read:
		return false
	case b.kernel.Metadata.LDSArgument != isa.NoLDSArgument:
		return true
	case body.Code != "":
		return false
	case static.Value == 0:
		return usesLDS(b.kernel, body.Sites.LDSRead+body.Sites.LDSWrite+body.Sites.LDSOther+body.Sites.LDSDirect)
	}
	return body.LDSReach >= static.Value
}

// usesLDS reports whether a kernel touches LDS memory. Permutes and swizzles go
// through the LDS hardware without touching it.
func usesLDS(k *isa.Kernel, touched int) bool { return touched > k.Body.Sites.LDSPermute }

func (b *builder) set(f isa.Field) bool { return f.State == isa.Read && f.Value != 0 }

func (b *builder) notes() {
	r, k := b.record, b.kernel
	note := func(format string, args ...any) { r.Notes = append(r.Notes, fmt.Sprintf(format, args...)) }
	s := &k.Symbols
	if s.NumVGPR.Bound || s.NumAGPR.Bound || s.NumberedSGPR.Bound {
		note("calls a function that is not in this module: register counts are those of the module's largest function, a lower bound")
	}
	if r.Launch.DynamicStack {
		note("recursion, an indirect call or a dynamically sized stack: scratch_bytes is a lower bound")
	}
	switch {
	case !r.Launch.DynamicLDS:
	case k.Metadata.LDSArgument == isa.HiddenLDSSize:
		note("dynamic LDS in use: the launch gives LDS beyond the static %d bytes (hidden_dynamic_lds_size); a growth of it is not seen here", k.Metadata.GroupSegment.Value)
	case k.Metadata.LDSArgument == isa.LDSPointer:
		note("dynamic LDS in use: the launch gives LDS beyond the static %d bytes, to which an argument points; a growth of it is not seen here", k.Metadata.GroupSegment.Value)
	case k.Metadata.GroupSegment.Value == 0:
		note("dynamic LDS in use: lds_static_bytes is 0 whatever the launch takes, so a growth of it is not seen here")
	default:
		note("dynamic LDS in use: LDS is addressed at offset %d, past its static %d bytes; a growth of it is not seen here", k.Body.LDSReach, k.Metadata.GroupSegment.Value)
	}
	if d := &k.Descriptor; b.file.Object && b.shape.UnifiedVGPRs && k.Metadata.AGPRCount.State == isa.Absent && d.KernargSize.State == isa.Absent &&
		read(d.NextFreeVGPR, k.Metadata.VGPRCount) && d.NextFreeVGPR.Value > k.Metadata.VGPRCount.Value {
		note("hand-written assembly: its metadata count no AGPRs, so vgpr may leave them out; the kernel descriptor allocates at least %d VGPRs", d.NextFreeVGPR.Value)
	}
	if r.Launch.DynamicVGPR {
		note("dynamic VGPRs (s_alloc_vgpr): vgpr is what a wave starts with")
	}
	if why := r.compilerDiffers(); why != "" {
		note("%s", why)
	} else if o := k.Body.Occupancy; o.State == isa.Unresolved {
		note("LLVM's comment on occupancy at line %d is not understood: %s; its figure is the formula's", o.Line, o.Reason)
	}
	if n := k.Body.Sites.LDSDirect; n > 0 && k.Body.Code == "" {
		note("%s from memory directly to LDS, in none of the columns", problem.Count(n, "load"))
	}
}
