// Package gate holds a comparison against what its project allows: regressions
// that were accepted (package accept) and budgets (package budget).
//
// An accepted growth is no regression any more; a broken budget is one, with a
// baseline or without. Neither ever takes away a reason for NOT TRUSTWORTHY. With
// neither in use a result stays what it is. Entries that no longer do anything
// are said in warnings, so that the list does not rot.
package gate
