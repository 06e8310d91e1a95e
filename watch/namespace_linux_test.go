package watch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// inNamespace runs the calling test again in a process of its own that is root in
// its own user and mount namespaces: its limits and mounts are nobody else's. It
// returns true in that process. uid is the user that it is in there.
func inNamespace(t *testing.T, uid int) bool {
	t.Helper()
	const child = "WATCH_TEST_IN_NAMESPACE"
	if os.Getenv(child) != "" {
		return true
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	attr := &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: os.Getgid(), Size: 1}},
	}
	probe := exec.Command("/bin/true")
	probe.SysProcAttr = attr
	if err := probe.Run(); err != nil {
		t.Skip("no user namespaces here: ", err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), child+"=1")
	cmd.SysProcAttr = attr
	out, err := cmd.CombinedOutput()
	switch {
	case err != nil || !strings.Contains(string(out), t.Name()):
		t.Fatalf("%v\n%s", err, out)
	case strings.Contains(string(out), "--- SKIP"):
		t.Skipf("%s", out)
	}
	return false
}

// setLimit sets a limit of the user namespace, which counts beside the system's.
func setLimit(t *testing.T, name string, limit int) {
	t.Helper()
	if err := os.WriteFile("/proc/sys/user/"+name, []byte(fmt.Sprint(limit)), 0); err != nil {
		t.Skip("limits cannot be set here: ", err)
	}
}

// The limit of watches is reached while directories are added.
func TestWatchLimit(t *testing.T) {
	t.Parallel()
	if !inNamespace(t, 0) {
		return
	}
	setLimit(t, "max_inotify_watches", 20)
	root := t.TempDir()
	r := begun(t, root)
	if r.mode.Polling {
		t.Fatal("it polls before the limit is reached: ", r.mode.Reason)
	}
	want := map[string]string{}
	for _, rel := range tree(t, root, 100) {
		want[rel] = isa(rel)
	}
	r.until(want)
	for !r.mode.Polling {
		r.next()
	}
	if !strings.Contains(r.mode.Reason, "fs.inotify.max_user_watches=") {
		t.Errorf("the reason does not say how to raise the limit: %s", r.mode.Reason)
	}
	// It works all the same.
	want["t0003/k3/"+isaName] = isa("new")
	write(t, filepath.Join(root, "t0003", "k3", isaName), isa("new"))
	r.until(want)
	// With the limit raised it returns to events when asked to look again.
	setLimit(t, "max_inotify_watches", 10000)
	r.w.Rescan()
	for r.mode.Polling {
		r.next()
	}
	want["t0005/k5/"+isaName] = isa("new")
	write(t, filepath.Join(root, "t0005", "k5", isaName), isa("new"))
	r.until(want)
	r.nothingElse()
}

// The limit is reached before anything is watched at all.
func TestInstanceLimit(t *testing.T) {
	t.Parallel()
	if !inNamespace(t, 0) {
		return
	}
	setLimit(t, "max_inotify_instances", 0)
	root := t.TempDir()
	r := begun(t, root)
	if !r.mode.Polling || !strings.Contains(r.mode.Reason, "fs.inotify.max_user_instances=") {
		t.Errorf("got %+v", r.mode)
	}
	write(t, filepath.Join(root, isaName), isa("x"))
	r.until(map[string]string{isaName: isa("x")})
}

func mount(t *testing.T, source, target, fstype string, flags uintptr, data string) {
	t.Helper()
	if err := syscall.Mount(source, target, fstype, flags, data); err != nil {
		t.Skipf("%s cannot be mounted here: %v", fstype, err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(target, syscall.MNT_DETACH) })
}

func unmount(t *testing.T, target string) {
	t.Helper()
	if err := syscall.Unmount(target, 0); err != nil {
		t.Fatal(err)
	}
}

// A file system mounted over the root, and taken away again, sends nothing.
func TestMountOverRoot(t *testing.T) {
	t.Parallel()
	if !inNamespace(t, 0) {
		return
	}
	root := filepath.Join(t.TempDir(), "dumps")
	below := map[string]string{"k/" + isaName: isa("below")}
	write(t, filepath.Join(mkdir(t, filepath.Join(root, "k")), isaName), isa("below"))
	r := begun(t, root)
	r.until(below)
	mount(t, "none", root, "tmpfs", 0, "")
	r.until(map[string]string{})
	write(t, filepath.Join(mkdir(t, filepath.Join(root, "m")), isaName), isa("above"))
	r.until(map[string]string{"m/" + isaName: isa("above")})
	unmount(t, root) // the watch keeps nothing busy
	r.until(below)
	below["k/"+isaName] = isa("below again")
	write(t, filepath.Join(root, "k", isaName), isa("below again"))
	r.until(below)
	r.nothingElse()
}

// The same within the tree is found by the net.
func TestMountWithin(t *testing.T) {
	t.Parallel()
	if !inNamespace(t, 0) {
		return
	}
	root := t.TempDir()
	below := map[string]string{"k/" + isaName: isa("below")}
	write(t, filepath.Join(mkdir(t, filepath.Join(root, "k")), isaName), isa("below"))
	r := begun(t, root, func(o *Options) { o.pace.net = 100 * time.Millisecond })
	r.until(below)
	mount(t, "none", filepath.Join(root, "k"), "tmpfs", 0, "")
	r.until(map[string]string{})
	write(t, filepath.Join(root, "k", isaName), isa("above"))
	r.until(map[string]string{"k/" + isaName: isa("above")})
	unmount(t, filepath.Join(root, "k"))
	r.until(below)
}

// What is changed on the far side of an overlay sends nothing.
func TestOverlayFarSide(t *testing.T) {
	t.Parallel()
	if !inNamespace(t, 0) {
		return
	}
	top := t.TempDir()
	mount(t, "none", top, "tmpfs", 0, "")
	for _, dir := range []string{"lower/k", "upper", "work", "root"} {
		mkdir(t, filepath.Join(top, dir))
	}
	write(t, filepath.Join(top, "lower", "k", isaName), isa("lower"))
	root := filepath.Join(top, "root")
	mount(t, "overlay", root, "overlay", 0, fmt.Sprintf("lowerdir=%[1]s/lower,upperdir=%[1]s/upper,workdir=%[1]s/work", top))
	r := begun(t, root, func(o *Options) { o.pace.net = 100 * time.Millisecond })
	r.until(map[string]string{"k/" + isaName: isa("lower")})
	write(t, filepath.Join(root, "k", isaName), isa("through the overlay"))
	r.until(map[string]string{"k/" + isaName: isa("through the overlay")})
	write(t, filepath.Join(top, "upper", "k", isaName), isa("past it"))
	r.until(map[string]string{"k/" + isaName: isa("past it")})
}

// A file system without events in a part of the tree makes all of it polled.
func TestRemoteWithin(t *testing.T) {
	t.Parallel()
	if !inNamespace(t, 0) {
		return
	}
	root := t.TempDir()
	far := mkdir(t, filepath.Join(root, "far"))
	mount(t, "none", far, "tmpfs", 0, "")
	write(t, filepath.Join(far, isaName), isa("x"))
	r := begun(t, root, func(o *Options) {
		o.system.remote = func(path string) string {
			if filepath.Base(path) == "far" {
				return "NFS"
			}
			return ""
		}
	})
	r.until(map[string]string{"far/" + isaName: isa("x")})
	if !r.mode.Polling || !strings.Contains(r.mode.Reason, "far is on NFS") {
		t.Errorf("got %+v", r.mode)
	}
	write(t, filepath.Join(far, isaName), isa("y"))
	r.until(map[string]string{"far/" + isaName: isa("y")})
}

// Directories and files that may not be read, as somebody who is not root.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	if !inNamespace(t, 1000) {
		return
	}
	root := t.TempDir()
	closed := mkdir(t, filepath.Join(root, "closed"))
	write(t, filepath.Join(closed, isaName), isa("closed"))
	write(t, filepath.Join(root, isaName), isa("open"))
	secret := filepath.Join(root, "23_final_isa.s")
	write(t, secret, isa("secret"))
	for _, path := range []string{closed, secret} {
		if err := os.Chmod(path, 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = os.Chmod(closed, 0o700) })
	r := begun(t, root, func(o *Options) { o.pace.net = 100 * time.Millisecond })
	denied := "error: open " + secret + ": permission denied"
	r.until(map[string]string{isaName: isa("open"), "23_final_isa.s": denied})
	if len(r.last.Problems) != 1 || !strings.Contains(r.last.Problems[0].Error(), closed+": permission denied") {
		t.Errorf("problems %v", r.last.Problems)
	}
	for _, path := range []string{closed, secret} {
		if err := os.Chmod(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	r.until(map[string]string{isaName: isa("open"), "23_final_isa.s": isa("secret"), "closed/" + isaName: isa("closed")})
}
