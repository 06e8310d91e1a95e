package dump

import "time"

// Tolerance is how much older than another file the assembly that counts may be
// before it counts as an old compile. It covers the time between the first and the
// last file of one quick compile, and coarse file times.
const Tolerance = 2 * time.Second
