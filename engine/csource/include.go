package csource

import "bytes"

// Includes returns the paths of a text's #include directives as they are spelled.
func Includes(text []byte) (paths []string) {
	for line := range bytes.Lines(text) {
		directive, ok := bytes.CutPrefix(bytes.TrimSpace(line), []byte("#"))
		if !ok {
			continue
		}
		spelled, ok := bytes.CutPrefix(bytes.TrimSpace(directive), []byte("include"))
		spelled = bytes.TrimSpace(spelled)
		if !ok || len(spelled) < 2 {
			continue
		}
		closing := map[byte]byte{'"': '"', '<': '>'}[spelled[0]]
		if end := bytes.IndexByte(spelled[1:], closing); closing != 0 && end > 0 {
			paths = append(paths, string(spelled[1:1+end]))
		}
	}
	return paths
}
