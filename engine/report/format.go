package report

import "isadiff/engine/diff"

// A Format is a way to report a comparison.
type Format struct {
	Name string
	// Alone: the report is a document for a program, so nothing else may stand
	// on the stream that it is written to.
	Alone bool
	// Placed: the report uses Context.Places.
	Placed bool
	// Explained: the report uses Context.Why.
	Explained bool
	// Whole: the report has warnings and problems too, so that nothing of them stands on
	// stderr beside it.
	Whole  bool
	Render func(*diff.Result, Options) ([]byte, error)
}

// Formats holds every format by which a comparison can be reported.
var Formats = []Format{
	{Name: "text", Render: func(r *diff.Result, opt Options) ([]byte, error) { return Text(r, opt), nil }},
	{Name: "json", Alone: true, Render: func(r *diff.Result, _ Options) ([]byte, error) { return JSON(r) }},
	{Name: "markdown", Alone: true, Placed: true, Explained: true, Render: func(r *diff.Result, opt Options) ([]byte, error) { return Markdown(r, opt), nil }},
	{Name: "github", Placed: true, Render: func(r *diff.Result, opt Options) ([]byte, error) { return GitHub(r, opt), nil }},
	{Name: "sarif", Alone: true, Placed: true, Explained: true, Render: SARIF},
	{Name: "junit", Alone: true, Placed: true, Render: JUnit},
	{Name: "html", Alone: true, Placed: true, Explained: true, Render: HTML},
	{Name: "brief", Placed: true, Explained: true, Whole: true, Render: briefText},
}

// FormatNames returns the names of all formats.
func FormatNames() []string {
	names := make([]string, len(Formats))
	for i, f := range Formats {
		names[i] = f.Name
	}
	return names
}
