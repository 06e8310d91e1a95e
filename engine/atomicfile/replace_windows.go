package atomicfile

import (
	"bytes"

	"github.com/natefinch/atomic"
)

func replace(path string, data []byte) error {
	return atomic.WriteFile(path, bytes.NewReader(data))
}
