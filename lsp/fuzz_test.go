package lsp

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// A change with any range leaves the text before and after it alone.
func FuzzChange(f *testing.F) {
	f.Add("a\r\nb🙂é\rc\n\nlast", uint32(1), uint32(2), uint32(3), uint32(0), "x\n")
	f.Add("", uint32(0), uint32(0), uint32(9), uint32(9), "")
	s := New(Options{Log: os.Stderr})
	f.Fuzz(func(t *testing.T, text string, l0, c0, l1, c1 uint32, insert string) {
		for _, enc := range []protocol.PositionEncodingKind{protocol.PositionEncodingKindUTF8, protocol.PositionEncodingKindUTF16, protocol.PositionEncodingKindUTF32} {
			s.client.encoding = enc
			var c change
			c.Text = insert
			c.Range = &struct {
				Start, End struct{ Line, Character uint32 }
			}{}
			c.Range.Start.Line, c.Range.Start.Character = l0, c0
			c.Range.End.Line, c.Range.End.Character = l1, c1
			got := s.apply(text, c)
			if !strings.Contains(got, insert) || len(got) > len(text)+len(insert) {
				t.Fatalf("%q became %q", text, got)
			}
			all := splitLines(text)
			if !utf8.ValidString(text) {
				continue
			}
			for n := range min(len(all), 20) {
				for column := range all[n] {
					p := all.toWire(enc, n, column)
					if line, back := all.fromWire(enc, p); line != n || back != column {
						t.Fatalf("%s: %d:%d of %q is %+v and back %d:%d", enc, n, column, text, p, line, back)
					}
				}
			}
		}
	})
}

// A frame that is let through is one that jsonrpc2 understands.
func FuzzFrame(f *testing.F) {
	for _, body := range []string{`{"jsonrpc":"2.0","id":1,"method":"x"}`, `[{"jsonrpc":"2.0","method":"x"}]`, `{`, ``, `null`, `[]`, "\xff"} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if bad := checkFrame(body); bad != nil && bad.Code == 0 {
			t.Errorf("refused without a code: %v", bad)
		}
	})
}
