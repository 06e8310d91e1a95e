package lockfile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"
)

// Who waited for a lock whose holder removed the file does not hold the file that
// another one made since.
func TestRemove(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	take := func() *flock.Flock {
		t.Helper()
		l := New(path, os.O_CREATE|os.O_RDWR)
		if ok, err := l.TryLock(); !ok || err != nil {
			t.Fatal(ok, err)
		}
		return l
	}
	first := take()
	if !Current(first) {
		t.Error("a locked file is another one than itself")
	}
	Remove(first)
	if _, err := os.Lstat(path); err == nil {
		t.Error("it is not removed")
	}
	second := take()
	if err := os.Rename(path, path+".old"); err != nil {
		Remove(second)
		t.Skip("no open file can be renamed here: ", err)
	}
	third := take()
	if Current(second) || !Current(third) {
		t.Errorf("the old one counts: %v, the new one: %v", Current(second), Current(third))
	}
	_ = second.Close()
	Remove(third)
	if Current(third) {
		t.Error("a file that is gone counts")
	}
}

func TestUnopened(t *testing.T) {
	dir := t.TempDir()
	_, err := New(filepath.Join(dir, "none", "lock"), os.O_CREATE|os.O_RDWR).TryLock()
	if !Unopened(err) {
		t.Errorf("no directory: %v", err)
	}
	if Unopened(nil) || Unopened(os.ErrInvalid) {
		t.Error("a file that was not locked counts as not opened")
	}
}
