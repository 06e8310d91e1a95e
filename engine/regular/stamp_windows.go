package regular

import (
	"io/fs"
	"syscall"
	"time"
)

// identify gives files no number here: it would cost opening each of them. Its
// time of creation, which a file that is renamed into place brings along, stands
// for it.
func identify(info fs.FileInfo) (ID, time.Time) {
	d, ok := info.Sys().(*syscall.Win32FileAttributeData)
	if !ok {
		return ID{}, time.Time{}
	}
	return ID{}, time.Unix(0, d.CreationTime.Nanoseconds())
}

// IdentifyDir returns what identifies the directory at path.
func IdentifyDir(path string, _ fs.FileInfo) ID {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return ID{}
	}
	h, err := syscall.CreateFile(name, 0, syscall.FILE_SHARE_READ|syscall.FILE_SHARE_WRITE|syscall.FILE_SHARE_DELETE,
		nil, syscall.OPEN_EXISTING, syscall.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return ID{}
	}
	defer syscall.CloseHandle(h)
	var info syscall.ByHandleFileInformation
	if syscall.GetFileInformationByHandle(h, &info) != nil {
		return ID{}
	}
	return ID{uint64(info.VolumeSerialNumber), uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow)}
}
