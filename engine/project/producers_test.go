package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isadiff/engine/producer"
)

func TestProducers(t *testing.T) {
	for _, test := range []struct {
		name, text string
		assembly   string // a name that is assembly now
		other      string // one that is not
		faults     []string
	}{
		{"none", "", "22_final_isa.s", "k.isa", nil},
		{"one", "[producers.mine]\nfiles = \"*.isa\"\ndecorators = [\"mine.lang.kernel\"]\n", "k.isa", "k.is", nil},
		{"inline", "producers = { mine = { files = \"*.isa\", decorators = \"mine.kernel\" } }\n", "k.isa", "k.s", nil},
		{"two", "[producers]\na.files = \"*.a\"\nb.files = \"x*.b\"\n", "xy.b", "y.b", nil},
		{"no files", "[producers.mine]\ndecorators = [\"mine.kernel\"]\n", "22_final_isa.s", "k.isa", []string{"isadiff.toml:2: producers.mine names no files"}},
		{"everything", "[producers.mine]\nfiles = \"*\"\n", "22_final_isa.s", "k.isa", []string{"takes every file for assembly"}},
		{"a folder", "[producers.mine]\nfiles = \"a/*.s\"\n", "22_final_isa.s", "k.s", []string{"has a folder in files"}},
		{"no dotted name", "[producers.mine]\nfiles = \"*.isa\"\ndecorators = [\"kernel\"]\n", "22_final_isa.s", "k.isa", []string{`has the decorator "kernel"`}},
		{"another field", "[producers.mine]\nfiles = \"*.isa\"\nkeys = \"x\"\n", "k.isa", "k.s", []string{"is none of files and decorators"}},
		{"no table", "producers = \"mine\"\n", "22_final_isa.s", "k.isa", []string{"must be a table of producers"}},
		{"types", "[producers.mine]\nfiles = 3\ndecorators = [3]\n", "22_final_isa.s", "k.isa", []string{"must be a string", "must be a dotted name"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			if err := os.WriteFile(filepath.Join(root, "isadiff.toml"), []byte(test.text), 0o666); err != nil {
				t.Fatal(err)
			}
			c, err := Load(Options{Dir: root, Env: func(string) (string, bool) { return "", false }})
			if err != nil {
				t.Fatal(err)
			}
			if !c.Producers.IsAssembly(test.assembly) || c.Producers.IsAssembly(test.other) || !c.Producers.IsAssembly("22_final_isa.s") {
				t.Errorf("%s is assembly: %v, %s: %v", test.assembly, c.Producers.IsAssembly(test.assembly), test.other, c.Producers.IsAssembly(test.other))
			}
			if len(c.Faults) != len(test.faults) {
				t.Fatalf("faults %q, want %q", c.Faults, test.faults)
			}
			for i, want := range test.faults {
				if got := c.Faults[i].String(); !strings.Contains(got, want) {
					t.Errorf("fault %q, want %q", got, want)
				}
			}
		})
	}
}

// TestProducersDefine: the decorators of a project's own producer define kernels
// beside those that are known.
func TestProducersDefine(t *testing.T) {
	mine, err := producer.Custom("mine", "*.isa", []string{"mine.lang.kernel"})
	if err != nil {
		t.Fatal(err)
	}
	table := producer.Builtin().With(mine)
	file := table.Scan("k.py", []byte("import mine.lang as ml\nimport triton\n@ml.kernel\ndef a(): pass\n@triton.jit\ndef b(): pass\n"))
	if len(file.Definitions) != 2 || file.Definitions[0].Function != "a" || file.Definitions[1].Function != "b" {
		t.Errorf("%+v", file.Definitions)
	}
	if file := producer.Builtin().Scan("k.py", []byte("import mine.lang as ml\n@ml.kernel\ndef a(): pass\n")); len(file.Definitions) != 0 {
		t.Errorf("without it: %+v", file.Definitions)
	}
}

// TestProducer: the project's own producer decides where the dumps are.
func TestProducer(t *testing.T) {
	for _, test := range []struct {
		name, text string
		env        map[string]string
		want       string // the producer
		dumps      string
		fault      string
	}{
		{"none", "", nil, "flydsl", "home/.flydsl/debug", ""},
		{"the default", "producer = \"flydsl\"\n", map[string]string{"FLYDSL_DUMP_DIR": "/d", "TRITON_CACHE_DIR": "/t"}, "flydsl", "/d", ""},
		{"another", "producer = \"triton\"\n", nil, "triton", "home/.triton/cache", ""},
		{"its variable", "producer = \"triton\"\n", map[string]string{"FLYDSL_DUMP_DIR": "/d", "TRITON_CACHE_DIR": "/t"}, "triton", "/t", ""},
		{"a variable of the default", "producer = \"triton\"\n", map[string]string{"FLYDSL_DUMP_DIR": "/d"}, "triton", "home/.triton/cache", ""},
		{"dumps are named", "producer = \"triton\"\ndumps = \"/mine\"\n", map[string]string{"TRITON_CACHE_DIR": "/t"}, "triton", "/mine", ""},
		{"one without a place", "producer = \"hip\"\ndumps = \"/build\"\n", nil, "hip", "/build", ""},
		{"the project's own", "producer = \"mine\"\nproducers.mine.files = \"*.isa\"\n", nil, "mine", "home/.flydsl/debug", ""},
		{"unknown", "producer = \"tritn\"\n", nil, "flydsl", "home/.flydsl/debug", `producer is "tritn", must be one of flydsl, triton, hip, iree`},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			if err := os.WriteFile(filepath.Join(root, "isadiff.toml"), []byte(test.text), 0o666); err != nil {
				t.Fatal(err)
			}
			home := filepath.Join(root, "home")
			c, err := Load(Options{Dir: root, Home: home, Env: func(name string) (string, bool) { v, ok := test.env[name]; return v, ok }})
			if err != nil {
				t.Fatal(err)
			}
			dumps, _ := filepath.Rel(root, c.Dumps)
			if filepath.IsAbs(test.dumps) {
				dumps = c.Dumps
			}
			if c.Producer.Name != test.want || filepath.ToSlash(dumps) != test.dumps {
				t.Errorf("%s dumps into %s, want %s, %s", c.Producer.Name, dumps, test.want, test.dumps)
			}
			if len(c.Faults) > 1 || (len(c.Faults) == 1) != (test.fault != "") {
				t.Errorf("faults %q", c.Faults)
			} else if test.fault != "" && !strings.Contains(c.Faults[0].Message, test.fault) {
				t.Errorf("fault %q", c.Faults[0].Message)
			}
		})
	}
}
