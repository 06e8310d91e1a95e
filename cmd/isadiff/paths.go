package main

import (
	"errors"
	"os"

	"github.com/spf13/cobra"

	"isadiff/engine/problem"
)

// workingDir returns the directory in which relative paths start and the project
// is looked for.
func workingDir() (string, error) {
	wd, err := os.Getwd()
	if err != nil {
		return "", problem.New(problem.InputNotFound, "the working directory is gone: %v", problem.Cause(err)).Mended("change to a directory that is there")
	}
	return wd, nil
}

// A pathFlag is a flag that names a file or directory. An empty path, as of a
// variable of a shell that is not set, is an error and not the flag's absence.
type pathFlag string

func (f *pathFlag) String() string { return string(*f) }
func (f *pathFlag) Type() string   { return "string" }
func (f *pathFlag) Set(s string) error {
	if s == "" {
		return errEmptyPath
	}
	*f = pathFlag(s)
	return nil
}

var errEmptyPath = errors.New("the empty path names nothing")

// pathVar adds a flag that names a file or directory.
func pathVar(c *cobra.Command, to *string, name, short, usage string) {
	c.Flags().VarP((*pathFlag)(to), name, short, usage)
}
