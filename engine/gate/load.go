package gate

import (
	"fmt"
	"path/filepath"

	"isadiff/engine/accept"
	"isadiff/engine/problem"
	"isadiff/engine/project"
)

// Load returns the rules of a project on a day.
func Load(c *project.Config, today accept.Date) *Rules {
	g := &Rules{Budgets: c.Budgets, Today: today}
	if list := accept.Read(c.Accepted, shown(c.Root, c.Accepted)); list != nil {
		g.Accepted = *list
	}
	for _, f := range c.LostBudgets() {
		p := problem.New(problem.BudgetInvalid, "%s", fmt.Sprint(f))
		if f.File != "" {
			p = p.In(shown(c.Root, f.File)).At(f.Line)
		}
		g.Invalid = append(g.Invalid, p)
	}
	return g
}

// shown returns a path as messages have it: from the project's root, in slashes.
func shown(root, path string) string {
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}
