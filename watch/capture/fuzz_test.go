package capture

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever is in a journal, it is read to its end or said to be damaged.
func FuzzJournal(f *testing.F) {
	f.Add(`{"event":"begin","pid":1,"name":"k","dir":"/d","dump":true}` + "\n" + `{"event":"end","written":[{"dir":"/d/k","stage":"22_final_isa.s","digest":"1"}]}` + "\n")
	f.Add(`{"event":"end"}` + "\n" + `{"event":"begin"}` + "\n" + `{"event":"launch","name":"x"}` + "\n")
	f.Add(`{"event":"foreign","files":["/a"]}` + "\n" + "{")
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "1-1.jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		j := readJournal(dir)
		ends := 0
		for _, c := range j.compiles {
			if c.ended {
				ends++
			}
		}
		if ends > strings.Count(text, "\n") {
			t.Errorf("%d compiles ended in %d lines", ends, strings.Count(text, "\n"))
		}
	})
}

// Whatever a command prints, its cause is one line of text that can be shown.
func FuzzCause(f *testing.F) {
	f.Add("a\nValueError: no\nb\n")
	f.Add("\x1b[31mLLVM ERROR: x\x1b[0m\n1 failed")
	f.Fuzz(func(t *testing.T, text string) {
		var out tail
		_, _ = out.Write([]byte(text))
		cause := out.cause()
		if strings.ContainsAny(cause, "\n") || len(cause) > maxCause+4 {
			t.Errorf("cause %q", cause)
		}
		if utf8.ValidString(text) && !utf8.ValidString(cause) {
			t.Errorf("cause %q is no UTF-8", cause)
		}
	})
}

func TestCause(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "",
		"one\ntwo\n\n":                        "two",
		"KeyError: 'x'\nlater\n":              "KeyError: 'x'",
		"ValueError: a\nmore\nKeyError: b\nz": "KeyError: b",
		"x\nLLVM ERROR: Cannot select\nRuntimeError: y\n":                             "LLVM ERROR: Cannot select",
		"FAILED test_a.py::test - assert 1\n1 failed in 2 s\n":                        "FAILED test_a.py::test - assert 1",
		"\x1b[1mld.lld: error: unknown abi version\x1b[0m\nTraceback\n  File \"x\"\n": "ld.lld: error: unknown abi version",
		"sh: no-such: not found\n":                                                    "sh: no-such: not found",
	} {
		var out tail
		for chunk := range strings.SplitAfterSeq(text, "r") {
			_, _ = out.Write([]byte(chunk))
		}
		if got := out.cause(); got != want {
			t.Errorf("of %q: %q, want %q", text, got, want)
		}
	}
}
