// Package project finds a project's root and reads its configuration.
//
// It takes a folder, the environment, an editor's settings and flags, and returns
// a [Config]: a value in which every key knows where it was set, with a [Fault]
// for each key that cannot be used. The keys are in one table, [Keys], from which
// the reader, documentation and editor schemas derive.
//
// A project's files are not trusted: they may name what is read, but no command to
// run ([Config.Command]) and no file to write outside the project's root
// ([Config.WriteFile]). [Config.FindSources] lists the project's sources.
package project
