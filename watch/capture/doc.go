// Package capture runs the command that compiles a project's kernels, and checks
// that its dumps are complete.
//
// It takes a command, and returns a dump directory and a [Result] that says
// whether the capture is whole:
//
//   - [Run] prepares the directory, sets the environment, and runs the command once
//     for each architecture. The directory is marked as incomplete until the command
//     has ended well.
//   - The command's Python processes load a small hook (folder hook) that gives each
//     specialization of a kernel its own directory, under pytest each test, and keeps
//     a journal of compiles.
//   - Run judges the journal, the files and the command's exit status. A command that
//     failed, a compile without assembly, a kernel from a cache or one specialization
//     over another is a problem, never a smaller result.
//
// [Compare] captures a git revision and the working tree in the same way. A [Turn]
// runs one job at a time for an editor that saves files.
package capture
