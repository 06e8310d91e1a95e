// Package gfx knows AMD GPU targets and processors: how a target is spelled,
// what a processor's register files look like, by which path it spills, and how
// many waves fit on a SIMD. A new processor is one table row.
package gfx
