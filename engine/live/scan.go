package live

import (
	"isadiff/engine/problem"
	"isadiff/engine/pysource"
)

// scanText finds the definitions of a text. last is what the same file held
// before and was its text, nil if that is not known. A crash of the scanner costs
// the definitions of that file, whose kernels are then shown on the assembly, and
// no more.
func (s *sources) scanText(path string, text []byte, last *pysource.File, was []byte) (f *pysource.File) {
	defer func() {
		if r := recover(); r != nil {
			s.cfg.Log(problem.Crashed("looking for kernels in "+path, r).Message)
			f = &pysource.File{}
		}
	}()
	if was == nil {
		return s.cfg.Project.Producers.Scan(path, text)
	}
	return s.cfg.Project.Producers.Rescan(path, last, was, text)
}
