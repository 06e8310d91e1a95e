package snapshot_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isadiff/engine/problem"
	"isadiff/engine/snapshot"
)

// What may be replaced by a snapshot: one of isadiff or of the Python program, whole
// or damaged, and what has nothing in it.
func TestIs(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "cmd", "isadiff", "testdata", "snapshots", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := !strings.Contains(string(text), `"verdict"`)
		for name, text := range map[string]string{"whole": string(text), "with a mark": "\xef\xbb\xbf" + string(text), "half": string(text[:len(text)/2]),
			"merged": strings.Replace(string(text), `"source"`, "<<<<<<< HEAD\n\"source\"", 1)} {
			if snapshot.Is([]byte(text)) != want && !(name != "whole" && name != "with a mark" && !want) {
				t.Errorf("%s, %s: %v", file, name, !want)
			}
		}
	}
	for text, want := range map[string]bool{
		"": true, " \n\t": true, "\xef\xbb\xbf": true, `{"schema":2,"tool":"isa_resource_table","kernels":{}}`: true, `{"schema":1,"kernels":{}}`: true,
		"{}": false, "[]": false, "null": false, "import flydsl\n": false, "{": false, `{"kernels": {`: false, `{"kernels": {"a": {"b": 1}}`: false,
		`{"kernels":{},"schema":"x"}`: false, `{"schema":2,"tool":"other","kernels":{}}`: false, `{"schema":2,"tool":"isa_resource_table","kernels":{},"verdict":"RESULT: OK"}`: false,
		`{"compilerOptions": {"strict": true}}`: false, "\tv_mov_b32 v0, v1\n": false, "\x00\x01": false,
	} {
		if got := snapshot.Is([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// A snapshot is believed no more than it says of itself in any place, and a byte
// order mark says nothing.
func TestContradictions(t *testing.T) {
	kernel := func(members string) string { return one(archOK + `,"metrics":` + cells(nil) + members) }
	codes := `"problem_codes":[{"code":"metadata-cut","file":"a.s","kernel":"","message":"a.s is cut"}]`
	for name, c := range map[string]struct {
		text string
		want string // in the message; "" if it is trustworthy
	}{
		"plain":                   {kernel(""), ""},
		"a byte order mark":       {"\xef\xbb\xbf" + kernel(""), ""},
		"two byte order marks":    {"\xef\xbb\xbf\xef\xbb\xbf" + kernel(""), "is no JSON"},
		"no codes":                {strings.Replace(kernel(""), `"warnings":[]`, `"warnings":[],"problem_codes":[],"problems":[]`, 1), ""},
		"codes":                   {strings.Replace(kernel(""), `"warnings":[]`, `"warnings":[],`+codes, 1), "a.s is cut"},
		"codes without problems":  {strings.Replace(kernel(""), `"warnings":[]`, `"warnings":[],"problems":[],`+codes, 1), "a.s is cut"},
		"problems without codes":  {strings.Replace(kernel(""), `"warnings":[]`, `"warnings":[],"problem_codes":[],"problems":["a.s is cut"]`, 1), "a.s is cut"},
		"both":                    {strings.Replace(kernel(""), `"warnings":[]`, `"warnings":[],"problems":["it"],`+codes, 1), "untrustworthy data: it"},
		"codes of a kernel":       {kernel(`,` + codes), "a.s is cut"},
		"empty codes of a kernel": {kernel(`,"problem_codes":[],"problems":[]`), ""},
		"a code without anything": {kernel(`,"problem_codes":[{}]`), "a problem without a code"},
	} {
		side, _ := snapshot.Decode("s.json", []byte(c.text))
		doubts := side.Doubts()
		switch {
		case c.want == "" && !side.Trustworthy():
			t.Errorf("%s: %v", name, doubts)
		case c.want != "" && (side.Trustworthy() || len(doubts) != 1 || !strings.Contains(doubts[0].Message, c.want)):
			t.Errorf("%s: %v", name, doubts)
		case c.want != "" && name != "two byte order marks" && doubts[0].Code != problem.SnapshotUntrustworthy:
			t.Errorf("%s: %s", name, doubts[0].Code)
		}
	}
}
