package watch

import (
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

func remoteFileSystem(path string) string {
	volume := filepath.VolumeName(path)
	if strings.HasPrefix(volume, `\\`) {
		return "a network share"
	}
	root, err := windows.UTF16PtrFromString(volume + `\`)
	if err != nil || windows.GetDriveType(root) != windows.DRIVE_REMOTE {
		return ""
	}
	return "a network drive"
}

func limitReason(err error) string { return fmt.Sprintf("file events cannot be had (%v)", err) }
