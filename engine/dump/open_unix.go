//go:build unix

package dump

import (
	"os"
	"syscall"
)

// openFile opens a file for reading. A pipe that took the file's place since it
// was listed must not block.
func openFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
