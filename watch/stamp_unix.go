//go:build unix

package watch

import (
	"io/fs"
	"syscall"
)

// identify returns what identifies a file and when its inode last changed.
func identify(fi fs.FileInfo) (id, int64) {
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return id{}, 0
	}
	return id{uint64(st.Dev), uint64(st.Ino)}, changeTime(st)
}

// identifyDir returns what identifies the directory at path.
func identifyDir(_ string, fi fs.FileInfo) id {
	i, _ := identify(fi)
	return i
}
