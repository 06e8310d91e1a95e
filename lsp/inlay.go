package lsp

import (
	"cmp"
	"context"
	"hash/maphash"
	"os"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"isadiff/engine/live"
	"isadiff/engine/locate"
	"isadiff/engine/pysource"
	"isadiff/engine/regular"
	"isadiff/engine/report"
	"isadiff/engine/resource"
)

// maxLineHints bounds how many lines of a kernel have a mark: the worst.
const maxLineHints = 10

// lineHints say at the ends of source lines what they cost kernels that got worse.
func (v *view) lineHints(ctx context.Context, src source, shown protocol.Range) (all []protocol.InlayHint) {
	if !src.folder.config.LineHints {
		return nil
	}
	type mark struct{ kernel, variant, text string }
	marks := map[int][]mark{} // by 0-based line as it is now
	for _, d := range src.defs {
		for _, k := range d.Kernels {
			if !gotWorse(k) {
				continue
			}
			seen := v.whyOf(ctx, src.folder.state, k)
			if seen == nil {
				break // of hundreds of kernels without one not all are tried
			}
			var move func(int) (int, bool)
			n := 0
			for _, m := range seen.marks {
				if here(k, m.Source.File) != src.path {
					continue
				}
				if n++; n > maxLineHints {
					break
				}
				if move == nil {
					if move = v.moves(src.folder, k, src.path); move == nil {
						break // what was compiled is not known
					}
				}
				if line, ok := move(m.Source.Line - 1); ok {
					made := mark{kernel: bare(k.Key), text: m.Text}
					if len(d.Kernels) > 1 {
						made.variant = variantLabels(d.Kernels)(k)
					}
					marks[line] = append(marks[line], made)
				}
			}
			break // the others are variants: their lens and hover name them
		}
	}
	text := src.lines
	if text == nil && len(marks) > 0 {
		text = readLines(src.path)
	}
	for line, list := range marks {
		if line < int(shown.Start.Line) || line > int(shown.End.Line) || line >= len(text) {
			continue
		}
		label := list[0].text
		switch {
		case len(list) > 1:
			label = list[0].kernel + ": " + label
		case list[0].variant != "":
			label = list[0].variant + ": " + label
		}
		end := text.toWire(v.client.encoding, line, len(text.line(line)))
		all = append(all, protocol.InlayHint{Position: end, Label: protocol.String(report.EditorLine(label)), PaddingLeft: new(true)})
	}
	slices.SortFunc(all, func(a, b protocol.InlayHint) int { return cmp.Compare(a.Position.Line, b.Position.Line) })
	return all
}

// gotWorse reports whether a kernel's figures are worse than the baseline's and that is
// not accepted, whether the source was edited since or not.
func gotWorse(k *live.Kernel) bool {
	switch k.Status {
	case live.Worse, live.Edited, live.Compiling:
		return changedKernel(k) && k.Row.Worsened() > len(k.Row.Accepted)
	}
	return false
}

// compiledLines are the lines of a source as it was compiled, each as a hash.
type compiledLines []uint64

var lineSeed = maphash.MakeSeed()

// hashed returns the hashes of lines without what stands behind their text; 0 for one
// that is blank.
func hashed(text lines) compiledLines {
	all := make(compiledLines, len(text))
	for i, l := range text {
		if l = strings.TrimRight(l, " \t"); l != "" {
			all[i] = max(maphash.String(lineSeed, l), 1)
		}
	}
	return all
}

// moves returns a function that maps a 0-based line that a kernel was compiled from to its
// line in the editor, or on the disk if the file is not open; nil if what was compiled is
// not known, as the file was saved since and nothing had read it before.
func (v *view) moves(f folderView, k *live.Kernel, path string) func(line int) (int, bool) {
	compiled := v.compiledLinesOf(f, k, path)
	if compiled == nil {
		return nil
	}
	var now compiledLines
	if doc := v.docs.open[path]; doc != nil {
		now = hashed(doc.cut())
	} else {
		now = hashed(readLines(path))
	}
	return mapLines(compiled, now)
}

// A sourceKey is a source that a kernel was compiled from.
type sourceKey struct {
	record   *resource.Record
	compiled int64 // when, in ns since 1970
	path     string
}

// sourcesKept bounds how many are kept.
const sourcesKept = 256

// compiledLinesOf returns the lines of a source that a kernel was compiled from; nil if
// they are not known. A file that was not saved since the compile began holds them; they
// are kept for when it is saved.
func (v *view) compiledLinesOf(f folderView, k *live.Kernel, path string) compiledLines {
	key := sourceKey{k.Live, k.Compiled.UnixNano(), path}
	if kept, ok := v.sources.get(key); ok {
		return kept
	}
	if k.Live == nil || slices.Contains(k.Edited, f.config.Relative(path)) || !savedBefore(path, k.Compiled) {
		return nil
	}
	text, err := regular.ReadWithin(path, pysource.MaxSize)
	if err != nil || !savedBefore(path, k.Compiled) {
		return nil
	}
	if defines(f, k, path, text) == locate.Moved {
		return nil // older than the dump, and yet another text: the compile had read it before
	}
	compiled := hashed(splitLines(string(text)))
	v.sources.put(key, compiled)
	return compiled
}

func savedBefore(path string, t time.Time) bool {
	info, err := os.Stat(path)
	return err == nil && !t.IsZero() && !info.ModTime().After(t)
}

// readLines returns the lines of a source on the disk; nil if it cannot be read.
func readLines(path string) lines {
	data, err := regular.ReadWithin(path, pysource.MaxSize)
	if err != nil {
		return nil
	}
	return splitLines(string(data))
}

// mapLines maps each line of a text to its place in a later text. It follows a line that
// occurs once in both, or once with the same lines around it, so it never confuses two
// lines that look the same.
func mapLines(was, now compiledLines) func(line int) (int, bool) {
	if slices.Equal(was, now) {
		return func(line int) (int, bool) { return line, line >= 0 && line < len(was) }
	}
	type around struct{ before, line, after uint64 }
	type found struct{ times, at int }
	index := func(text compiledLines) (alone map[uint64]found, among map[around]found) {
		alone, among = map[uint64]found{}, map[around]found{}
		for i, l := range text {
			if l != 0 {
				alone[l] = found{alone[l].times + 1, i}
				a := around{neighbor(text, i, -1), l, neighbor(text, i, 1)}
				among[a] = found{among[a].times + 1, i}
			}
		}
		return alone, among
	}
	aloneWas, amongWas := index(was)
	aloneNow, amongNow := index(now)
	return func(line int) (int, bool) {
		if line < 0 || line >= len(was) || was[line] == 0 {
			return 0, false
		}
		l := was[line]
		if aloneWas[l].times == 1 && aloneNow[l].times == 1 {
			return aloneNow[l].at, true
		}
		a := around{neighbor(was, line, -1), l, neighbor(was, line, 1)}
		return amongNow[a].at, amongWas[a].times == 1 && amongNow[a].times == 1
	}
}

// neighbor returns the next line that is not blank, in a direction; 0 at the end.
func neighbor(text compiledLines, i, by int) uint64 {
	for i += by; i >= 0 && i < len(text); i += by {
		if text[i] != 0 {
			return text[i]
		}
	}
	return 0
}
