//go:build !windows

package atomicfile

import (
	"io"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// replace writes the temporary file into the target's own directory: a rename
// within one directory is atomic on every file system.
func replace(path string, content func(io.Writer) error) error {
	f, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)),
		renameio.WithPermissions(0o666), renameio.WithExistingPermissions())
	if err != nil {
		return err
	}
	defer func() { _ = f.Cleanup() }() // nothing is left to clean after a success
	if err := buffered(f, content); err != nil {
		return err
	}
	return f.CloseAtomicallyReplace()
}
