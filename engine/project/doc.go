// Package project finds a project's root and reads its configuration.
//
// What comes in is a folder, the environment, an editor's settings and flags;
// what goes out is a [Config], a value in which every key knows where it was
// set, with a [Fault] for each key that could not be used. The keys stand in one
// table, [Keys], from which the reader, documentation and editor schemas derive.
//
// The files of a project are not trusted: they can name what is read, never a
// command that runs ([Config.Command]) nor a file outside the project's root
// that is written ([Config.WriteFile]). The project's Python sources are listed
// by [Config.FindSources].
package project
