// Package judge answers the questions of the commands with values: what the two sides
// are that a user names, how they compare under the rules of a project, and what
// reports tell besides. Each front end says it in its own words: cmd/isadiff on a
// terminal, package mcp to an agent.
package judge
