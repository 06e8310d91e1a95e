//go:build race

package lsp_test

const raceEnabled = true
