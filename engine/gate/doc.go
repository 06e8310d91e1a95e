// Package gate holds a comparison against what its project allows: regressions
// that were accepted (package accept), tolerances (package tolerance) and budgets
// (package budget).
//
// An accepted growth and one that is tolerated are no regression any more; a broken budget is one, with a
// baseline or without. None of them ever takes away a reason for NOT TRUSTWORTHY. With
// none in use a result stays what it is. Entries that no longer do anything
// are said in warnings, so that the list does not rot.
package gate
