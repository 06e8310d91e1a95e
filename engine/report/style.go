package report

// A Style is how text is laid out for where it goes. The zero Style is plain
// and complete: for pipes, files and logs.
type Style struct {
	Color bool
	Width int // cells of a terminal's line that tables are cut to; 0 for no limit
}

// A paint is a way to emphasize text.
type paint string

// The paints: SGR parameters that read well on light and dark backgrounds.
const (
	plain  paint = ""
	bold   paint = "1"
	dim    paint = "2"
	worse  paint = "1;31"
	better paint = "32"
	unsure paint = "33"
	good   paint = "1;32"
	doubt  paint = "1;33"
)

// paint returns s emphasized, if s goes where colours are wanted.
func (s Style) paint(p paint, text string) string {
	if !s.Color || p == plain || text == "" {
		return text
	}
	return "\x1b[" + string(p) + "m" + text + "\x1b[0m"
}
