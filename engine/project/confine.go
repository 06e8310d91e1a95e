package project

import (
	"fmt"
	"path/filepath"
	"slices"

	"isadiff/engine/locate"
	"isadiff/engine/producer"
)

// Confine refuses paths outside the project's root that a file of the repository
// names, also through a symbolic link, unless the workspace is trusted: opening a
// repository must not give it access to the rest of the disk. The default dump
// folders of compilers, and those that environment variables name, count as
// inside. A refused path counts as unusable, see [Config.Lost]; of several folders
// of sources only the refused one is dropped.
func (c *Config) Confine() {
	if c.Trusted {
		return
	}
	c.confines = true
	for _, key := range []string{dumpsKey, baselineKey, acceptedKey} {
		if origin := c.Origins[key]; origin.Layer == File {
			c.confined(key, origin, map[string]string{dumpsKey: c.Dumps, baselineKey: c.Baseline, acceptedKey: c.Accepted}[key])
		}
	}
	if origin := c.Origins[sourcesKey]; origin.Layer == File {
		c.Sources = slices.DeleteFunc(slices.Clone(c.Sources), func(path string) bool { return !c.confined(sourcesKey, origin, path) })
		if len(c.Sources) == 0 {
			c.Sources = []string{c.Root}
		}
	}
	c.PathMap = slices.DeleteFunc(slices.Clone(c.PathMap), func(m locate.Mapping) bool {
		origin, ofFile := c.mapped[m]
		return ofFile && !c.confined("path-map", origin, m.To)
	})
}

// confined reports whether a path is one that a file of the repository may name, and
// says if not.
func (c *Config) confined(key string, origin Origin, path string) bool {
	if _, err := c.within(path); err == nil || path == c.Root {
		return true
	}
	if slices.ContainsFunc(c.standing, func(dir string) bool { return leadsInto(path, dir) }) {
		return true
	}
	fault := Fault{Origin: origin, Key: key}
	left := ignored(key)
	if key == sourcesKey { // the others count, and a session says which kernels have none
		fault.Key, left = "", "; it is left out"
	}
	fault.Message = fmt.Sprintf(
		"%s: %s is outside the project; in a workspace that is not trusted nothing outside of the project is read%s; trust the workspace, name a place below %s, or set it in the editor's settings",
		key, path, left, c.Root)
	c.Faults = append(c.Faults, fault)
	return false
}

// leadsInto reports whether a path is a folder or below it, also with all links followed.
func leadsInto(path, dir string) bool {
	below := func(path, dir string) bool {
		rel, err := filepath.Rel(dir, path)
		return err == nil && filepath.IsLocal(rel)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return below(path, dir) // nothing is there yet
	}
	if followed, err := filepath.EvalSymlinks(dir); err == nil {
		dir = followed
	}
	return below(real, dir)
}

// standing are the folders that compilers dump into without a word of the project.
func (l *loader) standing(env func(string) (string, bool)) (dirs []string) {
	for _, p := range producer.Builtin().Rows() {
		if dir, err := l.resolve(p.Dumps); err == nil {
			dirs = append(dirs, dir)
		}
		if text, ok := env(p.DumpsEnv); ok && p.DumpsEnv != "" {
			if dir, err := l.resolve(text); err == nil {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
}
