package dump

import (
	"strings"

	"isadiff/engine/problem"
	"isadiff/engine/producer"
	"isadiff/engine/resource"
)

// Own words what a side without kernels lacks for the compiler that the project
// uses: which files were looked for, and what makes it write them. A nil producer
// is the default one.
func Own(s *resource.Side, p *producer.Producer) {
	if p == nil || p == producer.Builtin().Default() {
		return
	}
	again := p.Again
	if again == "" {
		again = "let " + p.Title + " write " + p.Assembly + " there, then compile again"
	}
	for i := range s.Problems {
		switch old := s.Problems[i]; old.Code {
		case problem.NoDumpFiles:
			next := old
			next.Message = strings.Replace(old.Message, producer.Builtin().Default().Assembly, p.Assembly, 1)
			if next.Next = strings.TrimSuffix(old.Next, choosing(p)); next.Next == "" {
				next = next.Mended("%s", again)
			}
			s.Problems[i] = next
		case problem.NoKernels:
			if old.Next == "" {
				s.Problems[i] = old.Mended("%s", again)
			}
		}
	}
}
