// Package pressure tells where a kernel's registers and spills come from: how
// many VGPRs, AGPRs and SGPRs hold a value at each instruction, where the peak
// is, and what stands on each source line.
//
// What comes in is the text of one final assembly file; what goes out is an
// [Analysis] for each kernel asked for. A body is read in these steps:
//
//  1. file.go finds functions, descriptors and source files;
//  2. decode.go reads a body's statements, with operands.go and roles.go telling
//     which registers an instruction writes and reads;
//  3. blocks.go cuts the body at its branches;
//  4. liveness.go computes which registers are live, and counts them;
//  5. sources.go and lines.go lay the counts over the source lines.
//
// The peak is a count of live registers, never of registers needed: what the
// compiler allocated stays the metric, and the peak explains it. Where the text
// cannot tell, the count is a bound or is refused with its reason; a wrong
// number is never an answer. The rules were measured against LLVM's own tables
// and its code after the last pass (docs/understand/pressure.md).
package pressure
