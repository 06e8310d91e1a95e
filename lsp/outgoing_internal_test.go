package lsp

import (
	"context"
	"errors"
	"io"
	"testing"
)

// Answers that nobody fetches are kept up to a bound, then the session ends.
func TestOutgoingIsBounded(t *testing.T) {
	r, w := io.Pipe()
	q := newOutgoing(w)
	chunk := make([]byte, 1<<20)
	written := 0
	for ; written < 200; written++ {
		if _, err := q.Write(chunk); err != nil {
			if !errors.Is(err, errNotReading) {
				t.Errorf("error %v", err)
			}
			break
		}
	}
	if written != 64 {
		t.Errorf("%d MiB were kept, want 64", written)
	}
	<-q.broken
	if err := q.Room(context.Background()); !errors.Is(err, errNotReading) {
		t.Errorf("Room says %v", err)
	}
	r.Close()
	<-q.done
}

// Room waits for the client to read and no longer.
func TestOutgoingRoom(t *testing.T) {
	r, w := io.Pipe()
	q := newOutgoing(w)
	q.Write(make([]byte, 2<<20))
	ctx, cancel := context.WithCancel(context.Background())
	waited := make(chan error, 2)
	go func() { waited <- q.Room(ctx) }()
	cancel()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	go func() { waited <- q.Room(context.Background()) }()
	io.CopyN(io.Discard, r, 2<<20)
	if err := <-waited; err != nil {
		t.Errorf("read: %v", err)
	}
	q.Close()
	<-q.done
}
