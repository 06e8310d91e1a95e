package watch

import (
	"io/fs"
	"syscall"
)

// identify gives files no number here: it would cost opening each of them. Its
// time of creation, which a file that is renamed into place brings along, stands
// for it.
func identify(fi fs.FileInfo) (id, int64) {
	d, ok := fi.Sys().(*syscall.Win32FileAttributeData)
	if !ok {
		return id{}, 0
	}
	return id{}, d.CreationTime.Nanoseconds()
}

// identifyDir returns what identifies the directory at path.
func identifyDir(path string, fi fs.FileInfo) id {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return id{}
	}
	h, err := syscall.CreateFile(name, 0, syscall.FILE_SHARE_READ|syscall.FILE_SHARE_WRITE|syscall.FILE_SHARE_DELETE,
		nil, syscall.OPEN_EXISTING, syscall.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return id{}
	}
	defer syscall.CloseHandle(h)
	var info syscall.ByHandleFileInformation
	if syscall.GetFileInformationByHandle(h, &info) != nil {
		return id{}
	}
	return id{uint64(info.VolumeSerialNumber), uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow)}
}
