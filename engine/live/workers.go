package live

import "runtime"

// workers is how many goroutines read files: one fewer than there are processors.
// Readers compute all the time, and the system lets a thread that computes go on
// for some milliseconds before one that woke up: the free processor is for those
// who ask meanwhile, and for the editor itself.
func workers() int { return max(1, runtime.GOMAXPROCS(0)-1) }
