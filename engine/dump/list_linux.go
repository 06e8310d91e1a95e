package dump

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// list returns the entries of a directory in no order. It reads the kernel's own
// records (getdents64(2): inode and offset of eight bytes each, length of two,
// type of one, name), which takes half the system calls of os.File.
func list(dir string, buffer []byte) ([]entry, error) {
	f, err := openFile(dir)
	if err != nil {
		return nil, err
	}
	defer f.close()
	var entries []entry
	for {
		n, err := unix.Getdents(f.fd, buffer)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return nil, &fs.PathError{Op: "readdir", Path: dir, Err: err}
		case n == 0:
			return entries, nil
		}
		for rest := buffer[:n]; len(rest) > direntHeader; {
			length := int(binary.NativeEndian.Uint16(rest[16:]))
			name, _, _ := bytes.Cut(rest[direntHeader:length], []byte{0})
			kind := kinds[rest[18]]
			rest = rest[length:]
			if s := string(name); s != "." && s != ".." {
				if kind == kindUnknown {
					kind = lstatKind(filepath.Join(dir, s))
				}
				entries = append(entries, entry{s, kind})
			}
		}
	}
}

const direntHeader = 19

// kinds leads from a record's type to a kind; its zero value is kindUnknown.
var kinds = [256]kind{
	unix.DT_REG: kindFile, unix.DT_DIR: kindDir, unix.DT_LNK: kindLink,
	unix.DT_FIFO: kindOther, unix.DT_CHR: kindOther, unix.DT_BLK: kindOther, unix.DT_SOCK: kindOther,
}

func lstatKind(path string) kind {
	info, err := os.Lstat(path)
	if err != nil {
		return kindOther // gone, most likely
	}
	return kindOf(info.Mode())
}
