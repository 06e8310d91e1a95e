//go:build amd64 || arm64

package watch

import (
	"bytes"
	"io/fs"
	"os"
	"syscall"
	"time"
	"unsafe"

	"isadiff/engine/regular"

	"golang.org/x/sys/unix"
)

// A looker tells the state of paths. It leaves no garbage behind, where os.Lstat
// leaves three objects for each path: a look at 10,000 directories is not to wake
// the collector in a process that is idle.
type looker struct {
	path []byte
	stat unix.Stat_t
}

// look returns the stamp and the type of what rel, relative to root, leads to, or
// without follow of a symbolic link itself.
func (l *looker) look(root, rel string, follow bool) (regular.Stamp, fs.FileMode, error) {
	l.path = append(l.path[:0], root...)
	if rel != "." {
		if n := len(l.path); n > 0 && !os.IsPathSeparator(l.path[n-1]) {
			l.path = append(l.path, os.PathSeparator)
		}
		l.path = append(l.path, rel...)
	}
	if bytes.IndexByte(l.path, 0) >= 0 {
		return regular.Stamp{}, 0, syscall.EINVAL
	}
	l.path = append(l.path, 0)
	flags := 0
	if !follow {
		flags = unix.AT_SYMLINK_NOFOLLOW
	}
	for here := unix.AT_FDCWD; ; {
		_, _, errno := unix.Syscall6(unix.SYS_NEWFSTATAT, uintptr(here), uintptr(unsafe.Pointer(&l.path[0])),
			uintptr(unsafe.Pointer(&l.stat)), uintptr(flags), 0, 0)
		switch errno {
		case 0:
			st := &l.stat
			return regular.Stamp{
				Size: st.Size, ModTime: time.Unix(st.Mtim.Unix()), Changed: time.Unix(st.Ctim.Unix()), ID: regular.ID{Device: st.Dev, Inode: st.Ino},
			}, fileType(st.Mode), nil
		case unix.EINTR:
			continue
		}
		return regular.Stamp{}, 0, errno
	}
}

// fileType returns the type of what stat(2) gave a mode.
func fileType(mode uint32) fs.FileMode {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return 0
	case unix.S_IFDIR:
		return fs.ModeDir
	case unix.S_IFLNK:
		return fs.ModeSymlink
	}
	return fs.ModeIrregular // nothing that is watched
}
