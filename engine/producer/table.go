package producer

import "isadiff/engine/pysource"

// builtin are the producers that are known without any configuration. The first is
// the default.
var builtin = NewTable(flydsl, triton, hip, iree)

// flydsl is FlyDSL. Its sources and documentation of August 2026 have all these
// spellings of the decorators; flydsl.compiler is the one in use.
var flydsl = &Producer{
	Name: "flydsl", Title: "FlyDSL",
	Assembly: "*final_isa.s", Stages: true, Origin: "00_origin.mlir",
	Decorators: pysource.Decorators{
		Known: []pysource.Decorator{
			{Path: "flydsl.compiler.kernel"},
			{Path: "flydsl.compiler.kernel_function.kernel"},
			{Path: "flydsl.expr.kernel"},
			{Path: "flydsl.kernel"},
			{Path: "flydsl.compiler.jit", Launcher: true},
			{Path: "flydsl.compiler.jit_function.jit", Launcher: true},
			{Path: "flydsl.expr.jit", Launcher: true},
			{Path: "flydsl.jit", Launcher: true},
		},
		Usual: map[string]string{
			"flyc": "flydsl.compiler",
			"fx":   "flydsl.expr",
		},
	},
	Import: "flydsl", Library: []string{"flydsl"},
	Dumps: "~/.flydsl/debug", DumpsEnv: "FLYDSL_DUMP_DIR",
	Environment: []Variable{
		{"FLYDSL_DUMP_IR", "1"}, {"FLYDSL_RUNTIME_ENABLE_CACHE", "0"}, {"FLYDSL_DUMP_DIR", "{dir}"},
	},
	Lines: "compile with FLYDSL_DEBUG_ENABLE_DEBUG_INFO=1",
	Again: "set FLYDSL_DUMP_IR=1 and FLYDSL_RUNTIME_ENABLE_CACHE=0, then compile again",
}

// triton is Triton, measured on version 3.9. Its cache holds a directory for each
// compile, with the metadata of the launch beside the assembly. What
// TRITON_KERNEL_DUMP writes is poorer: no metadata, and compiles that differ in
// their target or options alone take each other's place.
var triton = &Producer{
	Name: "triton", Title: "Triton",
	Assembly: "*.amdgcn", Objects: "*.hsaco", Companion: "*.json", Describe: describeTriton, Supersedes: true,
	Traces: []Trace{{Name: "*.ttir"}, {Name: "*.ttgir"}, {Name: "*.llir"}},
	Decorators: pysource.Decorators{
		Known: []pysource.Decorator{
			{Path: "triton.jit", Naming: pysource.Verbatim},
			{Path: "triton.runtime.jit.jit", Naming: pysource.Verbatim},
			{Path: "triton.runtime.jit", Naming: pysource.Verbatim},
		},
		Usual: map[string]string{"triton": "triton"},
	},
	Import: "triton", Library: []string{"site-packages/triton", "dist-packages/triton"},
	Dumps: "~/.triton/cache", DumpsEnv: "TRITON_CACHE_DIR",
	Environment: []Variable{{"TRITON_CACHE_DIR", "{dir}"}, {"TRITON_ALWAYS_COMPILE", "1"}},
	Again:       "set TRITON_CACHE_DIR to this directory and TRITON_ALWAYS_COMPILE=1, then compile again",
}

// hip is clang on HIP sources: what --save-temps leaves of the device's side,
// beside the object file. One directory holds the compiles of many sources, and of
// each for several processors.
var hip = &Producer{
	Name: "hip", Title: "HIP",
	Assembly: "*" + hipTriple + "*.s", Names: true, Describe: describeHIP,
	Traces: []Trace{
		{"*" + hipTriple + "*.bc", "compile with --save-temps=obj -fno-offload-lto, and without -fgpu-rdc: with LTO the device code is compiled by the linker, which keeps no assembly"},
		{Name: "*" + hipTriple + "*"},
	},
	Markers: []string{"__global__"},
	Lines:   "compile with -gline-tables-only",
	Again:   "compile again with --save-temps=obj, which keeps the assembly beside the object file",
}

// iree is IREE's ROCm target, measured on version 3.13. It compiles MLIR, so no Python
// defines its kernels, and its assembly names neither compiler nor source lines.
var iree = &Producer{
	Name: "iree", Title: "IREE",
	Assembly: "*.rocmasm", Describe: describeIREE,
	Traces: []Trace{{Name: "*_rocm_hsaco_fb.*"}},
	Again:  "compile again with --iree-hal-dump-executable-intermediates-to=DIRECTORY, which keeps the assembly",
}

// Builtin returns the table of the producers that are known without any
// configuration.
func Builtin() *Table { return builtin }
