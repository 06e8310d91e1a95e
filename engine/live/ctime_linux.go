package live

import (
	"os"
	"syscall"
	"time"
)

// changeTime returns when a file became what it is in its place: writing, renaming and
// setting its modification time all set it, and nobody sets it by hand.
func changeTime(info os.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctim.Unix())
	}
	return time.Time{}
}
