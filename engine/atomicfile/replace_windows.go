package atomicfile

import (
	"io"

	"github.com/natefinch/atomic"
)

func replace(path string, content func(io.Writer) error) error {
	r, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = w.CloseWithError(buffered(w, content)) // the reader gets the error
	}()
	err := atomic.WriteFile(path, r)
	_ = r.Close() // ends a writer that nobody reads any more
	<-done
	return err
}
