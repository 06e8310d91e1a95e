package problem

import (
	"cmp"
	"slices"
)

// The codes, in the groups of docs/reference/contract.md.
const (
	InputNotFound   Code = "input-not-found"
	InputKind       Code = "input-kind"
	InputUnreadable Code = "input-unreadable"
	InputUnstable   Code = "input-unstable"

	NoDumpFiles Code = "no-dump-files"
	NoKernels   Code = "no-kernels"

	MetadataMissing    Code = "metadata-missing"
	MetadataCut        Code = "metadata-cut"
	MetadataMalformed  Code = "metadata-malformed"
	DescriptorMismatch Code = "descriptor-mismatch"
	ObjectMalformed    Code = "object-malformed"
	StageStale         Code = "stage-stale"
	DumpStale          Code = "dump-stale"

	NotUTF8 Code = "not-utf8"

	KernelUnnamed      Code = "kernel-unnamed"
	KernelNameConflict Code = "kernel-name-conflict"

	KernelDuplicate Code = "kernel-duplicate"
	KeyDuplicate    Code = "key-duplicate"

	CountInvalid Code = "count-invalid"
	CountMissing Code = "count-missing"

	SymbolConflict   Code = "symbol-conflict"
	SymbolUnresolved Code = "symbol-unresolved"
	CountsContradict Code = "counts-contradict"

	BodyUnbounded   Code = "body-unbounded"
	BodyUncountable Code = "body-uncountable"

	TargetUnknown        Code = "target-unknown"
	TargetDiffers        Code = "target-differs"
	TargetFeaturesDiffer Code = "target-features-differ"
	TargetConflict       Code = "target-conflict"

	OnlyInBefore Code = "only-in-before"
	OnlyInAfter  Code = "only-in-after"

	PairAmbiguous Code = "pair-ambiguous"

	ApplicabilityDiffers Code = "applicability-differs"

	SnapshotInvalid       Code = "snapshot-invalid"
	SnapshotSchema        Code = "snapshot-schema"
	SnapshotUntrustworthy Code = "snapshot-untrustworthy"
	AssemblyMissing       Code = "assembly-missing"

	InternalError    Code = "internal-error"
	Usage            Code = "usage"
	OutputUnwritable Code = "output-unwritable"

	ConfigurationInvalid Code = "configuration-invalid"

	BudgetInvalid Code = "budget-invalid"
	BudgetUnknown Code = "budget-unknown"

	Overwritten  Code = "overwritten"
	SourceEdited Code = "source-edited"

	RunUnderWay        Code = "run-under-way"
	CaptureIncomplete  Code = "capture-incomplete"
	CaptureNotFresh    Code = "capture-not-fresh"
	CaptureFailed      Code = "capture-failed"
	CaptureInterrupted Code = "capture-interrupted"
	CaptureEmpty       Code = "capture-empty"
	CaptureCached      Code = "capture-cached"
	CaptureNoISA       Code = "capture-no-isa"
	CaptureOverwritten Code = "capture-overwritten"
	CaptureElsewhere   Code = "capture-elsewhere"
	CompareRevision    Code = "compare-revision"
	CompareOwnCode     Code = "compare-own-code"
	MergeConflict      Code = "merge-conflict"
)

// A Cure is the kind of command by which an editor mends a problem.
type Cure uint8

// The cures.
const (
	ExplainOnly    Cure = iota // nothing that a program could do: the explanation tells what a person can
	CompileAgain               // compile into a fresh dump directory
	TakeBaseline               // write the baseline again from the dumps
	RemoveLeftover             // remove the stage file that hides a newer one
	OpenAtLine                 // look at the assembly
	ReadAgain                  // read the tree again
	NewestCounts               // say that the newest of several dumps is the one to compare
)

// An Info says what a code means to a user: whatever is said of it anywhere is derived
// from its row.
type Info struct {
	Code     Code
	Group    int    // the section-4 group of the contract
	Title    string // a few words, for lists and lenses
	Mend     string // what to do, an imperative without a full stop
	Cure     Cure   // the same as an editor's command
	Severity string // the key below "severity." in the configuration; "" for "untrustworthy"
	Follows  int    // the last group that can be behind it; 0 if it stands for itself
	Explain  string // paragraphs for `isadiff explain`: what was seen, why it matters, how to mend it
}

const recompile = "compile again into a fresh dump directory"

// Table holds every code, in the order of the contract.
var Table = []Info{
	{Code: InputNotFound, Group: 1, Title: "input not found", Mend: "check the path, or compile first", Cure: CompileAgain,
		Explain: "The path does not exist, so there is nothing to compare. A dump directory appears when a kernel is compiled with dumping on (FLYDSL_DUMP_IR=1 for FlyDSL); a snapshot is written by `isadiff snapshot` or `isadiff summarize DIR --json PATH`."},
	{Code: InputKind, Group: 1, Title: "neither dump directory nor snapshot", Mend: "give a dump directory or a .json snapshot",
		Explain: "A side of the comparison is a directory that holds NN_final_isa.s files or code objects at any depth, a file with code objects, or a .json snapshot. To compare the figures of a single .s file, give the directory that it is in. A snapshot holds figures and no assembly, so `isadiff why` and `isadiff where` need the dump directory or the assembly file."},
	{Code: InputUnreadable, Group: 1, Title: "input unreadable", Mend: "grant read access to it", Cure: ReadAgain,
		Explain: "A file or directory exists but could not be read: most often because you lack permission, or because a container wrote it as another user. isadiff does not read assembly and snapshots of more than 256 MiB either. The content is unknown, so isadiff can say nothing about the tree as a whole. `chmod -R u+rX DIR` gives access to your own files."},
	{Code: InputUnstable, Group: 1, Title: "input changed while it was read", Mend: "read again when the compile has ended", Cure: ReadAgain,
		Explain: "The file vanished or changed while it was read, and again on a second try: a compile is still writing it. The figures would mix two compiles. Wait for the compile to end, as `isadiff watch` and the language server do."},

	{Code: NoDumpFiles, Group: 2, Title: "no final assembly", Mend: "set FLYDSL_DUMP_IR=1 and FLYDSL_RUNTIME_ENABLE_CACHE=0, then compile again", Cure: CompileAgain,
		Explain: "The directory holds no code objects and no final assembly: no file that ends in final_isa.s (FlyDSL) or .amdgcn (Triton), no *-hip-amdgcn-amd-amdhsa-*.s (HIP), and none of a compiler that the configuration names. Nothing was compiled into it, or the kernels came from a cache and were not dumped, or HIP was linked with LTO, which keeps no assembly (use -fno-offload-lto). An empty tree does not show that nothing got worse."},
	{Code: NoKernels, Group: 2, Title: "no kernels", Mend: "set FLYDSL_DUMP_IR=1 and FLYDSL_RUNTIME_ENABLE_CACHE=0, then compile again", Cure: CompileAgain,
		Explain: "The tree holds assembly, but no kernel. A single module may have no kernels; a whole tree without kernels has nothing to compare."},

	{Code: MetadataMissing, Group: 3, Title: "no kernel metadata", Mend: "the file is cut short or no AMDHSA dump: " + recompile, Cure: CompileAgain,
		Explain: "A kernel's counts are between .amdgpu_metadata and .end_amdgpu_metadata near the end of the file, in a code object in a note. This file has no such part: it was cut while it was written, or it was made for another operating system (Mesa, PAL) or by another tool. If isadiff recognizes the file, the message says what it is: code object v2 states counts in another form (compile with -mcode-object-version=5), LLVM IR is not assembly (use -fno-offload-lto), and isadiff does not expand metadata in an assembler macro (llvm-mc writes the file without macros)."},
	{Code: MetadataCut, Group: 3, Title: "dump cut short", Mend: recompile, Cure: CompileAgain,
		Explain: "The metadata begins but has no .end_amdgpu_metadata, so the file was cut while it was written (a killed compile, a full disk). Kernels may be missing from it, and a number at the cut may have lost digits."},
	{Code: MetadataMalformed, Group: 3, Title: "kernel metadata malformed", Mend: recompile, Cure: CompileAgain,
		Explain: "The metadata has no well-formed amdhsa.kernels list, or a line that isadiff cannot read, or it is inside an assembler conditional, which may leave it out. isadiff reads it strictly, because a misread count is worse than none."},
	{Code: DescriptorMismatch, Group: 3, Title: "kernel descriptors and metadata disagree", Mend: recompile, Cure: CompileAgain, Follows: 5,
		Explain: "Every kernel has a descriptor (.amdhsa_kernel; in a code object the symbol NAME.kd) and a metadata entry. Here they name different kernels, so part of the file is lost, or the file was put together from two compiles."},
	{Code: ObjectMalformed, Group: 3, Title: "a damaged code object", Mend: "build the file again, or copy it again",
		Explain: "A code object, or the bundle, host binary or wheel that it comes in, does not hold together: a header, an offset or a size leads outside of the file, something cannot be unpacked, or does not have the checksum that it names. Or a file whose name is that of a code object (.hsaco, .co, .hipfb) is empty, or holds none. The file was cut or changed, or is of a version that isadiff does not know. Kernels may be missing from it."},
	{Code: StageStale, Group: 3, Title: "an older stage file hides a newer one", Mend: "remove the leftover stage file, or " + recompile, Cure: RemoveLeftover,
		Explain: "The directory holds several NN_final_isa.s files. The highest stage number counts, but a lower one was written more than two seconds later: most often a debug run (stage 23) left its file, and a plain run (stage 22) followed. The figures would be those of an old compile. If the tree was copied without its times, use --ignore-times."},
	{Code: DumpStale, Group: 3, Title: "the last compile left no assembly", Mend: "fix the compile error and compile again", Cure: CompileAgain,
		Explain: "00_origin.mlir, the first file of a compile, is newer than the final assembly beside it: the last compile began but did not finish, and the assembly is from the compile before. If the tree was copied without its times, use --ignore-times."},

	{Code: NotUTF8, Group: 4, Title: "not UTF-8", Mend: "dump again", Cure: CompileAgain,
		Explain: "The file holds bytes that are not UTF-8. Compilers write UTF-8, so the file is damaged, and a damaged byte may have erased an instruction or a digit."},

	{Code: KernelUnnamed, Group: 5, Title: "a kernel without a name", Mend: "dump again", Cure: CompileAgain,
		Explain: "A metadata entry has neither .name nor .symbol, so its counts belong to no kernel."},
	{Code: KernelNameConflict, Group: 5, Title: "a kernel with two names", Mend: "dump again", Cure: CompileAgain,
		Explain: "A metadata entry's .name and .symbol (which is the name followed by .kd) disagree, so it is unclear whose counts they are."},

	{Code: KernelDuplicate, Group: 6, Title: "a kernel declared twice", Mend: "use one directory per compile", Cure: CompileAgain,
		Explain: "One file declares the same kernel twice. isadiff shows the first one, but it is unknown which of them runs. A host binary holds the kernels of all sources that were linked, so one name may stand for several kernels: templates in unnamed namespaces, for example. Such a kernel counts as declared twice only if its figures differ."},
	{Code: KeyDuplicate, Group: 6, Title: "a key produced twice", Mend: "use one directory per compile", Cure: CompileAgain,
		Explain: "Two kernels of one side have the same key (directory and name), so they cannot be told apart."},

	{Code: CountInvalid, Group: 7, Title: "an invalid count", Mend: "dump again", Cure: CompileAgain,
		Explain: "A count is negative or not a plain decimal integer. Its cell shows ? instead of a guess."},
	{Code: CountMissing, Group: 7, Title: "a count is missing", Mend: "dump again", Cure: CompileAgain,
		Explain: "A field or symbol that holds a count is missing, although this file's compiler writes it. Its cell shows ?."},

	{Code: SymbolConflict, Group: 8, Title: "a symbol with two values", Mend: "dump again; do not edit dumps", Cure: CompileAgain,
		Explain: "One file sets a symbol (.set) to two different values, so it is unclear which one the compiler meant."},
	{Code: SymbolUnresolved, Group: 8, Title: "a symbol that cannot be resolved", Mend: "dump again; do not edit dumps", Cure: CompileAgain,
		Explain: "A count is an expression over other symbols, and one of them is undefined, refers to itself, or has a form that isadiff cannot read."},
	{Code: CountsContradict, Group: 8, Title: "counts that contradict each other", Mend: "dump again; do not edit dumps", Cure: CompileAgain, Follows: 8,
		Explain: "The file states one quantity in several places (metadata, symbols, kernel descriptor), and these differ, or the descriptor allocates fewer registers than are counted, or the body names a register beyond the counts. LLVM always writes them consistently, so the dump is damaged or was edited, or inline assembly uses a register that it declares neither as an operand nor as a clobber. In that case the counts are too small, and the kernel may overwrite registers that it does not own. Of a tree that holds assembly and code objects, both state the figures of a kernel, and they differ: one of them is of another compile."},

	{Code: BodyUnbounded, Group: 9, Title: "a kernel's instructions cannot be bounded", Mend: "look at the kernel's assembly", Cure: OpenAtLine,
		Explain: "The kernel's label, its .size or the label that ends it is missing, so it is unknown which instructions belong to it. The counts from the metadata are valid; the counts of instruction sites show ?."},
	{Code: BodyUncountable, Group: 9, Title: "a kernel's instructions cannot be counted", Mend: "look at the kernel's assembly", Cure: OpenAtLine,
		Explain: "The kernel's body uses assembler macros, conditionals or repetitions, which isadiff does not expand, or it holds data or a filled alignment, or it comes after a directive that may leave out parts of the text. The counts of instruction sites show ?."},

	{Code: TargetUnknown, Group: 10, Title: "an unknown target", Mend: "build both sides for one target",
		Explain: "One side does not name a known processor. Register files differ between processors, so figures of an unknown processor cannot be compared, even with each other."},
	{Code: TargetDiffers, Group: 10, Title: "targets differ", Mend: "build both sides for one target",
		Explain: "The two sides were built for different processors. Register files, LDS and instruction selection differ between them, so a difference says nothing about the change."},
	{Code: TargetFeaturesDiffer, Group: 10, Title: "target features differ", Mend: "build both sides for one target",
		Explain: "The two sides were built for one processor with different xnack or sramecc settings, which change code generation. On, off and unset are three different settings."},
	{Code: TargetConflict, Group: 10, Title: "a file with two targets", Mend: "dump again", Cure: CompileAgain,
		Explain: "In one file the directive .amdgcn_target and the metadata's amdhsa.target, or the ELF flags of a code object, its metadata and the bundle that it is in, name different targets, so the file was edited or put together from two."},

	{Code: OnlyInBefore, Group: 11, Title: "only in the baseline", Mend: "run the same tests on both sides", Cure: TakeBaseline, Severity: "missing",
		Explain: "Only the before side has the kernel: it was renamed, removed or not compiled (a test that did not run, a cache hit). isadiff does not count a vanished kernel as unchanged."},
	{Code: OnlyInAfter, Group: 11, Title: "only in the new dump", Mend: "run the same tests on both sides, or take a new baseline", Cure: TakeBaseline,
		Explain: "Only the after side has the kernel: it is new or was renamed, or the before run compiled fewer kernels. There is nothing to compare it with."},
	{Code: PairAmbiguous, Group: 11, Title: "a pair that fits several kernels", Mend: "write the keys of the two kernels, folder::name, in the pair",
		Explain: "A pair from the configuration or from --pair matches several kernels of one side with one kernel of the other, or can be read in too many ways. isadiff does not guess which one you mean, so it compares none of them."},

	{Code: ApplicabilityDiffers, Group: 12, Title: "a metric exists on one side only", Mend: "build both sides with one compiler and target", Cure: TakeBaseline, Follows: 13,
		Explain: "A metric has a value on one side and is n/a on the other: the sides come from different compiler versions or targets. n/a is not 0, so there is no difference to show."},

	{Code: SnapshotInvalid, Group: 13, Title: "an invalid snapshot", Mend: "write the snapshot again", Cure: TakeBaseline,
		Explain: "The snapshot is not a JSON object of the expected form, or a cell is not a non-negative integer. It was edited, cut short or written by another tool."},
	{Code: SnapshotSchema, Group: 13, Title: "a snapshot of another schema", Mend: "write the snapshot again", Cure: TakeBaseline,
		Explain: "The snapshot's schema is not 2. It was written by another version of the tool, and its figures may mean something else."},
	{Code: SnapshotUntrustworthy, Group: 13, Title: "a snapshot of untrustworthy data", Mend: "write the snapshot again from a good dump", Cure: TakeBaseline,
		Explain: "The snapshot records that its data, or that of one of its kernels, could not be trusted when it was written."},
	{Code: AssemblyMissing, Group: 13, Title: "the assembly is not at hand", Mend: "take the snapshot again from dumps of the same code", // a new baseline of other code would end the comparison
		Explain: "A snapshot holds figures. The assembly that they were read from is kept in a file of its own beside it, baseline.isa.zst of baseline.json, which is not committed. It is not there (another machine, --no-isa, a snapshot of another tool), is that of other figures (the snapshot was replaced without it), is damaged, or lacks this kernel. Nothing but the assembly of the very same figures is used. `isadiff snapshot` keeps it. A code object holds no assembly at all: compare the directories in which the compiler left it."},

	{Code: InternalError, Group: 14, Title: "internal error", Mend: "report it, with the message", Cure: ReadAgain,
		Explain: "isadiff reached an unexpected state, so it gives no answer rather than a wrong one. It changed nothing. The message says where it happened."},
	{Code: Usage, Group: 14, Title: "usage", Mend: "see --help",
		Explain: "The command line is not valid. Usage errors exit with 2, because exit 1 always means a regression."},
	{Code: OutputUnwritable, Group: 14, Title: "output cannot be written", Mend: "give another path",
		Explain: "A file could not be written: the directory does not exist or is not writable, the disk is full, another process held its lock for 10 seconds, or the path has a file of another kind, which isadiff never replaces. No half-written file remains, and a file that was at the path is unchanged."},

	{Code: ConfigurationInvalid, Group: 15, Title: "a configuration that cannot be used", Mend: "correct the file, variable or setting that the message names",
		Explain: "The configuration cannot be read, or a key that decides what is compared or allowed (dumps, baseline, kernels, pairs, tolerance and others) has no usable value. isadiff does not guess what the key should say, so nothing is OK. A live session keeps the last good configuration. A session that begins with a broken key compares nothing; where only pairs, tolerance, accepted or budgets is broken, it shows the figures and marks them. The problem ends as soon as the file, variable or setting is corrected."},
	{Code: BudgetInvalid, Group: 15, Title: "a budget that cannot be read", Mend: "correct the budgets in the configuration",
		Explain: "A budget of the configuration is not of the form \"vgpr <= 128\", its glob is not valid, or the configuration file cannot be read. The limits are then unknown, so isadiff cannot say that the kernels keep them."},
	{Code: BudgetUnknown, Group: 15, Title: "a budget that cannot be checked", Mend: "limit the budget's glob to kernels that have the quantity, or drop it",
		Explain: "A budget limits a quantity that this kernel does not have, or for which the dump gives only a bound: a metric that is n/a on the target, the waves per SIMD of a kernel with dynamic LDS, figures of a snapshot that another tool wrote. isadiff does not count a budget that it cannot check as kept."},

	{Code: RunUnderWay, Group: 16, Title: "a run is under way", Mend: "wait until it has ended",
		Explain: "A command that isadiff started (`isadiff capture`, or an editor after a save or on demand) is still compiling into the dump directory. Kernels that it has yet to compile have the figures of the last compile, so nothing is OK before it ends; kernels that it has compiled are shown. A run keeps the file .isadiff-running locked while it lives. A killed run holds no lock, so it does not count."},
	{Code: CaptureIncomplete, Group: 16, Title: "a capture that did not end", Mend: "wait until it has ended; if no capture is running, capture again", Cure: CompileAgain,
		Explain: "The dump directory holds a capture that was interrupted or killed, or whose command failed, or that is still running on a file system without locks. The file .isadiff-incomplete in it says which. Kernels may be missing, and the answer would cover only some of them. `isadiff capture` into the same directory replaces it; if you know that nothing is missing, remove the file."},
	{Code: CaptureNotFresh, Group: 16, Title: "not a fresh directory", Mend: "give a new or empty directory with -o",
		Explain: "The directory to capture into holds something that `isadiff capture` did not put there. Old dumps in it would look new, so a capture starts with an empty directory. A directory with an earlier capture, whole or not, is emptied and used again."},
	{Code: CaptureFailed, Group: 16, Title: "the command failed", Mend: "fix what its output reports, then capture again", Cure: CompileAgain,
		Explain: "The command that compiles the kernels ended with an exit status other than 0, or could not be started. Kernels after the failure were not compiled; with plain dumps their old figures would look current. The message has the exit status of the command; its output is above."},
	{Code: CaptureInterrupted, Group: 16, Title: "capture interrupted", Mend: "capture again", Cure: CompileAgain,
		Explain: "The capture was stopped before the command ended. isadiff also ended the command and its child processes. The directory is marked as incomplete."},
	{Code: CaptureEmpty, Group: 16, Title: "nothing was compiled", Mend: "check that the command launches the kernels: tests that were skipped or deselected compile nothing",
		Explain: "The command succeeded but compiled no kernel, so there is no final assembly. The tests may have been skipped, or the command launches no kernel. A run that compiled nothing does not show that nothing got worse."},
	{Code: CaptureCached, Group: 16, Title: "kernels came from a cache", Mend: "remove the compile cache (~/.flydsl/cache, or $FLYDSL_RUNTIME_CACHE_DIR) and capture again",
		Explain: "Kernels were launched but not compiled: they came from a cache, and a cache hit dumps nothing. `isadiff capture` turns FlyDSL's caches off (FLYDSL_RUNTIME_ENABLE_CACHE=0); the program turned one on again, or keeps its own."},
	{Code: CaptureNoISA, Group: 16, Title: "a compile without final assembly", Mend: "fix what the message reports, then capture again", Cure: CompileAgain,
		Explain: "A compile began (it wrote 00_origin.mlir) and left no final assembly: it failed, or the process died. With an old dump in place, its figures would look current. Without a linker ($ROCM_PATH/llvm/bin/ld.lld) or device library no compile succeeds; with FLYDSL_COMPILE_LLVM_DIR FlyDSL writes no assembly. `isadiff doctor` checks both."},
	{Code: CaptureOverwritten, Group: 16, Title: "a specialization overwritten by another", Mend: "compile each specialization in a test of its own (pytest.mark.parametrize), or capture them one by one",
		Explain: "Two different specializations of a kernel were dumped into one directory, and only the last one is left. FlyDSL names a dump after the kernel alone. isadiff gives each pytest test its own directory, and tells launchers apart by their builder's arguments, their constants and their types; these two do not differ in any of them."},
	{Code: CaptureElsewhere, Group: 16, Title: "dumped elsewhere or not at all", Mend: "leave FLYDSL_DUMP_IR and FLYDSL_DUMP_DIR to isadiff",
		Explain: "A kernel was compiled while dumping was switched off, or was dumped outside the directory of the capture: the program changed FLYDSL_DUMP_IR or FLYDSL_DUMP_DIR. The capture does not contain that kernel."},
	{Code: CompareRevision, Group: 16, Title: "no such revision", Mend: "give a commit, branch or tag of this git repository",
		Explain: "isadiff could not check out the sources of the other side into a temporary git worktree: the folder is not in a git repository, the revision does not exist, or git is not installed."},
	{Code: CompareOwnCode, Group: 16, Title: "the base ran the working tree's code", Mend: "for an editable install set PYTHONPATH to the folder of the sources, as in PYTHONPATH=$PWD/src, which compare leads to the base's own; else make the command import from the current folder",
		Explain: "The base revision ran in its own worktree, but kernels that it compiled, or modules that it imported, came from the working tree: most often because of an editable install (pip install -e) or an absolute path in the command. Both sides would be the same code, and the answer always OK."},
	{Code: MergeConflict, Group: 16, Title: "snapshots that contradict each other", Mend: "merge only snapshots of one run, one revision and one compiler",
		Explain: "Two of the snapshots have the same kernel with different figures, so they are not shards of one run. Nothing was written."},

	{Code: Overwritten, Group: 17, Title: "overwritten by another compile of the same sources", Mend: "capture the run, which keeps specializations apart: isadiff capture -o DIR -- COMMAND; if something outside of the sources changed (a variable, a data file, the compiler), let the newest count", Cure: NewestCounts, Severity: "overwritten",
		Explain: "A dump was replaced by one with other instructions although no source of the project changed: another specialization of the kernel was compiled into the same directory, or something outside of the sources changed. Comparing the last dump would compare two different kernels. The message has all figures seen since a source last changed. Compiling an edit ends this. A capture gives each specialization its own directory. If the last dump is the one to compare, use the editors' action `the newest counts`, or the key n in `isadiff watch`."},
	{Code: SourceEdited, Group: 17, Title: "edited since the compile", Mend: "compile again", Cure: CompileAgain, Severity: "edited",
		Explain: "A source was saved after its kernels were compiled. The figures belong to the code before the save; those of the new code are not known yet. A kernel's sources include those that its source imports or includes, and those that import or include it, directly or through others. A save that changes nothing, or in Python only comments, is not an edit; unsaved text is not one either. The next compile ends this, and so does undoing the edit. A compile that is served from a cache writes nothing and does not end it."},
}

// Lookup returns what is known about a code. An unknown code gets an Info that
// only names it.
func Lookup(code Code) Info {
	if i := slices.IndexFunc(Table, func(i Info) bool { return i.Code == code }); i >= 0 {
		return Table[i]
	}
	return Info{Code: code, Title: string(code), Mend: "see `isadiff explain`"}
}

// Known reports whether code stands in the table.
func Known(code Code) bool {
	return slices.ContainsFunc(Table, func(i Info) bool { return i.Code == code })
}

// OneSided reports whether the problem is that a kernel is on one side only.
func (c Code) OneSided() bool { return c == OnlyInBefore || c == OnlyInAfter }

// SeverityKey returns the key below "severity." in the configuration that says how
// grave the problem is to an editor.
func (c Code) SeverityKey() string { return cmp.Or(Lookup(c).Severity, "untrustworthy") }

// Gravest returns the problem that says most about why there is no answer: what is wrong
// with the dump before what is wrong with the pair, and what follows from another problem
// behind it. ps is not empty.
func Gravest(ps []Problem) Problem {
	return slices.MinFunc(ps, func(a, b Problem) int { return cmp.Compare(a.Code.rank(), b.Code.rank()) })
}

func (c Code) rank() int {
	info := Lookup(c)
	if info.Follows > 0 {
		return 2*info.Follows + 1
	}
	return 2 * info.Group
}
