//go:build unix && !linux && !darwin

package watch

import "fmt"

func remoteFileSystem(string) string { return "" }

func limitReason(err error) string { return fmt.Sprintf("file events cannot be had (%v)", err) }
