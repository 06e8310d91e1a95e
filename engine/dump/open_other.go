//go:build !unix

package dump

import "os"

func openFile(path string) (*os.File, error) { return os.Open(path) }
