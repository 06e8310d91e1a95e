package project

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"isadiff/engine/resource"
)

var update = flag.Bool("update", false, "write the generated files anew")

const preface = `# Configuration

isadiff works without any. What there is to set is taken from these places; a later one outranks an earlier one, key by key:

1. the defaults below;
2. the table ` + "`[tool.isadiff]`" + ` in the nearest ` + "`pyproject.toml`" + `, or the nearest ` + "`isadiff.toml`" + `, whose keys stand at the top level;
3. the environment: the variable that names the compiler's dump folder, such as ` + "`FLYDSL_DUMP_DIR`" + `;
4. the editor's settings, below ` + "`isadiff`" + `;
5. flags of the command line.

The folder of that file is the project's root; without one it is the git work tree, else the nearest folder with a ` + "`pyproject.toml`" + `. A key that is
unknown is named with its file and line, and the rest still works.

` + "```toml" + `
[tool.isadiff]
dumps = "build/dumps"
kernels = "{softmax,gemm}_*"

[tool.isadiff.path-map]
"/workspace" = "."            # debug locations of a container

[tool.isadiff.severity]
lds = "hint"

[tool.isadiff.pairs]          # before = after; * stands for the same text on both sides
"axpy_*_u2" = "axpy_*_u8"

[tool.isadiff.tolerance]      # docs/ci.md
"*" = "waves"
"softmax_*" = { vgpr = 4, sgpr = 8 }

[tool.isadiff.budgets]        # docs/ci.md
"*" = "spill == 0"
"softmax_*" = ["vgpr <= 128", "occupancy >= 2"]
` + "```" + `

## Keys

`

const coda = `
Paths: ` + "`~`" + ` is the home folder. A relative path starts at the file's folder, in an editor's settings at the project's root (` + "`${workspaceFolder}`" + `), in
the environment and in flags at the working directory.

## What stands in ` + "`.isadiff`" + `

| file | what it is | committed |
|---|---|---|
| ` + "`baseline.json`" + ` | the figures of the baseline | if others are to compare with it too |
| ` + "`accepted.toml`" + ` | the regressions that were accepted | yes |
| ` + "`baseline.isa.zst`" + ` | the assembly that the figures of ` + "`baseline.json`" + ` were read from, about a tenth of its size | no: it is large, and can be made again from the same code |
| ` + "`baseline.previous.json`" + `, ` + "`baseline.previous.isa.zst`" + ` | the baseline before, for an undo | no |
| ` + "`report.md`" + `, ` + "`compare.md`" + `, ` + "`capture.log`" + ` | what an editor's command wrote last | no |
| ` + "`dumps/`" + ` | where ` + "`capture`" + ` and the editors compile into | no |

Whatever isadiff writes there first, it writes a ` + "`.gitignore`" + ` beside it that says the last column. It is yours to change: one that is there, an empty one
too, is never written again. A baseline in another place has its assembly beside it under the same name, ` + "`NAME.isa.zst`" + `, and no ` + "`.gitignore`" + `.

The figures say what grew, and the assembly which instructions did it. ` + "`snapshot`" + `, the editors' and ` + "`watch`" + `'s commands keep it, an accepted kernel brings its
own, and an undo and ` + "`merge`" + ` take it along; ` + "`--no-isa`" + ` of ` + "`snapshot`" + ` and ` + "`merge`" + ` leaves it out. The JSON is the same with and without. It is used for the very
figures that it was kept with: beside a ` + "`baseline.json`" + ` that came from elsewhere or was changed it is [` + "`assembly-missing`" + `](problem-codes.md#assembly-missing),
and ` + "`isadiff snapshot`" + ` takes it again. A file that changed after its figures were read is not kept, and ` + "`snapshot`" + ` says so. Any zstd shows the text:
` + "`zstd -dc .isadiff/baseline.isa.zst`" + `.

## Names that change

A name that holds its tuning changes with it: ` + "`axpy_f32_u2`" + ` becomes ` + "`axpy_f32_u8`" + `, and nothing tells that the two are one kernel. ` + "`pairs`" + `, or
` + "`--pair OLD=NEW`" + ` of ` + "`diff`" + `, ` + "`compare`" + ` and ` + "`watch`" + `, says so:

` + "```toml" + `
[tool.isadiff.pairs]
"axpy_*_u2" = "axpy_*_u8"                      # names
"axpy/**::copy_v1" = "axpy/**::copy_v2"        # keys: folder::name
` + "```" + `

` + "`*`" + ` is any text, in a key within one folder; ` + "`**`" + ` is any text. The first ` + "`*`" + ` of one half stands for the text of the first of the other half, and so on, so both halves have as
many. A backslash makes the next character a plain one. A kernel that is on both sides under its own key is left alone. What a pair makes several
kernels of is [` + "`pair-ambiguous`" + `](problem-codes.md#pair-ambiguous); one that pairs nothing is warned of: when the baseline is taken anew it has done its work.

Where two kernels are alone on their sides and come from one definition, the report shows what the pair would be, and the flag that makes it one; in an editor the definition
shows it, and *pair them* writes the line once you have seen it (in a workspace that is not trusted it only says it). Until then the answer is NOT TRUSTWORTHY.

## What cannot be used

While the file cannot be read, or a key that decides what is compared or allowed has no usable value, nothing that depends on it is OK: exit code 2 and
` + "`configuration-invalid`" + ` (` + "`budget-invalid`" + ` for budgets), with file, line and cause. It is over as soon as it is mended.

| what is broken | what it decides |
|---|---|
| ` + "`dumps`" + `, ` + "`baseline`" + `, ` + "`kernels`" + `, ` + "`sources`" + `, ` + "`producer`" + `, ` + "`producers`" + ` | what is compared |
| ` + "`pairs`" + ` | which kernels are one |
| ` + "`budgets`" + `, ` + "`tolerance`" + `, ` + "`accepted`" + ` | what is allowed |
| the file as a whole: no TOML, not readable, larger than 1 MiB, a key of more than 64 parts or 4,096 bytes, more than 10,000 keys, one of these keys in a table of another name such as ` + "`[tool.isadif]`" + ` | all of them |

No usable value is one of another type, an empty one, a path or glob that is none, a producer that is unknown, a key that is set twice. A later place of
the list above that sets the key outranks it, and one that is broken itself is not passed over: a variable of the environment and an editor's setting decide alike.

- **Live** (` + "`watch`" + `, an editor): the last good configuration stays in force, and what it shows stays, marked. At the start nothing is compared; where only
  ` + "`pairs`" + `, ` + "`budgets`" + `, ` + "`tolerance`" + ` or ` + "`accepted`" + ` are broken the figures are shown, marked. No baseline is taken or changed meanwhile.
- **A single command**: what it needs of the broken key makes exit 2; what it does not need goes on with a warning. ` + "`diff BEFORE AFTER`" + ` needs ` + "`kernels`" + `
  (unless ` + "`--kernels`" + ` is given), ` + "`producers`" + `, ` + "`pairs`" + `, ` + "`budgets`" + `, ` + "`tolerance`" + ` and ` + "`accepted`" + `; ` + "`snapshot`" + ` needs ` + "`dumps`" + ` unless DIR is given, and ` + "`baseline`" + ` unless ` + "`-o`" + ` is.
- Any other key that is unknown or of the wrong type is named, ignored, and changes no verdict.

## What a project's files cannot do

A repository is not trusted. Its files, and an editor's settings, which can come from them, may name what is read; but

- a ` + "`compile`" + ` command from them runs only in a trusted workspace, or when you order it yourself;
- in a workspace that is not trusted, an editor reads nothing outside the project's root on the word of a file: ` + "`dumps`" + `, ` + "`baseline`" + ` and
  ` + "`accepted`" + ` that lead outside, also by way of a symbolic link, are ` + "`configuration-invalid`" + `; a folder of ` + "`sources`" + ` and a prefix of ` + "`path-map`" + ` are left out. The folders that
  compilers dump into by default (` + "`~/.flydsl/debug`" + `, ` + "`~/.triton/cache`" + `), or that their variables name, are as good as the root. What you set yourself, in an
  editor's settings, a variable or a flag, may lead anywhere;
- nothing is written outside the project's root on their word: a ` + "`baseline`" + ` that leads outside, also by way of a symbolic link, is read and
  never written.
`

// TestGeneratedFiles holds what is generated from the table against it.
func TestGeneratedFiles(t *testing.T) {
	schema, err := json.MarshalIndent(Schema(false), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"configuration.md":    preface + Reference() + coda,
		"isadiff.schema.json": string(schema) + "\n",
	} {
		path := filepath.Join("..", "..", "docs", name)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, strings.ReplaceAll(string(got), "\r\n", "\n")); d != "" {
			t.Errorf("%s is not what the table says; run go test ./engine/project -update (-want +got):\n%s", name, d)
		}
	}
}

// TestExampleOfTheDocumentation reads the example in docs/configuration.md.
func TestExampleOfTheDocumentation(t *testing.T) {
	_, rest, _ := strings.Cut(preface, "```toml\n")
	example, _, ok := strings.Cut(rest, "```")
	c := load(t, Options{Dir: tree(t, map[string]string{"pyproject.toml": example})})
	if !ok || len(c.Faults) > 0 || len(c.PathMap) != 1 || c.Severity("lds") != Hint || !c.Kernels.Match(&resource.Record{Key: "x::gemm_nt", Name: "gemm_nt"}) {
		t.Errorf("the example does not work: %v", c.Faults)
	}
}

// TestSchemaKnowsEveryKey reads a document with each key at its schema's type.
func TestSchemaKnowsEveryKey(t *testing.T) {
	var count func(schema map[string]any) int
	count = func(schema map[string]any) (n int) {
		properties, ok := schema["properties"].(map[string]any)
		if !ok {
			return 1
		}
		for _, p := range properties {
			n += count(p.(map[string]any))
		}
		return n
	}
	if got := count(Schema(true)); got != len(Keys) {
		t.Errorf("%d keys in the schema, %d in the table", got, len(Keys))
	}
	if count(Schema(false)) >= count(Schema(true)) {
		t.Error("an editor's keys are in the schema of the file")
	}
}
