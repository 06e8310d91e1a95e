//go:build !linux || !(amd64 || arm64)

package watch

import (
	"io/fs"
	"os"

	"isadiff/engine/regular"
)

// A looker tells the state of paths.
type looker struct{}

// look returns the stamp and the type of what rel, relative to root, leads to, or
// without follow of a symbolic link itself.
func (*looker) look(root, rel string, follow bool) (regular.Stamp, fs.FileMode, error) {
	path := below(root, rel)
	stat := os.Lstat
	if follow {
		stat = os.Stat
	}
	fi, err := stat(path)
	if err != nil {
		return regular.Stamp{}, 0, err
	}
	s := regular.StampOf(fi)
	if fi.IsDir() {
		s.ID = regular.IdentifyDir(path, fi)
	}
	return s, fi.Mode().Type(), nil
}
