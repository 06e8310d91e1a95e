package pysource

// FlyDSL holds the decorators of FlyDSL. Its sources and documentation of August
// 2026 have all these spellings; flydsl.compiler is the one in use.
var FlyDSL = &Decorators{
	Known: []Decorator{
		{Path: "flydsl.compiler.kernel"},
		{Path: "flydsl.compiler.kernel_function.kernel"},
		{Path: "flydsl.expr.kernel"},
		{Path: "flydsl.kernel"},
		{Path: "flydsl.compiler.jit", Launcher: true},
		{Path: "flydsl.compiler.jit_function.jit", Launcher: true},
		{Path: "flydsl.expr.jit", Launcher: true},
		{Path: "flydsl.jit", Launcher: true},
	},
	Usual: map[string]string{
		"flyc": "flydsl.compiler",
		"fx":   "flydsl.expr",
	},
}

// Scan finds the kernels of FlyDSL, for which most of the tests are written.
func Scan(text []byte) *File { return FlyDSL.Scan(text) }

// Rescan finds them in a text that was edited.
func Rescan(old *File, oldText, newText []byte) *File { return FlyDSL.Rescan(old, oldText, newText) }
