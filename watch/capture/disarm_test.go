package capture

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Nothing that a repository's own configuration names is run by a comparison; files that
// would have needed it are said.
func TestConfigurationOfTheRepositoryRunsNothing(t *testing.T) {
	h := newHistory(t, map[string]string{
		"k.py": kernel("small"), "data.bin": "raw", "more.bin": "raw", "plain.txt": "1",
		"large.bin":       "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n",
		".gitattributes":  "data.bin filter=evil\nmore.bin filter=a=b.c\nlarge.bin filter=lfs\nplain.txt filter=nobody\n",
		"whole/small.bin": "not a pointer", "whole/.gitattributes": "*.bin filter=lfs\n",
	})
	ran := filepath.Join(t.TempDir(), "ran")
	for _, key := range []string{
		"core.fsmonitor", "core.pager", "core.sshCommand", "core.askPass", "core.editor", "core.gitProxy", "diff.external", "gpg.program", "credential.helper",
		"filter.evil.smudge", "filter.evil.clean", "filter.evil.process", "filter.a=b.c.smudge", "filter.a=b.c.clean", "filter.lfs.smudge",
		"uploadpack.packObjectsHook", "remote.origin.uploadpack", "core.alternateRefsCommand", "lfs.customtransfer.x.path",
	} {
		h.git("config", key, "echo "+key+" >> '"+ran+"'; cat #")
	}
	h.git("config", "log.showSignature", "true")
	h.git("config", "filter.evil.required", "true")
	hook := filepath.Join(h.dir, ".git", "hooks", "post-checkout")
	write(t, hook, "#!/bin/sh\necho hook >> '"+ran+"'\n")
	if err := os.Chmod(hook, 0o777); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(context.Background(), h.options("HEAD", "k.py"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if text, err := os.ReadFile(ran); err == nil {
		t.Errorf("these were run:\n%s", text)
	}
	if len(c.Problems) > 0 {
		t.Errorf("problems %v", c.Problems)
	}
	said := strings.Join(c.Warnings, "\n")
	if !strings.Contains(said, "on the before side no filter of git was applied to 3 files") || !strings.HasSuffix(said, ": data.bin, large.bin, more.bin") {
		t.Errorf("warnings %q", c.Warnings)
	}
}

// A filter of the user's own goes on to be run.
func TestFiltersOfTheUser(t *testing.T) {
	h := newHistory(t, map[string]string{"k.py": kernel("small"), "data.txt": "raw", ".gitattributes": "data.txt filter=mine\n"})
	global := filepath.Join(t.TempDir(), "config")
	write(t, global, "[filter \"mine\"]\n\tsmudge = tr a-z A-Z\n")
	t.Setenv("GIT_CONFIG_GLOBAL", global)
	ctx := context.Background()
	r, err := openRepository(ctx, h.dir)
	if err != nil {
		t.Fatal(err)
	}
	rev, err := r.revision(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	w, err := r.checkOut(ctx, rev)
	if err != nil {
		t.Fatal(err)
	}
	defer w.remove()
	text, err := os.ReadFile(filepath.Join(w.path, "data.txt"))
	files, listed := w.unfiltered(ctx)
	if string(text) != "RAW" || err != nil || len(files) > 0 || listed != nil {
		t.Errorf("%q, %v; unfiltered %q, %v", text, err, files, listed)
	}
}

func TestFilterOf(t *testing.T) {
	for key, want := range map[string]string{
		"filter.a.clean": "a", "filter.a.b=c.required": "a.b=c", "filter.clean": "", "lfs.repositoryformatversion": "", "lfs.https://x/y.access": "",
		"lfs.customtransfer.x.path": "lfs", "lfs.standalonetransferagent": "lfs", "lfs.https://x.y/z.standalonetransferagent": "lfs", "lfs.extension.e.smudge": "lfs",
		"credential.helper": "lfs", "credential.https://x.y.helper": "lfs", "core.sshcommand": "lfs", "core.bare": "", "remote.origin.url": "",
	} {
		if got, ok := filterOf(key); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v", key, got, ok)
		}
	}
}
