// Package capture runs the command that compiles a project's kernels, and makes
// sure that what it dumped is the whole truth.
//
// What comes in is a command; what goes out is a dump directory and a [Result]
// that says whether it is whole. In between:
//
//   - [Run] prepares the directory, which is marked as incomplete until the
//     command has ended well, sets the environment, and runs the command once for
//     each architecture.
//   - Python processes of the command load a small hook (package folder hook/)
//     that gives each specialization of a kernel its own directory, under pytest
//     each test, and keeps a journal of compiles.
//   - What the journal, the files and the command's exit status say is judged: a
//     command that failed, a compile without assembly, a kernel from a cache or
//     one specialization over another is a problem, never a smaller result.
//
// [Compare] captures a git revision and the working tree in the same way.
// [Trigger] runs one job at a time for an editor that saves files.
package capture
