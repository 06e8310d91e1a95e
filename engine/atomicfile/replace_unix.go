//go:build !windows

package atomicfile

import (
	"path/filepath"

	"github.com/google/renameio/v2"
)

// replace writes the temporary file into the target's own directory: a rename
// within one directory is atomic on every file system.
func replace(path string, data []byte) error {
	return renameio.WriteFile(path, data, 0o666, renameio.WithTempDir(filepath.Dir(path)))
}
