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

isadiff works without configuration. Settings come from these places; a later place overrides an earlier one, key by key:

1. the defaults below;
2. the table ` + "`" + `[tool.isadiff]` + "`" + ` in the nearest ` + "`" + `pyproject.toml` + "`" + `, or the nearest ` + "`" + `isadiff.toml` + "`" + `, which has the same keys at the top level;
3. the environment: the variable that names the compiler's dump folder, such as ` + "`" + `FLYDSL_DUMP_DIR` + "`" + `;
4. the editor's settings under ` + "`" + `isadiff` + "`" + `;
5. command-line flags.

The folder of the configuration file is the project's root; without a file it is the git work tree, else the nearest folder with a ` + "`" + `pyproject.toml` + "`" + `.

` + "```" + `toml
[tool.isadiff]
dumps = "build/dumps"
kernels = "{softmax,gemm}_*"

[tool.isadiff.path-map]
"/workspace" = "."            # debug locations of a container

[tool.isadiff.severity]
lds = "hint"

[tool.isadiff.pairs]          # before = after; * stands for the same text on both sides
"axpy_*_u2" = "axpy_*_u8"

[tool.isadiff.tolerance]      # docs/use/ci.md
"*" = "waves"
"softmax_*" = { vgpr = 4, sgpr = 8 }

[tool.isadiff.budgets]        # docs/use/ci.md
"*" = "spill == 0"
"softmax_*" = ["vgpr <= 128", "occupancy >= 2"]
` + "```" + `

## Keys

`

const coda = `
Paths: ` + "`" + `~` + "`" + ` is the home folder. A relative path starts at the configuration file's folder; in an editor's settings at the project's root (` + "`" + `${workspaceFolder}` + "`" + `); in the
environment and in flags at the working directory.

## What is in ` + "`.isadiff`" + `

| file | what it is | committed |
|---|---|---|
| ` + "`baseline.json`" + ` | the figures of the baseline | if others are to compare with it too |
| ` + "`accepted.toml`" + ` | the regressions that were accepted | yes |
| ` + "`baseline.isa.zst`" + ` | the assembly that the figures of ` + "`baseline.json`" + ` were read from, about a tenth of its size | no: it is large, and can be made again from the same code |
| ` + "`baseline.previous.json`" + `, ` + "`baseline.previous.isa.zst`" + ` | the baseline before, for an undo | no |
| ` + "`report.md`" + `, ` + "`compare.md`" + `, ` + "`why.md`" + `, ` + "`capture.log`" + ` | what an editor's command wrote last | no |
| ` + "`dumps/`" + ` | where ` + "`capture`" + ` and the editors compile into | no |
| ` + "`pytest/`" + ` | the dumps and the report of the last ` + "`pytest --isadiff`" + ` | no |

Whatever isadiff writes there first, it writes a ` + "`.gitignore`" + ` beside it that says the last column. It is yours to change: one that is there, an empty one
too, is never written again. A baseline in another place has its assembly beside it under the same name, ` + "`NAME.isa.zst`" + `, and no ` + "`.gitignore`" + `.

The figures say what grew, and the assembly which instructions did it. ` + "`snapshot`" + `, the editors' and ` + "`watch`" + `'s commands keep it, an accepted kernel brings its
own, and an undo and ` + "`merge`" + ` take it along; ` + "`--no-isa`" + ` of ` + "`snapshot`" + ` and ` + "`merge`" + ` leaves it out. The JSON is the same with and without. It is used for the very
figures that it was kept with: beside a ` + "`baseline.json`" + ` that came from elsewhere or was changed it is [` + "`assembly-missing`" + `](problem-codes.md#assembly-missing),
and ` + "`isadiff snapshot`" + ` takes it again. A file that changed after its figures were read is not kept, and ` + "`snapshot`" + ` says so. Any zstd shows the text:
` + "`zstd -dc .isadiff/baseline.isa.zst`" + `.

## Names that change

If a kernel's name contains its tuning, a new tuning gives it a new name: ` + "`" + `axpy_f32_u2` + "`" + ` becomes ` + "`" + `axpy_f32_u8` + "`" + `, and isadiff cannot know that the two are one kernel. Say so
with ` + "`" + `pairs` + "`" + `, or with ` + "`" + `--pair OLD=NEW` + "`" + ` of ` + "`" + `diff` + "`" + `, ` + "`" + `compare` + "`" + ` and ` + "`" + `watch` + "`" + `:

` + "```" + `toml
[tool.isadiff.pairs]
"axpy_*_u2" = "axpy_*_u8"                      # names
"axpy/**::copy_v1" = "axpy/**::copy_v2"        # keys: folder::name
` + "```" + `

- ` + "`" + `*` + "`" + ` is any text, in a key within one folder; ` + "`" + `**` + "`" + ` is any text. Both halves have the same number of ` + "`" + `*` + "`" + `: the first one stands for the same text in both, and so on. A
  backslash escapes the next character.
- A kernel that is on both sides under its own key is not affected.
- A pair that fits several kernels is [` + "`" + `pair-ambiguous` + "`" + `](problem-codes.md#pair-ambiguous). A pair that fits none gets a warning; remove it after you have taken a new baseline.

If two kernels are each on one side only and come from one definition, the report shows what the pair would be and the flag that makes it one. In an editor the
definition shows it, and *pair them* writes the line after you have seen it (in an untrusted workspace it only shows the line). Until then the answer is NOT TRUSTWORTHY.

## Broken configuration

If the file cannot be read, or a key that decides what is compared or allowed has no usable value, the answer is NOT TRUSTWORTHY (exit code 2): ` + "`" + `configuration-invalid` + "`" + `, or
` + "`" + `budget-invalid` + "`" + ` for budgets, with file, line and cause. Any other key that is unknown or of the wrong type is reported and ignored, and changes no verdict.

| broken | decides |
|---|---|
| ` + "`" + `dumps` + "`" + `, ` + "`" + `baseline` + "`" + `, ` + "`" + `kernels` + "`" + `, ` + "`" + `sources` + "`" + `, ` + "`" + `producer` + "`" + `, ` + "`" + `producers` + "`" + ` | what is compared |
| ` + "`" + `pairs` + "`" + ` | which kernels are one |
| ` + "`" + `budgets` + "`" + `, ` + "`" + `tolerance` + "`" + `, ` + "`" + `accepted` + "`" + ` | what is allowed |
| the whole file: not TOML, unreadable, larger than 1 MiB, a key of more than 64 parts or 4,096 bytes, more than 10,000 keys, or one of these keys in a table of another name such as ` + "`" + `[tool.isadif]` + "`" + ` | all of them |

A value is unusable if it is of another type or empty, is no valid path or glob, names an unknown producer, or if its key is set twice. A later place of the list above that sets the key
overrides a broken one. A broken later place does not fall back to an earlier one; this includes the environment and an editor's settings.

- **In a live session** (` + "`" + `watch` + "`" + `, an editor) the last good configuration stays in force, and its figures stay, marked. If the configuration is broken at the start, nothing is
  compared; if only ` + "`" + `pairs` + "`" + `, ` + "`" + `budgets` + "`" + `, ` + "`" + `tolerance` + "`" + ` or ` + "`" + `accepted` + "`" + ` is broken, the figures are shown and marked. No baseline can be taken or changed meanwhile.
- **A single command** exits with 2 if it needs the broken key, and otherwise continues with a warning. ` + "`" + `diff BEFORE AFTER` + "`" + ` needs ` + "`" + `kernels` + "`" + ` (unless ` + "`" + `--kernels` + "`" + ` is given),
  ` + "`" + `producers` + "`" + `, ` + "`" + `pairs` + "`" + `, ` + "`" + `budgets` + "`" + `, ` + "`" + `tolerance` + "`" + ` and ` + "`" + `accepted` + "`" + `; ` + "`" + `snapshot` + "`" + ` needs ` + "`" + `dumps` + "`" + ` unless DIR is given, and ` + "`" + `baseline` + "`" + ` unless ` + "`" + `-o` + "`" + ` is given.

## What a project's files cannot do

isadiff does not trust a repository. Its files, and an editor's settings, which can come from them, may name what is read, with these limits:

- A ` + "`" + `compile` + "`" + ` command from them runs only in a trusted workspace, or when you start it yourself.
- In an untrusted workspace, an editor reads nothing outside the project's root that a file names: ` + "`" + `dumps` + "`" + `, ` + "`" + `baseline` + "`" + ` and ` + "`" + `accepted` + "`" + ` that lead outside, also through a symbolic
  link, are ` + "`" + `configuration-invalid` + "`" + `; such folders of ` + "`" + `sources` + "`" + ` and prefixes of ` + "`" + `path-map` + "`" + ` are ignored. The default dump folders of compilers (` + "`" + `~/.flydsl/debug` + "`" + `,
  ` + "`" + `~/.triton/cache` + "`" + `), and those that their variables name, count as inside. What you set yourself, in an editor's settings, a variable or a flag, may lead anywhere.
- Nothing that they name is written outside the project's root: a ` + "`" + `baseline` + "`" + ` that leads outside, also through a symbolic link, is read and never written.
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
		path := filepath.Join("..", "..", "docs", "reference", name)
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

// TestExampleOfTheDocumentation reads the example in docs/reference/configuration.md.
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
