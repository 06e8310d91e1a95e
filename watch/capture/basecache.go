package capture

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"isadiff/engine/dump"
	"isadiff/engine/regular"
)

// cachedSides is how many base sides are kept.
const cachedSides = 20

// cache returns where the base side of a key is kept. It is "" if nothing is
// known of the compiler, as then nothing tells whether a side is still the same.
func (o CompareOptions) cache(key string, after *Result) (string, error) {
	if len(after.Compilers) == 0 {
		return "", nil
	}
	dir := o.Cache
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", nil // no home: nothing is kept
		}
		dir = filepath.Join(user, "isadiff", "base")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil
	}
	return filepath.Join(dir, key), nil
}

// newSide begins the name of a side that is being copied into the cache.
const newSide = ".new-"

// isWhole reports whether a directory holds a whole capture.
func isWhole(dir string) bool {
	if dir == "" || regular.Exists(filepath.Join(dir, dump.IncompleteName)) {
		return false
	}
	m := dump.ReadManifest(dir)
	if m == nil {
		return false
	}
	folders, err := findFolders(dir, nil)
	return err == nil && len(folders) >= m.Kernels && m.Kernels > 0
}

// store keeps a side, whole or not at all. That it cannot be kept costs time
// only.
func store(side, place string) {
	temporary, err := os.MkdirTemp(filepath.Dir(place), newSide)
	if err != nil {
		return
	}
	defer os.RemoveAll(temporary)
	whole := filepath.Join(temporary, "side")
	if os.CopyFS(whole, os.DirFS(side)) != nil {
		return
	}
	now := time.Now() // the manifest is written after all that it tells of
	_ = os.Chtimes(filepath.Join(whole, dump.ManifestName), now, now)
	_ = os.RemoveAll(place)
	_ = os.Rename(whole, place)
	trim(filepath.Dir(place))
}

// touch makes a side the last to be removed.
func touch(side string) { now := time.Now(); _ = os.Chtimes(side, now, now) }

// trim removes the sides that were not used for longest.
func trim(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	type side struct {
		path string
		used time.Time
	}
	var sides []side
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), newSide) && time.Since(info.ModTime()) > 24*time.Hour {
			_ = os.RemoveAll(filepath.Join(dir, e.Name())) // of a process that was killed
			continue
		}
		if info, err := e.Info(); err == nil && e.IsDir() && e.Name()[0] != '.' {
			sides = append(sides, side{filepath.Join(dir, e.Name()), info.ModTime()})
		}
	}
	slices.SortFunc(sides, func(a, b side) int { return cmp.Compare(b.used.UnixNano(), a.used.UnixNano()) })
	for _, s := range sides[min(len(sides), cachedSides):] {
		_ = os.RemoveAll(s.path)
	}
}
