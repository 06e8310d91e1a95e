package problem

import (
	"errors"
	"strconv"
)

// ErrNotRegular says that something is no regular file: reading a pipe could
// block for ever.
var ErrNotRegular = errors.New("it is no regular file")

// Unreadable is the problem of a file or directory that cannot be read, although
// it is there; name is how the message names it.
func Unreadable(name string, err error) Problem {
	return New(InputUnreadable, "%s cannot be read: %v", name, Cause(err)).In(name)
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
