//go:build unix && !linux && !darwin

package watch

import (
	"fmt"
	"syscall"
)

// changeTime has another name on each system; without it a file whose
// modification time was set back is found by its events only.
func changeTime(*syscall.Stat_t) int64 { return 0 }

func remoteFileSystem(string) string { return "" }

func limitReason(err error) string { return fmt.Sprintf("file events cannot be had (%v)", err) }
