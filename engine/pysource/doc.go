// Package pysource finds kernel definitions in Python text, also while it is
// being typed.
//
// What comes in is the bytes of one source file; what goes out is a [File], the
// functions of the file that carry a kernel decorator, with the exact ranges of
// decorator and name and with what the decorator's name= argument says. The
// scanner is tolerant: a syntax error hides no definition but the one it is in,
// and never yields a wrong range.
package pysource
