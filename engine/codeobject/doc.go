// Package codeobject reads compiled device code for AMD GPUs: code objects, which
// are ELF files, and what they come in.
//
// What comes in is the bytes of a file; what goes out is an [isa.File] of each code
// object in it, as package isa makes one of assembly, from the metadata note and the
// kernel descriptors. Instructions are not looked at.
//
//	a code object       .hsaco, .co, .o: ELF for EM_AMDGPU        object.go, metadata.go, descriptor.go, target.go
//	a bundle            code objects of several targets           bundle.go, compressed.go
//	offload binaries    the same in another form                  offload.go
//	a host binary       ELF with bundles or offload binaries      file.go
//	a wheel             a zip archive of any of them              wheel.go
//
// A file comes from anywhere, so no offset, size or count in it is believed before
// it is held against the bytes that are there. Of a large file little more is read
// than headers, notes, symbols and descriptors.
package codeobject
