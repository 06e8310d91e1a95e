package resource

// Narrow returns the side with the kernels that m selects; a nil m selects all.
// Problems of files stay: a file that could not be read may hold a selected
// kernel.
func (s *Side) Narrow(m *Matcher) *Side {
	if m == nil || m.All() {
		return s
	}
	narrowed := *s
	narrowed.Records = nil
	for _, r := range s.Records {
		if m.Match(r) {
			narrowed.Records = append(narrowed.Records, r)
		}
	}
	return &narrowed
}
