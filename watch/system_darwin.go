package watch

import (
	"errors"
	"fmt"
	"syscall"
)

// remoteTypes are the file systems whose far side changes without an event, by
// their name in statfs(2).
var remoteTypes = map[string]string{
	"nfs":     "NFS",
	"smbfs":   "SMB",
	"afpfs":   "AFP",
	"webdav":  "WebDAV",
	"osxfuse": "FUSE",
	"macfuse": "FUSE",
}

func remoteFileSystem(path string) string {
	var st syscall.Statfs_t
	if syscall.Statfs(path, &st) != nil {
		return ""
	}
	var name []byte
	for _, c := range st.Fstypename {
		if c == 0 {
			break
		}
		name = append(name, byte(c))
	}
	return remoteTypes[string(name)]
}

// limitReason says what an error means; kqueue(2) needs an open file for each
// file in a watched directory.
func limitReason(err error) string {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return "the limit of open files is used up; raise it with: ulimit -n 65536"
	}
	return fmt.Sprintf("file events cannot be had (%v)", err)
}
