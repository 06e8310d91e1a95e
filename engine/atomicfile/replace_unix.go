//go:build !windows

package atomicfile

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"
)

// replace writes the temporary file into the target's own directory: a rename
// within one directory is atomic on every file system.
func replace(path string, content func(io.Writer) error) error {
	clearTemporary(path)
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

// abandoned is how old a temporary file is whose writer is gone: one that writes gives
// it a newer time all along.
const abandoned = time.Hour

// clearTemporary removes the temporary files that killed writers of a path left beside it.
func clearTemporary(path string) {
	dir, base := filepath.Split(path)
	entries, _ := os.ReadDir(filepath.Clean(dir + "."))
	for _, e := range entries {
		name := e.Name()
		// renameio's names: a dot, the file's name and a number of 63 bits. Fewer digits
		// may be a person's: a day or a version.
		number, ok := strings.CutPrefix(name, "."+base)
		if !ok || len(number) < 15 || strings.Trim(number, "0123456789") != "" {
			continue
		}
		left := dir + name
		if info, err := os.Lstat(left); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > abandoned {
			_ = os.Remove(left)
		}
	}
}
