package capture

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"isadiff/engine/producer"
)

type variable = producer.Variable

// debugInfo gives each instruction its source line. It changes no instruction and no
// count (measured on FlyDSL 0.4.2), but it moves the assembly to
// another stage number, so it is left alone where plain dumps are.
var debugInfo = variable{Name: "FLYDSL_DEBUG_ENABLE_DEBUG_INFO", Value: "1"}

// dropped are the variables that would make FlyDSL refuse to dump, or serve
// kernels from a cache.
var dropped = []string{"FLYDSL_RUNTIME_RUN_ONLY", "FLYDSL_DEBUG_DUMP_ASM"}

// environment returns the environment of one run.
func environment(o Options, h *hook, out, arch, journal string) []string {
	var set []variable
	compilers := []*producer.Producer{producer.Builtin().Default()}
	if o.hookless() {
		compilers = append(compilers, o.Producer)
	}
	for _, p := range compilers {
		for _, v := range p.Environment {
			set = append(set, variable{Name: v.Name, Value: strings.ReplaceAll(v.Value, "{dir}", out)})
		}
	}
	if !o.Live || owned(o.Out) || holdsDebugInfo(out) {
		set = append(set, debugInfo)
	}
	if arch != "" {
		// get_rocm_arch(), by which kernels choose their instructions, reads
		// FLYDSL_GPU_ARCH only; the target of the compile is ARCH.
		set = append(set, variable{Name: "ARCH", Value: arch}, variable{Name: "FLYDSL_GPU_ARCH", Value: arch}, variable{Name: "COMPILE_ONLY", Value: "1"})
	}
	set = append(set,
		variable{Name: "ISADIFF_CAPTURE_OUT", Value: out},
		variable{Name: "ISADIFF_CAPTURE_JOURNAL", Value: journal},
		variable{Name: "ISADIFF_CAPTURE_ROOT", Value: o.Root},
		variable{Name: "ISADIFF_CAPTURE_FOREIGN", Value: o.Foreign},
		variable{Name: "PYTHONPATH", Value: prepend(h.dir, lookup(o.Env, "PYTHONPATH"))},
	)
	if o.Dir != "" {
		set = append(set, variable{Name: "PWD", Value: o.Dir})
	}
	env := make([]string, 0, len(o.Env)+len(set))
	for _, entry := range o.Env {
		name, _, _ := strings.Cut(entry, "=")
		replaced := slices.ContainsFunc(set, func(v variable) bool { return sameName(v.Name, name) })
		if !replaced && !slices.ContainsFunc(dropped, func(d string) bool { return sameName(d, name) }) {
			env = append(env, entry)
		}
	}
	for _, v := range set {
		env = append(env, v.Name+"="+v.Value)
	}
	return env
}

// attendance tells how an environment differs from the one that a program has.
func attendance(has, wants []string, hook string) Attendance {
	a := Attendance{Set: map[string]string{}, Hook: hook}
	for _, entry := range wants {
		name, value, _ := strings.Cut(entry, "=")
		if !slices.Contains(has, entry) {
			a.Set[name] = value
		}
	}
	for _, entry := range has {
		name, _, _ := strings.Cut(entry, "=")
		stays := slices.ContainsFunc(wants, func(e string) bool { n, _, _ := strings.Cut(e, "="); return sameName(n, name) })
		if !stays && !slices.Contains(a.Unset, name) {
			a.Unset = append(a.Unset, name)
		}
	}
	return a
}

// hookless reports whether the command is about a compiler that the hook does not
// know: then what is dumped is all that tells what was compiled.
func (o *Options) hookless() bool {
	return o.Producer != nil && o.Producer != producer.Builtin().Default()
}

// holdsDebugInfo reports whether the stage numbers of a tree are those of a
// compile with debug locations already: any number does that the plain ones do
// not have.
func holdsDebugInfo(dir string) bool {
	found := false
	_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && isAssembly(e.Name()) {
			found = strings.HasPrefix(e.Name(), "23_")
			return filepath.SkipAll
		}
		return nil
	})
	return found
}

// lookup returns the value of a variable, "" if it is not set.
func lookup(env []string, name string) (value string) {
	for _, entry := range env {
		if n, v, _ := strings.Cut(entry, "="); sameName(n, name) {
			value = v // the last one counts
		}
	}
	return value
}

func sameName(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}

// prepend puts a folder in front of a search path.
func prepend(dir, path string) string {
	if path == "" {
		return dir
	}
	return dir + string(os.PathListSeparator) + path
}
