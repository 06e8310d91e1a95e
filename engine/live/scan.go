package live

import (
	"isadiff/engine/problem"
	"isadiff/engine/pysource"
)

// scanText finds the definitions of a text by scan. A crash of the scanner costs
// the definitions of that file, whose kernels are then shown on the assembly, and
// no more.
func (s *sources) scanText(path string, scan func() *pysource.File) (f *pysource.File) {
	defer func() {
		if r := recover(); r != nil {
			s.cfg.Log(problem.Crashed("looking for kernels in "+path, r).Message)
			f = &pysource.File{}
		}
	}()
	return scan()
}
