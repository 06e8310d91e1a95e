package gate

import (
	"fmt"

	"isadiff/engine/accept"
	"isadiff/engine/problem"
	"isadiff/engine/project"
)

// Load returns the rules of a project on a day.
func Load(c *project.Config, today accept.Date) *Rules {
	g := &Rules{Budgets: c.Budgets, Today: today}
	if list := accept.Read(c.Accepted, c.Relative(c.Accepted)); list != nil {
		g.Accepted = *list
	}
	for _, f := range c.LostBudgets() {
		p := problem.New(problem.BudgetInvalid, "%s", fmt.Sprint(f))
		if f.File != "" {
			p = p.In(c.Relative(f.File)).At(f.Line)
		}
		g.Invalid = append(g.Invalid, p)
	}
	return g
}
