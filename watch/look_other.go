//go:build !linux || !(amd64 || arm64)

package watch

import (
	"io/fs"
	"os"
)

// A looker tells the state of paths.
type looker struct{}

// look returns the stamp and the type of what rel, relative to root, leads to, or
// without follow of a symbolic link itself.
func (*looker) look(root, rel string, follow bool) (stamp, fs.FileMode, error) {
	path := below(root, rel)
	stat := os.Lstat
	if follow {
		stat = os.Stat
	}
	fi, err := stat(path)
	if err != nil {
		return stamp{}, 0, err
	}
	s := stampOf(fi)
	if fi.IsDir() {
		s.id = identifyDir(path, fi)
	}
	return s, fi.Mode().Type(), nil
}
