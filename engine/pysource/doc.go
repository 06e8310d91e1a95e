// Package pysource finds kernel definitions in Python text, also while it is
// being typed.
//
// What comes in is the bytes of one source file; what goes out is a [File], the
// functions of the file that carry a kernel decorator, with the exact ranges of
// decorator and name and with what the decorator's name= argument says. The
// scanner is tolerant: a syntax error hides no definition but the one it is in,
// and never yields a wrong range.
//
// The way of the text:
//
//  1. A lexer (lex.go, literal.go) cuts it into logical lines, as Python's
//     tokenizer does. Where the text is broken it gives up the smallest part:
//     recover.go ends brackets that were left open, doubt.go decides which
//     triple quote has no partner.
//  2. Each line opens or closes blocks and binds names (statement.go, scope.go).
//     A decorator (decorator.go) waits for its def.
//  3. At the end of the text, when every import and assignment has been seen,
//     the decorators are looked up in a table of [Decorators], and their names
//     become constants or patterns (template.go).
//
// All of it takes linear time: whatever is read a second time is paid for from a
// budget, and when that is spent the scanner takes the text as it stands.
package pysource
