package lsp

import (
	"bufio"
	"errors"
	"io"
	"strings"
	"testing"

	"go.lsp.dev/jsonrpc2"
)

func TestReadFrame(t *testing.T) {
	long := strings.Repeat("x", maxHeader)
	for _, c := range []struct {
		name, text, frames string
		end                error
	}{
		{"nothing", "", "", io.EOF},
		{"two", "Content-Length: 2\r\n\r\n{}Content-Length: 1\r\nContent-Type: x; charset=utf-8\r\n\r\n1", "{}|1|", io.EOF},
		{"without carriage returns", "content-length:2\n\n{}", "{}|", io.EOF},
		{"of length 0", "Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}", "|{}|", io.EOF},
		{"half a header", "Content-Length: 2\r\n", "", io.ErrUnexpectedEOF},
		{"half a line", "Content-Le", "", io.ErrUnexpectedEOF},
		{"half a body", "Content-Length: 2\r\n\r\n{", "", io.ErrUnexpectedEOF},
		{"no body", "Content-Length: 2\r\n\r\n", "", io.ErrUnexpectedEOF},
		{"no length", "Content-Type: x\r\n\r\n{}", "", jsonrpc2.ErrInvalidHeader},
		{"no field", "hello\r\n\r\n", "", jsonrpc2.ErrInvalidHeader},
		{"a negative length", "Content-Length: -1\r\n\r\n", "", jsonrpc2.ErrInvalidHeader},
		{"a length that is signed", "Content-Length: +1\r\n\r\n1", "", jsonrpc2.ErrInvalidHeader},
		{"a length too large", "Content-Length: 134217729\r\n\r\n", "", jsonrpc2.ErrInvalidHeader},
		{"a length of many digits", "Content-Length: 18446744073709551617\r\n\r\n", "", jsonrpc2.ErrInvalidHeader},
		{"a line without end", long, "", io.ErrUnexpectedEOF},
		{"a longer line", long + "x", "", jsonrpc2.ErrInvalidHeader},
		{"many lines", strings.Repeat("A: b\r\n", maxHeader/6+1), "", jsonrpc2.ErrInvalidHeader},
		{"a long line that counts for nothing", "A: " + long[:maxHeader/2] + "\r\nContent-Length: 2\r\n\r\n{}", "{}|", io.EOF},
	} {
		in := bufio.NewReader(strings.NewReader(c.text))
		var frames string
		var body []byte
		for {
			frame, _, err := readFrame(in, body)
			if err != nil {
				if !errors.Is(err, c.end) {
					t.Errorf("%s: ends with %v, want %v", c.name, err, c.end)
				}
				break
			}
			body = frame
			frames += string(frame) + "|"
		}
		if frames != c.frames {
			t.Errorf("%s: frames %q, want %q", c.name, frames, c.frames)
		}
	}
}
