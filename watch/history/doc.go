// Package history looks at many revisions of a repository: it captures each once, keeps
// its figures, and searches for the one that made a kernel worse.
//
//   - A [Store] keeps the figures of revisions in a folder: a snapshot for each tree of
//     sources, with its assembly. Shards, which may run on several machines, have a folder
//     each and read those of the others; nobody writes into the folder of another.
//   - A [Runner] captures the revisions that a store lacks, several side by side. Whoever
//     stops it loses those that are running, and no others.
//   - A [Search] narrows down the first revision that is worse, as git bisect does; it is
//     pure. [Bisect] runs it.
package history
