package codeobject

import (
	"fmt"
	"slices"
	"strings"

	"isadiff/engine/gfx"
	"isadiff/engine/isa"
	"isadiff/engine/problem"
)

// machines are the processors as e_flags number them (EF_AMDGPU_MACH of
// llvm/BinaryFormat/ELF.h).
var machines = map[uint32]string{
	0x20: "gfx600", 0x21: "gfx601", 0x22: "gfx700", 0x23: "gfx701", 0x24: "gfx702", 0x25: "gfx703", 0x26: "gfx704",
	0x28: "gfx801", 0x29: "gfx802", 0x2a: "gfx803", 0x2b: "gfx810",
	0x2c: "gfx900", 0x2d: "gfx902", 0x2e: "gfx904", 0x2f: "gfx906", 0x30: "gfx908", 0x31: "gfx909", 0x32: "gfx90c",
	0x33: "gfx1010", 0x34: "gfx1011", 0x35: "gfx1012", 0x36: "gfx1030", 0x37: "gfx1031", 0x38: "gfx1032", 0x39: "gfx1033",
	0x3a: "gfx602", 0x3b: "gfx705", 0x3c: "gfx805", 0x3d: "gfx1035", 0x3e: "gfx1034", 0x3f: "gfx90a",
	0x40: "gfx940", 0x41: "gfx1100", 0x42: "gfx1013", 0x43: "gfx1150", 0x44: "gfx1103", 0x45: "gfx1036", 0x46: "gfx1101",
	0x47: "gfx1102", 0x48: "gfx1200", 0x49: "gfx1250", 0x4a: "gfx1151", 0x4b: "gfx941", 0x4c: "gfx942", 0x4e: "gfx1201",
	0x4f: "gfx950", 0x50: "gfx1310", 0x51: "gfx9-generic", 0x52: "gfx10-1-generic", 0x53: "gfx10-3-generic", 0x54: "gfx11-generic",
	0x55: "gfx1152", 0x57: "gfx1154", 0x58: "gfx1153", 0x59: "gfx12-generic", 0x5a: "gfx1251", 0x5b: "gfx12-5-generic",
	0x5c: "gfx1172", 0x5d: "gfx1170", 0x5e: "gfx1171", 0x5f: "gfx9-4-generic", 0x62: "gfx11-7-generic", 0x63: "gfx13-generic",
}

// The versions of code objects as the ELF header numbers them (EI_ABIVERSION).
const (
	abiV2 = 0
	abiV3 = 1
)

// targetOf returns the target that e_flags name, as metadata spell it; "" if their
// processor has no name here. Version 3 says only which features are on.
func targetOf(flags uint32, abi byte) string {
	processor := machines[flags&0xff]
	if processor == "" {
		return ""
	}
	id := "amdgcn-amd-amdhsa--" + processor
	if abi == abiV3 {
		if flags&0x200 != 0 {
			id += ":sramecc+"
		}
		if flags&0x100 != 0 {
			id += ":xnack+"
		}
		return id
	}
	settings := [4]string{2: "-", 3: "+"} // 0: the processor does not have it, 1: unset
	if s := settings[flags>>10&3]; s != "" {
		id += ":sramecc" + s
	}
	// From gfx11 on there is no choice, whatever the flags say.
	if s := settings[flags>>8&3]; s != "" && (gfx.Target{Processor: processor}).Gen() < 11 {
		id += ":xnack" + s
	}
	return id
}

// identify finds out what a code object was compiled for: its metadata, its e_flags
// and the bundle that it comes in say it, and must agree.
func (o *object) identify(flags uint32, abi byte, claim string) {
	f := o.file
	f.Target = targetOf(flags, abi)
	id := f.TargetID()
	if f.MetadataTarget != "" {
		id = f.MetadataTarget
		if f.Target != "" && !same(f.Target, f.MetadataTarget) {
			o.report(problem.TargetConflict, "its ELF flags (0x%x) name %s, its metadata %s", flags, f.Target, clean(f.MetadataTarget))
		}
	}
	var err error
	if f.Identity, err = gfx.ParseTarget(id); err != nil {
		f.Identity = gfx.Target{ID: clean(id)}
	}
	if processor, features, ok := claimed(claim); ok && f.Identity.Processor != "" &&
		(processor != f.Identity.Processor || abi != abiV3 && len(features) > 0 && !slices.Equal(features, f.Identity.Features)) {
		o.report(problem.TargetConflict, "the bundle says that it is for %s, but it is for %s", clean(claim), clean(id))
	}
}

func same(a, b string) bool {
	ta, errA := gfx.ParseTarget(a)
	tb, errB := gfx.ParseTarget(b)
	return errA == nil && errB == nil && gfx.Same(ta, tb)
}

// claimed reads the target that a bundle names: a whole one, or one whose triple is
// shorter, "amdgcn-amd-amdhsa-gfx900"; ok is false if it names no processor.
func claimed(claim string) (processor string, features []string, ok bool) {
	i := strings.Index(claim, "gfx")
	if i < 0 {
		return "", nil, false
	}
	t, err := gfx.ParseTarget("amdgcn-amd-amdhsa--" + claim[i:])
	return t.Processor, t.Features, err == nil
}

func (o *object) report(code problem.Code, format string, args ...any) {
	o.file.Problems = append(o.file.Problems, problem.New(code, "%s", fmt.Sprintf(format, args...)))
}

// reportKernel adds a problem of one kernel.
func reportKernel(k *isa.Kernel, code problem.Code, format string, args ...any) {
	k.Problems = append(k.Problems, problem.New(code, "%s", fmt.Sprintf(format, args...)))
}
