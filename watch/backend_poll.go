package watch

import "time"

// A pollBackend notices nothing by itself: the sweeps, which are a safety net
// under events, come often enough to stand alone.
type pollBackend struct {
	min, max, now time.Duration
}

func newPollBackend(minimum, maximum time.Duration) backend {
	return &pollBackend{minimum, maximum, minimum}
}

func (*pollBackend) Add(string) error       { return nil }
func (*pollBackend) Remove(string)          {}
func (*pollBackend) Heed(func(string) bool) {}
func (*pollBackend) Wake() <-chan struct{}  { return nil }
func (*pollBackend) Take() notices          { return notices{} }
func (*pollBackend) Close()                 {}

// Pace doubles while nothing happens.
func (b *pollBackend) Pace(found bool, _ time.Duration) time.Duration {
	if found {
		b.now = b.min
		return b.now
	}
	wait := b.now
	b.now = min(2*b.now, b.max)
	return wait
}
