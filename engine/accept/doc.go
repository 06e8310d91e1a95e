// Package accept keeps the list of regressions that were looked at and accepted:
// a TOML file that is reviewed like code.
//
//	[[accepted]]
//	kernel = "window_filter/window_filter_0::window_filter_0"
//	metric = "vgpr"
//	value = 127
//	reason = "128 outputs a thread halve the loads"
//	until = 2027-03-31
//
// An entry accepts that a metric of the kernels that its glob selects grew, up
// to a value, to the end of a day if it names one. What cannot be read accepts
// nothing: the list can only excuse, so leaving an entry out is the strict side.
package accept
