package capture

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"isadiff/engine/regular"
)

// harmless makes git run no program on the word of a repository's configuration: a
// checkout is no order to run its code. These are the keys that the commands here look
// at; nothing is fetched either, as the environment allows no protocol, so that what
// git would start for that (core.sshCommand, credential.helper, core.askPass) is not.
var harmless = []string{
	"-c", "core.hooksPath=" + os.DevNull,
	"-c", "core.fsmonitor=false",
	"-c", "log.showSignature=false", // runs gpg.program
	"-c", "core.pager=cat",
	"-c", "submodule.recurse=false",
	"-c", "advice.detachedHead=false",
}

// disarm puts the filters out of force that the repository's own configuration names.
// Those of the user's or the system's stay, unless the repository's says what Git LFS
// runs.
func (r *repository) disarm(ctx context.Context) error {
	list, err := r.git(ctx, "config", "--list", "--show-scope", "--name-only", "-z")
	if err != nil {
		return err
	}
	fields := strings.Split(list, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		scope, key := fields[i], fields[i+1]
		if scope != "local" && scope != "worktree" {
			continue
		}
		name, ok := filterOf(key)
		if ok && !slices.Contains(r.off, name) {
			r.off = append(r.off, name)
		}
	}
	for _, name := range r.off {
		// By variables, since a name may hold an equals sign.
		for _, key := range []string{"clean", "smudge", "process"} {
			r.overrides = append(r.overrides, "--config-env=filter."+name+"."+key+"="+noProgram)
		}
		r.overrides = append(r.overrides, "--config-env=filter."+name+".required="+notRequired)
	}
	return nil
}

// The variables that the overrides take their values from.
const noProgram, notRequired = "ISADIFF_NO_PROGRAM", "ISADIFF_NOT_REQUIRED"

// filterOf returns the filter that runs what a key of the configuration names. Git LFS
// runs more than its filter is, where it fetches.
func filterOf(key string) (name string, ok bool) {
	section, rest, _ := strings.Cut(key, ".")
	dot := strings.LastIndexByte(rest, '.')
	variable := rest[dot+1:]
	switch {
	case section == "filter" && dot >= 0:
		return rest[:dot], true
	case section == "lfs" && (variable == "standalonetransferagent" || strings.HasPrefix(rest, "customtransfer.") || strings.HasPrefix(rest, "extension.")),
		section == "credential" && variable == "helper",
		key == "core.sshcommand", key == "core.askpass", key == "core.gitproxy":
		return "lfs", true
	}
	return "", false
}

// unfiltered returns the files of a worktree that are not what a checkout would have
// made of them: those of filters that are off, and pointers of Git LFS.
func (w *worktree) unfiltered(ctx context.Context) (files []string, err error) {
	list, err := runGit(ctx, w.path, w.repository.overrides, "", "ls-files", "-z")
	if err != nil || list == "" {
		return nil, err
	}
	told, err := runGit(ctx, w.path, w.repository.overrides, list, "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return nil, err
	}
	fields := strings.Split(told, "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		file, filter := fields[i], fields[i+2]
		switch {
		case filter == "lfs" && !isPointer(filepath.Join(w.path, filepath.FromSlash(file))):
		case filter == "lfs", slices.Contains(w.repository.off, filter):
			files = append(files, file)
		}
	}
	return files, nil
}

// isPointer reports whether a file is what Git LFS puts into a repository in the place
// of the file itself (its specification: the first line names the version).
func isPointer(path string) bool {
	f, _, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	const first = "version https://git-lfs.github.com/spec/"
	head := make([]byte, len(first))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == first
}
