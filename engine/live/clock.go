package live

import "time"

// A Clock tells the time and wakes the session. Tests give one that they move
// by hand.
type Clock interface {
	Now() time.Time
	// AfterFunc calls f once, on its own goroutine, when d has passed, unless
	// stop is called before.
	AfterFunc(d time.Duration, f func()) (stop func())
}

// wallClock is the machine's own clock.
type wallClock struct{}

func (wallClock) Now() time.Time { return time.Now() }

func (wallClock) AfterFunc(d time.Duration, f func()) func() {
	t := time.AfterFunc(d, f)
	return func() { t.Stop() }
}
