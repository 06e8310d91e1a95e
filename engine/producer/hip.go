package producer

import (
	"path"
	"strings"
)

// hipTriple stands between the name of the source and that of the processor:
// gemm-hip-amdgcn-amd-amdhsa-gfx942.s (clang/lib/Driver, the offload kind and
// the triple are put into the names of temporary files).
const hipTriple = "-hip-amdgcn-amd-amdhsa-"

// describeHIP makes "build/gemm/gfx942" of build/gemm-hip-amdgcn-amd-amdhsa-gfx942.s,
// and of the assembly of a link with LTO, which ends in ".out.lto.s" (lld, --lto-emit-asm).
func describeHIP(p DumpFile) Description {
	i := strings.LastIndex(p.File, hipTriple)
	source, processor := p.File[:i], strings.TrimSuffix(strings.TrimSuffix(p.File[i+len(hipTriple):], ".s"), ".out.lto")
	// An environment follows the triple's empty field in newer versions.
	processor = strings.TrimLeft(strings.TrimPrefix(processor, "unknown-"), "-")
	return Description{Dir: path.Join(p.Dir, source, processor)}
}
