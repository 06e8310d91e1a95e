// Package mcp is a server of the Model Context Protocol: it lets a coding agent ask what
// the commands of isadiff answer. Each tool stands in a file of its name. A tool opens
// what the call names, calls package judge, and returns a [report.Brief]: the verdict,
// the worst kernels, the problems and the counts of what is left out, as text and as
// JSON. It decides nothing itself.
//
// Nothing is read or written outside of the folders that the client or the command line
// names (places.go), but for what a compile command does by itself.
package mcp
