package lsp

import (
	"strings"

	"isadiff/engine/facts"
	"isadiff/engine/live"
)

// advice is the usual cause of what got worse most, and what to try.
func advice(k *live.Kernel) string {
	if k.Row == nil || !k.Row.Comparable() {
		return ""
	}
	list := facts.AdviceOn(k.Row)
	if len(list) == 0 {
		return ""
	}
	first := list[0]
	text := first.Cause + "."
	if first.Try != "" {
		text += " " + strings.TrimSuffix(first.Try, ".") + "."
	}
	if !spills(k.Row) {
		text += " " + facts.Proxy + "."
	}
	return text
}
