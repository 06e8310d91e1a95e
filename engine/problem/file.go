package problem

import (
	"errors"
	"strconv"
)

// ErrNotRegular says that something is no regular file: reading a pipe could
// block for ever.
var ErrNotRegular = errors.New("it is no regular file")

// A TooLarge is the most bytes of a file that are read, as the error of one that has more.
type TooLarge int64

// Error says so.
func (e TooLarge) Error() string {
	return "it is larger than " + strconv.FormatInt(int64(e)>>20, 10) + " MiB"
}

// Unreadable is the problem of a file or directory that cannot be read, although
// it is there; name is how the message names it.
func Unreadable(name string, err error) Problem {
	p := New(InputUnreadable, "%s cannot be read: %v", name, Cause(err)).In(name)
	if _, ok := errors.AsType[TooLarge](err); ok {
		p = p.Mended("remove it, or leave it out of what is read: no assembly of kernels and no snapshot is so large")
	}
	return p
}

// Cause returns what the operating system said, without the operation and the
// paths, temporary ones among them: our own message names the file.
func Cause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// Count spells a number of things: "1 kernel", "2 kernels".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
