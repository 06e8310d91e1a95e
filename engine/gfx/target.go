package gfx

// A Target is the identity of what a file was compiled for: the processor and
// its features. The triple in front of them does not count for identity.
type Target struct {
	ID        string   // as written in the file
	Processor string   // "gfx942", "gfx9-4-generic"; "" if it cannot be named
	Features  []string // "sramecc+", "xnack-", sorted; nil if unset
}
