// Package isa reads the text of one final assembly file for an AMD GPU.
//
// What comes in is the bytes of a file; what goes out is a [File]: the target,
// and for each kernel what the metadata, the symbols, the descriptor and the
// instructions of its body say about it. Everything is reported as it stands in
// the file, with its line; whether the figures agree is decided by package
// resource.
//
// The file is read in one pass, line by line, and the bodies of its kernels are
// then swept for the highest registers that they name. LLVM's text is not a stable
// interface, so the reader follows the rules of LLVM's assembler (comments,
// labels, quoting, case) rather than the habits of one version of its printer,
// and what it does not understand becomes a problem rather than a guess.
package isa
