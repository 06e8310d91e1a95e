package dump

import (
	"strings"

	"isadiff/engine/problem"
	"isadiff/engine/producer"
	"isadiff/engine/resource"
)

// Own adapts the problems of a side without kernels to the project's compiler:
// they name the files that were searched for, and how to make the compiler write
// them. A nil producer is the default one.
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
