package dump

import (
	"testing"
	"time"
)

func TestRounded(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                     "0s",
		10*time.Second + 400*time.Millisecond: "10s",
		10 * time.Minute:                      "10m",
		2*time.Minute + 30*time.Second:        "2m30s",
		time.Hour:                             "1h",
		10*time.Hour + 20*time.Minute:         "10h20m",
		26*time.Hour + 5*time.Second:          "26h0m5s",
	} {
		if got := rounded(d); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
}
