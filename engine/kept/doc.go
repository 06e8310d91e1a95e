// Package kept keeps the assembly that the figures of a snapshot were read from, in
// one compressed file beside it: baseline.isa.zst of baseline.json. The figures alone
// say what grew; which instructions did it can only be told with the text of both
// sides.
//
// To read it:
//
//	side, _ := snapshot.Load("baseline.json")
//	a, err := kept.Open(side)     // a problem.Problem with cause and mend
//	defer a.Close()
//	text, err := a.Text(record)   // the whole .s file that record was read from
//
// The text that Text returns is byte by byte the one that the figures of the record
// were read from, or there is an error. Three things hold that: the archive names the
// SHA-256 of its snapshot's text, so that one that is left over from other figures is
// refused; a file that has changed since its figures were read is not kept; and
// checksums find damage. A kernel can lack its text: it changed meanwhile, or one of
// several snapshots that were merged had none.
//
// [Write] makes an archive, [Replace] and [Exchange] put it in its place together with
// the snapshot.
//
// # Form
//
// The file is Zstandard (RFC 8878), so that `zstd -dc` shows all the text. It begins
// with a skippable frame that says what it is. Frames of about 1 MiB of text follow:
// files one after the other, in the order of the kernels' keys, where neighbors are
// alike. One file for each frame would take twice the room, and one frame for all would
// have to be unpacked for each kernel. The last frame is skippable and holds the
// [index] as packed JSON, its size and a mark.
package kept
