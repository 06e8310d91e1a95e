package lsp

import (
	"strings"

	"isadiff/engine/live"
)

// variantLabels returns what names each of the kernels of one definition by what
// tells their keys apart: of test_8192-f32_/k::k and test_2048-f32_/k::k that is
// 8192 and 2048.
func variantLabels(ks []*live.Kernel) func(*live.Kernel) string {
	if len(ks) == 0 {
		return func(k *live.Kernel) string { return oneLine(k.Key) }
	}
	prefix, suffix := ks[0].Key, ks[0].Key
	shortest := len(ks[0].Key)
	for _, k := range ks[1:] {
		prefix = prefix[:commonPrefix(prefix, k.Key)]
		suffix = suffix[len(suffix)-commonSuffix(suffix, k.Key):]
		shortest = min(shortest, len(k.Key))
	}
	from := len(strings.TrimRightFunc(prefix, wordRune))
	to := len(strings.TrimLeftFunc(suffix, wordRune))
	to = min(to, shortest-from)
	return func(k *live.Kernel) string {
		label := strings.TrimFunc(k.Key[from:len(k.Key)-to], func(r rune) bool { return !wordRune(r) })
		if label == "" {
			label = k.Key
		}
		return oneLine(label)
	}
}

// wordRune reports whether a label may not be cut beside r.
func wordRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80
}

func commonPrefix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b string) (n int) {
	for n < min(len(a), len(b)) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
