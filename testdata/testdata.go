// Package testdata holds the recorded compile that `isadiff demo` plays back,
// embedded from where the tests read it, so that there is one copy; and texts for
// tests.
package testdata

import "embed"

// Demo is one kernel for gfx942 with what FlyDSL made of it before and after a
// change of one constant, OUTPUTS: see dumps/MANIFEST.md.
//
//go:embed kernels/window_filter.py
//go:embed dumps/tile-up-spills/gfx942/before/window_filter/window_filter_0/22_final_isa.s
//go:embed dumps/tile-up-spills/gfx942/after/window_filter/window_filter_0/22_final_isa.s
var Demo embed.FS
