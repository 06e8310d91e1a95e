// Package budget holds kernels against limits that their authors set:
// "vgpr <= 128", "spill == 0", "occupancy >= 2", per kernel glob.
//
// A budget needs no baseline: it is a claim about one side. What cannot be told
// is said and never taken for kept.
package budget
