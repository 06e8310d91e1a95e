package live

import "isadiff/engine/pysource"

// scanText finds the definitions of a text; last is what the same file held
// before, if it was read.
func scanText(text []byte, last *pysource.File) *pysource.File {
	return pysource.Scan(text)
}
