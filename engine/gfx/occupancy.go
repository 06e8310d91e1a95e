package gfx

// Occupancy is the number of waves per SIMD that a kernel's static resources
// allow. The zero value means unknown. It is informational, never a trigger.
type Occupancy struct {
	Launch  int    // at the workgroup size of the launch
	LLVM    int    // LLVM's own figure, for the best workgroup size
	Limiter string // "VGPR", "SGPR", "LDS", "workgroup" or "" when the maximum is reached
}
