// Package pysource finds kernel definitions in Python text, even while it is being
// typed.
//
// It takes the bytes of one source file and returns a [File]: the functions that
// have a kernel decorator, with the exact ranges of decorator and name, and with
// the decorator's name= argument. The scanner is tolerant: a syntax error hides
// only the definition that it is in, and never causes a wrong range.
//
// The steps:
//
//  1. A lexer (lex.go, literal.go) cuts the text into logical lines, as Python's
//     tokenizer does. Where the text is broken it gives up the smallest part:
//     recover.go ends brackets that were left open, doubt.go decides which triple
//     quote has no partner.
//  2. Each line opens or closes blocks and binds names (statement.go, scope.go). A
//     decorator (decorator.go) waits for its def.
//  3. At the end of the text, when every import and assignment is known, it looks up
//     the decorators in a table of [Decorators], and their names become constants or
//     patterns (template.go).
//
// All of it takes linear time: reading a part twice costs a budget, and once that
// is spent the scanner takes the text as it is.
package pysource
