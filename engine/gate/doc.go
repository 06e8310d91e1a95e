// Package gate applies a project's rules to a comparison: accepted regressions
// (package accept), tolerances (package tolerance) and budgets (package budget).
//
// Accepted or tolerated growth is no regression; a broken budget is one, with or
// without a baseline. No rule removes a reason for NOT TRUSTWORTHY. Without rules
// a result stays as it is. Warnings name entries that no longer have an effect.
package gate
