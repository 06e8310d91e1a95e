package watch

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
)

// remoteTypes are the file systems whose far side changes without an event, by
// their magic number in statfs(2) (include/uapi/linux/magic.h and the sources of
// the file systems).
var remoteTypes = map[uint32]string{
	0x00006969: "NFS",
	0x0000517b: "SMB",
	0xff534d42: "SMB",
	0xfe534d42: "SMB",
	0x01021997: "9p",
	0x65735546: "FUSE", // sshfs, and virtiofs too
	0x5346414f: "AFS",
	0x6b414653: "AFS",
	0x00c36400: "Ceph",
	0x73757245: "Coda",
	0x0bd00bd0: "Lustre",
	0x47504653: "GPFS",
	0x786f4256: "a VirtualBox shared folder",
}

func remoteFileSystem(path string) string {
	var st syscall.Statfs_t
	if syscall.Statfs(path, &st) != nil {
		return ""
	}
	return remoteTypes[uint32(st.Type)]
}

// limitReason says which limit of inotify(7) an error means, and how to raise it.
func limitReason(err error) string {
	name, raise := "", 0
	switch {
	case errors.Is(err, syscall.ENOSPC):
		name, raise = "fs.inotify.max_user_watches", 1048576
	case errors.Is(err, syscall.EMFILE):
		name, raise = "fs.inotify.max_user_instances", 1024
	default:
		return fmt.Sprintf("file events cannot be had (%v)", err)
	}
	limit := ""
	if b, err := os.ReadFile("/proc/sys/" + strings.ReplaceAll(name, ".", "/")); err == nil {
		limit = " of " + strings.TrimSpace(string(b))
	}
	return fmt.Sprintf("the limit%s in %s is used up; raise it with: sudo sysctl %s=%d", limit, name, name, raise)
}
