package lsp

import (
	"bufio"
	"bytes"
	"io"
	"strconv"
	"strings"

	"go.lsp.dev/jsonrpc2"
)

const (
	// maxHeader bounds the header of a message: a line without end is not waited for.
	maxHeader = 64 << 10
	// maxBody bounds a message: the largest ones hold the text of a document.
	maxBody = 128 << 20
	// maxKept is how much memory of a message is used again for the next ones.
	maxKept = 1 << 20
)

// readFrame reads one message with its header, into the memory of body if that is
// enough. Unlike jsonrpc2 it accepts a message of length 0, which is answered like
// any other invalid JSON, and bounds the header. After an error it is not known where
// the next message begins.
func readFrame(in *bufio.Reader, body []byte) (frame []byte, n int64, err error) {
	length := -1
	for {
		line, err := readLine(in, maxHeader-int(n))
		switch {
		case err == io.EOF && n+int64(len(line)) > 0:
			return nil, 0, io.ErrUnexpectedEOF
		case err != nil:
			return nil, 0, err
		}
		n += int64(len(line))
		field := strings.TrimRight(string(line), "\r\n")
		if field == "" {
			break
		}
		name, value, ok := strings.Cut(field, ":")
		if !ok {
			return nil, 0, jsonrpc2.ErrInvalidHeader
		}
		if strings.EqualFold(name, "Content-Length") {
			u, err := strconv.ParseUint(strings.Trim(value, " \t"), 10, 31)
			if err != nil || u > maxBody {
				return nil, 0, jsonrpc2.ErrInvalidHeader
			}
			length = int(u)
		}
	}
	if length < 0 {
		return nil, 0, jsonrpc2.ErrInvalidHeader
	}
	if cap(body) < length {
		body = make([]byte, length)
	}
	body = body[:length]
	if _, err := io.ReadFull(in, body); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, 0, err
	}
	return body, n + int64(length), nil
}

// readLine reads a line with its end.
func readLine(in *bufio.Reader, limit int) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(line)+len(part) > limit {
			return nil, jsonrpc2.ErrInvalidHeader
		}
		if err == nil && line == nil {
			return part, nil
		}
		line = append(line, bytes.Clone(part)...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}
