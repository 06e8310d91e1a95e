//go:build !linux

package dump

import "os"

// list returns the entries of a directory in no order.
func list(dir string, _ []byte) ([]entry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	listed, err := f.ReadDir(-1)
	if err != nil {
		return nil, err
	}
	entries := make([]entry, 0, len(listed))
	for _, e := range listed {
		entries = append(entries, entry{e.Name(), kindOf(e.Type())})
	}
	return entries, nil
}
