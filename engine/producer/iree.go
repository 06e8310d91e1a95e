package producer

import (
	"path"
	"strings"
)

// describeIREE makes "dumps/module_kernels" of
// dumps/module_kernels_linked_rocm_hsaco_fb.rocmasm: IREE names a file after the module,
// and then says whether it linked all dispatches into it, and its format. Without that
// linking (--iree-hal-link-executables=false) each dispatch has a file of its own.
func describeIREE(p DumpFile) Description {
	module := strings.TrimSuffix(p.File, ".rocmasm")
	module = strings.TrimSuffix(strings.TrimSuffix(module, "_rocm_hsaco_fb"), "_linked")
	return Description{Dir: path.Join(p.Dir, module)}
}
