//go:build unix

package regular

import (
	"io/fs"
	"syscall"
	"time"
)

// identify returns what identifies a file and when its inode last changed.
func identify(info fs.FileInfo) (ID, time.Time) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ID{}, time.Time{}
	}
	return ID{uint64(st.Dev), uint64(st.Ino)}, changeTime(st)
}

// IdentifyDir returns what identifies the directory at path.
func IdentifyDir(_ string, info fs.FileInfo) ID {
	id, _ := identify(info)
	return id
}
