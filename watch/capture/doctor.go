package capture

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"isadiff/engine/input"
	"isadiff/engine/problem"
	"isadiff/engine/producer"
	"isadiff/engine/project"
	"isadiff/engine/regular"
	"isadiff/engine/report"
)

// A Doctor checks what isadiff and the compiler depend on.
type Doctor struct {
	Config *project.Config
	Python string                      // the interpreter to check; searched for if empty
	Env    func(string) (string, bool) // os.LookupEnv if nil
}

// probe asks a Python what it has. It prints one JSON object.
const probe = `
import importlib.metadata as m, json, sys
def version(name):
    try:
        return m.version(name)
    except m.PackageNotFoundError:
        return ""
found = {"python": ".".join(map(str, sys.version_info[:3])), "executable": sys.executable}
found.update({n: version(n) for n in ("flydsl", "pytest", "triton")})
try:
    import torch
    found["torch"] = torch.__version__
except Exception as e:
    found["torch"] = ""
    found["torchError"] = f"{type(e).__name__}: {e}"
try:
    import isadiff.pytest_plugin
    found["plugin"] = isadiff.pytest_plugin.PROTOCOL
except Exception:
    pass
print(json.dumps(found))
`

// A pythonEnvironment is what the probe answers.
type pythonEnvironment struct {
	Python, Executable, Flydsl, Pytest, Triton, Torch, TorchError string
	Plugin                                                        int // protocol of isadiff's plugin of pytest; 0 without it
}

// probeTime is how long the probe may take: torch alone takes seconds.
const probeTime = 60 * time.Second

// Examine checks everything and returns what it found.
func (d Doctor) Examine(ctx context.Context) []report.Check {
	if d.Env == nil {
		d.Env = os.LookupEnv
	}
	var checks []report.Check
	if p := d.Config.Producer; p != nil && p != producer.Builtin().Default() {
		checks = d.compiler(ctx, p)
	} else {
		checks = append(d.python(ctx), d.linker(), d.libraries(), d.target(), d.switches(), d.cache())
	}
	if d.Config.Usable() { // else where they are is not known
		checks = append(checks, d.dumps(), d.watching(), d.baseline(ctx))
		if len(d.Config.Invalid()) == 0 {
			checks = append(checks, d.answer(ctx)...)
		}
	}
	checks = append(checks, d.command(), d.git(ctx))
	return slices.Concat(checks, d.accepted(), d.configuration())
}

func (d Doctor) env(name string) string {
	value, _ := d.Env(name)
	return value
}

// missing is the state of a compiler's part that is not there: on a machine that
// only compares, which has no compile command, nothing needs it.
func (d Doctor) missing() report.CheckState {
	if d.Config.CompileText() == "" {
		return report.Note
	}
	return report.Failed
}

func (d Doctor) python(ctx context.Context) []report.Check {
	name := d.Python
	if name == "" {
		name = d.findPython()
	}
	const check = "Python"
	if name == "" {
		return []report.Check{{Name: check, State: d.missing(), Finding: "no python3 on PATH", Mend: "install Python, or activate the virtual environment that has FlyDSL"}}
	}
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	c := exec.CommandContext(ctx, name, "-c", probe)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	out, err := c.Output()
	var found pythonEnvironment
	if err == nil {
		err = json.Unmarshal(out, &found)
	}
	if err != nil {
		mend := "check the path: " + name + " --version must answer"
		if said := strings.TrimSpace(stderr.String()); said != "" {
			mend = "try to run it by hand: " + firstOf(said)
		}
		return []report.Check{{Name: check, State: report.Failed, Finding: fmt.Sprintf("%s does not answer: %v", name, plain(err)), Mend: mend}}
	}
	checks := []report.Check{{Name: check, Finding: found.Python + " at " + found.Executable}}
	if found.Flydsl == "" {
		c := report.Check{Name: "FlyDSL", State: d.missing(), Finding: "not installed for this Python", Mend: "pip install flydsl, or activate the virtual environment that has it"}
		if found.Triton != "" {
			c.State, c.Finding = report.Note, c.Finding+"; Triton "+found.Triton+" is"
		}
		return append(checks, c)
	}
	fly := report.Check{Name: "FlyDSL", Finding: found.Flydsl}
	if older(found.Flydsl, 0, 4, 2) {
		fly.State, fly.Mend = report.Note, "use 0.4.2 or newer: older ones name no source lines without debug information"
	}
	checks = append(checks, fly)
	if found.Torch == "" {
		return append(checks, report.Check{Name: "torch", State: report.Failed, Finding: "cannot be imported: " + found.TorchError, Mend: "install torch: FlyDSL kernels take its tensors"})
	}
	checks = append(checks, report.Check{Name: "torch", Finding: found.Torch})
	if found.Pytest == "" {
		return append(checks, report.Check{Name: "pytest", State: report.Note, Finding: "not installed", Mend: "pip install pytest to capture each test by itself"})
	}
	return append(checks, report.Check{Name: "pytest", Finding: found.Pytest}, found.plugin())
}

// PytestProtocol is the number of the lines that the plugin of pytest and `isadiff pytest`
// exchange. The plugin refuses another one.
const PytestProtocol = 1

// plugin checks whether `pytest --isadiff` is there.
func (e pythonEnvironment) plugin() report.Check {
	c := report.Check{Name: "pytest plugin", Finding: "pytest --isadiff is there"}
	switch {
	case e.Plugin == 0:
		c.State, c.Finding, c.Mend = report.Note, "not installed for this Python", "pip install the wheel of isadiff for pytest --isadiff"
	case e.Plugin != PytestProtocol:
		c.State, c.Finding, c.Mend = report.Note, "of another version than this isadiff", "pip install the wheel of this version"
	}
	return c
}

// findPython returns the interpreter that a shell in the project would run.
func (d Doctor) findPython() string {
	if venv := d.env("VIRTUAL_ENV"); venv != "" {
		for _, name := range []string{filepath.Join(venv, "bin", "python"), filepath.Join(venv, "Scripts", "python.exe")} {
			if regular.Exists(name) {
				return name
			}
		}
	}
	for _, name := range []string{"python3", "python"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// older reports whether a version is before another; one that cannot be read is
// not.
func older(version string, than ...int) bool {
	parts := strings.Split(version, ".")
	for i, want := range than {
		if i >= len(parts) {
			return true
		}
		digits := parts[i]
		if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
			digits = digits[:end]
		}
		got, err := strconv.Atoi(digits)
		if err != nil || got > want {
			return false
		}
		if got < want {
			return true
		}
	}
	return false
}

func (d Doctor) rocm() string {
	if path := d.env("ROCM_PATH"); path != "" {
		return path
	}
	return "/opt/rocm"
}

// oldLinker is the last LLD whose code objects FlyDSL's runtime does not take:
// "unknown abi version" of 14 was seen, 17 and newer work.
const oldLinker = 16

func (d Doctor) linker() report.Check {
	c := report.Check{Name: "linker"}
	path := filepath.Join(d.rocm(), "llvm", "bin", "ld.lld")
	out, err := exec.Command(path, "--version").Output()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.State, c.Finding = d.missing(), "there is no "+path
		c.Mend = "set ROCM_PATH to a ROCm, or to a folder in which llvm/bin/ld.lld is a link to an LLD of LLVM 17 or newer"
	case err != nil:
		c.State, c.Finding, c.Mend = report.Failed, fmt.Sprintf("%s does not run: %v", path, plain(err)), "install LLD of LLVM 17 or newer there"
	default:
		c.Finding = strings.TrimSpace(firstOf(strings.TrimSpace(string(out)))) + " at " + path
		_, after, _ := strings.Cut(string(out), "LLD ")
		if major, err := strconv.Atoi(strings.SplitN(after, ".", 2)[0]); err == nil && major <= oldLinker {
			c.State, c.Mend = report.Failed, "use an LLD of LLVM 17 or newer: this one does not know today's code objects"
		}
	}
	return c
}

func (d Doctor) libraries() report.Check {
	dir := filepath.Join(d.rocm(), "amdgcn", "bitcode")
	for _, name := range []string{"ocml.bc", "ockl.bc"} {
		if !regular.Exists(filepath.Join(dir, name)) {
			return report.Check{Name: "device libraries", State: report.Note, Finding: "there is no " + filepath.Join(dir, name),
				Mend: "kernels with math functions need it: set ROCM_PATH to a ROCm that has it"}
		}
	}
	return report.Check{Name: "device libraries", Finding: dir}
}

func (d Doctor) target() report.Check {
	c := report.Check{Name: "target"}
	arch, kernels := d.env("ARCH"), d.env("FLYDSL_GPU_ARCH")
	switch {
	case arch != kernels && (arch != "" || kernels != ""):
		c.State, c.Finding = report.Failed, fmt.Sprintf("ARCH is %q and FLYDSL_GPU_ARCH is %q", arch, kernels)
		c.Mend = "set both to the same processor, or none and use --arch: kernels choose their instructions by the second, the compiler by the first"
	case arch != "":
		c.Finding = arch + ", as the environment says"
	case regular.Exists("/dev/kfd"):
		c.Finding = "the GPU of this machine"
	default:
		c.State, c.Finding, c.Mend = report.Note, "no GPU here, and none is named", "name processors: isadiff capture --arch gfx942 -- COMMAND"
	}
	return c
}

// switches looks at the variables that make dumps come out otherwise than they
// should.
func (d Doctor) switches() report.Check {
	c := report.Check{Name: "dumping", Finding: "isadiff capture switches it on"}
	switch {
	case d.env("FLYDSL_COMPILE_LLVM_DIR") != "":
		c.State, c.Finding, c.Mend = report.Failed, "FLYDSL_COMPILE_LLVM_DIR is set: FlyDSL then writes no assembly", "unset it"
	case d.env("FLYDSL_RUNTIME_RUN_ONLY") != "":
		c.State, c.Finding, c.Mend = report.Note, "FLYDSL_RUNTIME_RUN_ONLY is set: nothing is compiled outside of isadiff capture", "unset it"
	case d.env("FLYDSL_DEBUG_DUMP_ASM") != "" && d.env("FLYDSL_DUMP_IR") == "":
		c.State, c.Finding, c.Mend = report.Note, "FLYDSL_DEBUG_DUMP_ASM leaves out 00_origin.mlir: a compile that fails cannot be told", "set FLYDSL_DUMP_IR=1 instead"
	case d.env("FLYDSL_DUMP_IR") == "1":
		c.Finding = "on (FLYDSL_DUMP_IR=1)"
	}
	return c
}

func (d Doctor) cache() report.Check {
	c := report.Check{Name: "compile cache", Finding: "isadiff capture switches it off"}
	if d.env("FLYDSL_DUMP_IR") != "" && d.env("FLYDSL_RUNTIME_ENABLE_CACHE") != "0" {
		c.State, c.Finding, c.Mend = report.Note, "on: FlyDSL before 0.4 dumps nothing for a kernel that comes from it", "set FLYDSL_RUNTIME_ENABLE_CACHE=0 where you dump without isadiff capture"
	}
	return c
}

func (d Doctor) dumps() report.Check {
	c := report.Check{Name: "dumps", Finding: d.Config.Dumps + " (" + d.Config.Origin("dumps").String() + ")"}
	folders, err := findFolders(d.Config.Dumps, d.Config.Producers)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.State, c.Finding, c.Mend = report.Note, c.Finding+" does not exist yet", "compile, or set "+d.Config.Setting("dumps")+" to the folder that is dumped into"
	case err != nil:
		c.State, c.Finding, c.Mend = report.Failed, c.Finding+" cannot be read: "+err.Error(), "grant read access to it"
	default:
		c.Finding += fmt.Sprintf(": %d compiles", len(folders))
	}
	return c
}

// watching compares what the kernel lets one user watch with what there is.
func (d Doctor) watching() report.Check {
	c := report.Check{Name: "file events", Finding: "this system's own"}
	limit, err := readInt("/proc/sys/fs/inotify/max_user_watches")
	if err != nil {
		return c
	}
	folders := 0
	for _, root := range append([]string{d.Config.Dumps}, d.Config.Sources...) {
		_ = filepath.WalkDir(root, func(_ string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() {
				if name := e.Name(); name == "node_modules" || len(name) > 1 && name[0] == '.' {
					return filepath.SkipDir
				}
				folders++
			}
			return nil
		})
	}
	c.Finding = fmt.Sprintf("%d of %d watches would be in use", folders, limit)
	if instances, err := readInt("/proc/sys/fs/inotify/max_user_instances"); err == nil && instances < 64 {
		c.State, c.Finding, c.Mend = report.Note, fmt.Sprintf("only %d inotify instances are allowed", instances), "sysctl fs.inotify.max_user_instances=128, or isadiff polls"
	}
	if folders > limit/2 {
		c.State, c.Mend = report.Note, fmt.Sprintf("sysctl fs.inotify.max_user_watches=%d, or isadiff polls", max(524288, 4*folders))
	}
	return c
}

func readInt(path string) (int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

func (d Doctor) baseline(ctx context.Context) report.Check {
	c := report.Check{Name: "baseline", Finding: d.Config.Baseline}
	side, err := input.Read(ctx, d.Config.Baseline, input.Options{Kernels: d.Config.Kernels, Producers: d.Config.Producers, NeedKernels: true})
	switch {
	case err != nil:
		c.State, c.Finding = report.Failed, err.Error()
	case side.Trustworthy():
		c.Finding += fmt.Sprintf(": %d kernels", len(side.Records))
	case side.Doubts()[0].Code == problem.InputNotFound:
		c.State, c.Finding, c.Mend = report.Note, c.Finding+" does not exist yet", "isadiff snapshot takes one"
	default:
		p := side.Doubts()[0]
		c.State, c.Finding, c.Mend = report.Failed, p.Message, p.Mend()
	}
	return c
}

func (d Doctor) command() report.Check {
	c := report.Check{Name: "compile command", Finding: d.Config.CompileText()}
	if c.Finding == "" {
		c.State, c.Finding, c.Mend = report.Note, "none", "set "+d.Config.Setting("compile")+", so that editors and capture can run it"
	}
	return c
}

func (d Doctor) git(ctx context.Context) report.Check {
	c := report.Check{Name: "git"}
	r, err := openRepository(ctx, d.Config.Root)
	if err != nil {
		c.State, c.Finding, c.Mend = report.Note, err.Error(), "isadiff compare needs a git work tree"
		var p problem.Problem
		if errors.As(err, &p) {
			c.Finding = p.Message
		}
		return c
	}
	c.Finding = r.top
	return c
}
