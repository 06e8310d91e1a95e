// Package producer knows the compilers that dump assembly for AMD GPUs. Each is
// one row of a table: which files are its final assembly, how the key of a kernel
// is made from a file's place, how kernels are defined in sources and how a symbol
// leads to a definition, and which environment makes it dump. A project can add
// rows in its configuration. Everything else asks the table.
package producer
