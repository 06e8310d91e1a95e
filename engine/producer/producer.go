package producer

import (
	"cmp"
	"slices"
	"strings"

	"isadiff/engine/pysource"
)

// A Producer is one compiler that dumps assembly.
type Producer struct {
	Name  string // "flydsl", as configuration and manifests spell it
	Title string // "FlyDSL", as people do

	// Assembly is the pattern of the names of final assembly: * stands for any text.
	Assembly string
	// Stages says that a directory is one compile, and that of several assembly
	// files in it the one with the highest stage number counts. Otherwise each
	// file is a compile of its own.
	Stages bool
	// Origin is the first file that a compile writes; "" if there is none to tell.
	Origin string
	// Companion is the pattern of a file beside the assembly, written after it,
	// that says more; "" if there is none.
	Companion string
	// Objects is the pattern of the names of code objects, which are called and
	// described like the assembly; "" if there are none.
	Objects string
	// Traces are what else it writes, by which a directory without its assembly is
	// known. The first that fits a name counts.
	Traces []Trace
	// Names says that its assembly names the compiler. Otherwise what stands there is
	// the compiler of what was linked in.
	Names bool
	// Describe says what the place of an assembly file and its companions tell.
	// nil: keys are made of the directory, and nothing more is known.
	Describe func(DumpFile) Description
	// Supersedes says that of several compiles with one key the newest counts.
	Supersedes bool

	Decorators pysource.Decorators // how Python sources define its kernels
	Markers    []string            // how C++ sources do: words before a function, "__global__"
	// Import is how a Python source that uses it begins: the name of its package.
	Import string
	// Library are the folders of its own sources, whose lines explain nothing to the
	// author of a kernel: the end of a path.
	Library []string

	Dumps       string     // its default dump directory; "~" is the home folder
	DumpsEnv    string     // the variable that names another one
	Environment []Variable // what makes it dump
	// Again says how to get its assembly from a compile, an imperative without a full
	// stop; "" if nobody knows.
	Again string
	// Lines says how to get the source line of each instruction, in the same way; ""
	// if it always writes them, or if nobody knows.
	Lines string
}

// A Variable is one of the environment. In its value, {dir} is the dump directory.
type Variable struct{ Name, Value string }

// A Trace is a kind of file that a producer writes besides its assembly.
type Trace struct {
	Name  string // the pattern of its name
	Again string // as Producer.Again, where that is another one with such a file alone; else ""
}

// A DumpFile is where an assembly file is found.
type DumpFile struct {
	Dir  string // relative to the root of the tree, in slashes; "" for the root itself
	File string // its base name
	// Read reads a small file beside it; it reports fs.ErrNotExist if there is none.
	Read func(name string) ([]byte, error)
}

// A Description is what is known of an assembly file besides its text.
type Description struct {
	Dir string // what keys begin with, in slashes
	// LDS is how much LDS a launch takes in bytes, as LDSFrom says; LDSFrom is ""
	// if that is not known.
	LDS     int64
	LDSFrom string
	// Compiler is the name and version of what made it; "" if that is not known.
	Compiler string
	// Module names the file that holds the module which the compiler made it of, as
	// MLIR prints it; "" if there is none.
	Module string
	// Missing names a file that the compile writes last and that is not there yet.
	Missing string
	// Fault says why something beside the assembly cannot be read; "" if nothing is
	// wrong. Source is the file.
	Fault, Source string
}

// A Role is what a file is to its producer.
type Role uint8

// The roles of files.
const (
	None      Role = iota
	Assembly       // final assembly
	Origin         // the first file of a compile
	Companion      // says more of the assembly beside it
)

// A Table holds the producers that count. It is immutable. The nil Table is that of
// the producers that are known without any configuration.
type Table struct {
	rows       []*Producer
	decorators *pysource.Decorators
}

// NewTable makes a table of rows. The first whose pattern fits a name counts.
func NewTable(rows ...*Producer) *Table {
	t := &Table{rows: rows, decorators: &pysource.Decorators{Usual: map[string]string{}}}
	for _, p := range rows {
		t.decorators.Known = append(t.decorators.Known, p.Decorators.Known...)
		for local, module := range p.Decorators.Usual {
			t.decorators.Usual[local] = module
		}
	}
	return t
}

// Rows returns the producers, the default first.
func (t *Table) Rows() []*Producer { return t.orBuiltin().rows }

func (t *Table) orBuiltin() *Table {
	if t == nil {
		return builtin
	}
	return t
}

// Default returns the producer that is meant where nothing tells.
func (t *Table) Default() *Producer { return t.Rows()[0] }

// IsLibrary reports whether a folder, in slashes, is a producer's own or below it.
func (t *Table) IsLibrary(dir string) bool {
	dir = "/" + dir + "/"
	for _, p := range t.Rows() {
		for _, library := range p.Library {
			if strings.Contains(dir, "/"+library+"/") {
				return true
			}
		}
	}
	return false
}

// Named returns the producer of a name, or nil.
func (t *Table) Named(name string) *Producer {
	for _, p := range t.Rows() {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Role returns what a file of this base name is, and to whom.
func (t *Table) Role(name string) (*Producer, Role) {
	for _, p := range t.Rows() {
		switch {
		case Fits(p.Assembly, name):
			return p, Assembly
		case p.Origin != "" && name == p.Origin:
			return p, Origin
		case Fits(p.Companion, name) && name[0] != '.':
			return p, Companion
		}
	}
	return nil, None
}

// Trace returns the producer that writes files of this base name besides its
// assembly, nil if none is known, and how to get its assembly where there are only
// such files.
func (t *Table) Trace(name string) (p *Producer, again string) {
	for _, p := range t.Rows() {
		if n := slices.IndexFunc(p.Traces, func(trace Trace) bool { return Fits(trace.Name, name) }); n >= 0 {
			return p, cmp.Or(p.Traces[n].Again, p.Again)
		}
	}
	return nil, ""
}

// CompareStages orders the stage files of one directory by their number,
// "9_final_isa.s" before "21_final_isa.s" before "100_final_isa.s"; one without a
// number comes first. The last one counts.
func (p *Producer) CompareStages(a, b string) int {
	suffix := "_" + strings.TrimPrefix(p.Assembly, "*")
	na, nb := stageNumber(a, suffix), stageNumber(b, suffix)
	return cmp.Or(cmp.Compare(len(na), len(nb)), cmp.Compare(na, nb), cmp.Compare(a, b))
}

// stageNumber returns the digits of a stage file's name without leading zeros; ""
// if it has none.
func stageNumber(name, suffix string) string {
	number, ok := strings.CutSuffix(name, suffix)
	if !ok || strings.Trim(number, "0123456789") != "" || number == "" {
		return ""
	}
	if number = strings.TrimLeft(number, "0"); number == "" {
		return "0"
	}
	return number
}

// IsAssembly reports whether a file name is that of final assembly.
func (t *Table) IsAssembly(name string) bool {
	_, role := t.Role(name)
	return role == Assembly
}

// IsOrigin reports whether a file name is that of the first file of a compile.
func (t *Table) IsOrigin(name string) bool {
	_, role := t.Role(name)
	return role == Origin
}

// Fits reports whether the pattern of a file name, in which * stands for any text, fits
// a name: its parts between stars follow each other in it. The empty one fits nothing.
func Fits(pattern, name string) bool {
	first, rest, starred := strings.Cut(pattern, "*")
	if !starred {
		return name == pattern && name != ""
	}
	name, ok := strings.CutPrefix(name, first)
	for ok {
		part, more, starred := strings.Cut(rest, "*")
		if !starred {
			return strings.HasSuffix(name, part)
		}
		_, name, ok = strings.Cut(name, part)
		rest = more
	}
	return false
}
