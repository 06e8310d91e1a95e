package pysource_test

import (
	"fmt"

	"isadiff/engine/pysource"
)

func ExampleDecorators_Scan() {
	decorators := pysource.Decorators{Known: []pysource.Decorator{{Path: "flydsl.compiler.kernel"}}}
	file := decorators.Scan([]byte(`
import flydsl.compiler as flyc

def build(cols):
    @flyc.kernel(name=f"softmax_{cols}")
    def softmax_rows(x, y):
        total = reduce(x,   # being typed
    return softmax_rows
`))
	for _, d := range file.Definitions {
		fmt.Printf("line %d: %s, name %q\n", d.Ident.Start.Line+1, d.Qualified, d.Name.Parts)
	}
	// Output: line 6: build.<locals>.softmax_rows, name ["softmax_" ""]
}
