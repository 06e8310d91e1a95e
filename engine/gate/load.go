package gate

import (
	"isadiff/engine/accept"
	"isadiff/engine/project"
)

// Keys are the configuration keys that affect a comparison of two given sides.
var Keys = append([]string{"kernels", "producers"}, project.Judging...)

// Load returns the rules of a project on a day, for an answer that depends on keys
// (on all of [Keys] if none are given). A key without a usable value makes every
// answer untrustworthy.
func Load(c *project.Config, today accept.Date, keys ...string) *Rules {
	if keys == nil {
		keys = Keys
	}
	g := &Rules{Budgets: c.Budgets, Tolerated: c.Tolerance, Today: today}
	if list := accept.Read(c.Accepted, c.Relative(c.Accepted)); list != nil {
		g.Accepted = *list
	}
	g.Invalid = c.Problems(c.Lost(keys...))
	return g
}
