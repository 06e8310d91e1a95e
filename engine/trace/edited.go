package trace

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"isadiff/engine/problem"
	"isadiff/engine/producer"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// headSize is how much of a compile's first file is read: its first location is the
// definition of its first kernel.
const headSize = 1 << 10

// Edited warns of the sources that were saved after a dump tree was compiled from
// them, where the first file of a compile names them and they are here: what is
// compared is the dumps, and those are older than the code. The error is that of ctx.
func Edited(ctx context.Context, t *producer.Table, side *resource.Side) (warnings []string, err error) {
	if side.Snapshot {
		return nil, nil
	}
	kernels := map[string]int{} // by the folder of a compile
	for _, r := range side.Records {
		kernels[path.Dir(r.Source)]++
	}
	folders := slices.Sorted(maps.Keys(kernels))
	sources := make([]string, len(folders)) // that are newer than the folder beside them
	var workers errgroup.Group
	const share = 64 // folders that one worker takes at a time
	workers.SetLimit(4)
	for from := 0; from < len(folders); from += share {
		workers.Go(func() error {
			saved := map[string]time.Time{}
			for i := from; i < min(from+share, len(folders)); i++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				sources[i] = newerSource(filepath.Join(side.Origin, filepath.FromSlash(folders[i])), t, saved)
			}
			return nil
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	older := map[string]int{}
	for i, source := range sources {
		if source != "" {
			older[source] += kernels[folders[i]]
		}
	}
	for _, source := range slices.Sorted(maps.Keys(older)) {
		warnings = append(warnings, fmt.Sprintf("%s was saved after the compile of %s in %s, whose figures are those of the code before; compile again to compare what it is now",
			resource.ValidText(source), problem.Count(older[source], "kernel"), resource.ValidText(side.Origin)))
	}
	return warnings, nil
}

// newerSource returns the source that a compile's first file names if it was saved
// after the compile began; "" if not, or if nobody knows. saved remembers when sources
// were saved.
func newerSource(folder string, t *producer.Table, saved map[string]time.Time) string {
	for _, p := range t.Rows() {
		if p.Origin == "" {
			continue
		}
		f, _, err := regular.Open(filepath.Join(folder, p.Origin))
		if err != nil {
			continue
		}
		head := make([]byte, headSize)
		n, _ := io.ReadFull(f, head)
		info, err := f.Stat()
		f.Close()
		source := firstLocation(head[:n])
		if err != nil || !filepath.IsAbs(source) {
			return ""
		}
		at, known := saved[source]
		if !known {
			if info, err := os.Stat(source); err == nil && info.Mode().IsRegular() {
				at = info.ModTime()
			}
			saved[source] = at
		}
		if at.After(info.ModTime()) {
			return source
		}
		return ""
	}
	return ""
}

// firstLocation returns the file of the first location of an MLIR text:
// loc("/src/kernel.py":37:0).
func firstLocation(text []byte) string {
	_, rest, found := bytes.Cut(text, []byte(`loc("`))
	end := bytes.IndexByte(rest, '"')
	if !found || end < 0 {
		return ""
	}
	name, err := strconv.Unquote(`"` + string(rest[:end]) + `"`)
	if err != nil {
		return ""
	}
	return name
}
