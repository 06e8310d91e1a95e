package problem

import "slices"

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

// An Info says what a code means to a user.
type Info struct {
	Code    Code
	Group   int    // the section-4 group of the contract
	Title   string // a few words, for lists and lenses
	Mend    string // what to do, an imperative without a full stop
	Explain string // paragraphs for `isadiff explain`: what was seen, why it matters, how to mend it
}

const recompile = "compile again into a fresh dump directory"

// Table holds every code, in the order of the contract.
var Table = []Info{
	{InputNotFound, 1, "input not found", "check the path, or compile first",
		"The path does not exist, so there is nothing to compare. A dump directory appears when a kernel is compiled with dumping on (FLYDSL_DUMP_IR=1 for FlyDSL); a snapshot is written by `isadiff snapshot` or `isadiff summarize DIR --json PATH`."},
	{InputKind, 1, "neither dump directory nor snapshot", "give a dump directory or a .json snapshot",
		"A side of the comparison is a directory that holds NN_final_isa.s files at any depth, or a .json snapshot. To compare the figures of a single .s file, give the directory that it is in. A snapshot holds figures and no assembly, so `isadiff why` and `isadiff where` need the dump directory or the assembly file."},
	{InputUnreadable, 1, "input unreadable", "grant read access to it",
		"A file or directory exists but could not be read: most often because you lack permission, or because a container wrote it as another user. isadiff does not read files of more than 256 MiB either. The content is unknown, so isadiff can say nothing about the tree as a whole. `chmod -R u+rX DIR` gives access to your own files."},
	{InputUnstable, 1, "input changed while it was read", "read again when the compile has ended",
		"The file vanished or changed while it was read, and again on a second try: a compile is still writing it. The figures would mix two compiles. Wait for the compile to end, as `isadiff watch` and the language server do."},

	{NoDumpFiles, 2, "no final assembly", "set FLYDSL_DUMP_IR=1 and FLYDSL_RUNTIME_ENABLE_CACHE=0, then compile again",
		"The directory holds no final assembly: no file that ends in final_isa.s (FlyDSL) or .amdgcn (Triton), no *-hip-amdgcn-amd-amdhsa-*.s (HIP), and none of a compiler that the configuration names. Nothing was compiled into it, or the kernels came from a cache and were not dumped, or HIP was linked with LTO, which keeps no assembly (use -fno-offload-lto). An empty tree does not show that nothing got worse."},
	{NoKernels, 2, "no kernels", "set FLYDSL_DUMP_IR=1 and FLYDSL_RUNTIME_ENABLE_CACHE=0, then compile again",
		"The tree holds assembly, but no kernel. A single module may have no kernels; a whole tree without kernels has nothing to compare."},

	{MetadataMissing, 3, "no kernel metadata", "the file is cut short or no AMDHSA dump: " + recompile,
		"A kernel's counts are between .amdgpu_metadata and .end_amdgpu_metadata near the end of the file. This file has no such part: it was cut while it was written, or it was made for another operating system (Mesa, PAL) or by another tool. If isadiff recognizes the file, the message says what it is: code object v2 states counts in another form (compile with -mcode-object-version=5), LLVM IR is not assembly (use -fno-offload-lto), and isadiff does not expand metadata in an assembler macro (llvm-mc writes the file without macros)."},
	{MetadataCut, 3, "dump cut short", recompile,
		"The metadata begins but has no .end_amdgpu_metadata, so the file was cut while it was written (a killed compile, a full disk). Kernels may be missing from it, and a number at the cut may have lost digits."},
	{MetadataMalformed, 3, "kernel metadata malformed", recompile,
		"The metadata has no well-formed amdhsa.kernels list, or a line that isadiff cannot read, or it is inside an assembler conditional, which may leave it out. isadiff reads it strictly, because a misread count is worse than none."},
	{DescriptorMismatch, 3, "kernel descriptors and metadata disagree", recompile,
		"Every kernel has a descriptor (.amdhsa_kernel) and a metadata entry. Here they name different kernels, so part of the file is lost, or the file was put together from two compiles."},
	{StageStale, 3, "an older stage file hides a newer one", "remove the leftover stage file, or " + recompile,
		"The directory holds several NN_final_isa.s files. The highest stage number counts, but a lower one was written more than two seconds later: most often a debug run (stage 23) left its file, and a plain run (stage 22) followed. The figures would be those of an old compile. If the tree was copied without its times, use --ignore-times."},
	{DumpStale, 3, "the last compile left no assembly", "fix the compile error and compile again",
		"00_origin.mlir, the first file of a compile, is newer than the final assembly beside it: the last compile began but did not finish, and the assembly is from the compile before. If the tree was copied without its times, use --ignore-times."},

	{NotUTF8, 4, "not UTF-8", "dump again",
		"The file holds bytes that are not UTF-8. Compilers write UTF-8, so the file is damaged, and a damaged byte may have erased an instruction or a digit."},

	{KernelUnnamed, 5, "a kernel without a name", "dump again",
		"A metadata entry has neither .name nor .symbol, so its counts belong to no kernel."},
	{KernelNameConflict, 5, "a kernel with two names", "dump again",
		"A metadata entry's .name and .symbol (which is the name followed by .kd) disagree, so it is unclear whose counts they are."},

	{KernelDuplicate, 6, "a kernel declared twice", "use one directory per compile",
		"One file declares the same kernel twice. isadiff shows the first one, but it is unknown which of them runs."},
	{KeyDuplicate, 6, "a key produced twice", "use one directory per compile",
		"Two kernels of one side have the same key (directory and name), so they cannot be told apart."},

	{CountInvalid, 7, "an invalid count", "dump again",
		"A count is negative or not a plain decimal integer. Its cell shows ? instead of a guess."},
	{CountMissing, 7, "a count is missing", "dump again",
		"A field or symbol that holds a count is missing, although this file's compiler writes it. Its cell shows ?."},

	{SymbolConflict, 8, "a symbol with two values", "dump again; do not edit dumps",
		"One file sets a symbol (.set) to two different values, so it is unclear which one the compiler meant."},
	{SymbolUnresolved, 8, "a symbol that cannot be resolved", "dump again; do not edit dumps",
		"A count is an expression over other symbols, and one of them is undefined, refers to itself, or has a form that isadiff cannot read."},
	{CountsContradict, 8, "counts that contradict each other", "dump again; do not edit dumps",
		"The file states one quantity in several places (metadata, symbols, kernel descriptor), and these differ, or the descriptor allocates fewer registers than are counted, or the body names a register beyond the counts. LLVM always writes them consistently, so the dump is damaged or was edited, or inline assembly uses a register that it declares neither as an operand nor as a clobber. In that case the counts are too small, and the kernel may overwrite registers that it does not own."},

	{BodyUnbounded, 9, "a kernel's instructions cannot be bounded", "look at the kernel's assembly",
		"The kernel's label, its .size or the label that ends it is missing, so it is unknown which instructions belong to it. The counts from the metadata are valid; the counts of instruction sites show ?."},
	{BodyUncountable, 9, "a kernel's instructions cannot be counted", "look at the kernel's assembly",
		"The kernel's body uses assembler macros, conditionals or repetitions, which isadiff does not expand, or it holds data or a filled alignment, or it comes after a directive that may leave out parts of the text. The counts of instruction sites show ?."},

	{TargetUnknown, 10, "an unknown target", "build both sides for one target",
		"One side does not name a known processor. Register files differ between processors, so figures of an unknown processor cannot be compared, even with each other."},
	{TargetDiffers, 10, "targets differ", "build both sides for one target",
		"The two sides were built for different processors. Register files, LDS and instruction selection differ between them, so a difference says nothing about the change."},
	{TargetFeaturesDiffer, 10, "target features differ", "build both sides for one target",
		"The two sides were built for one processor with different xnack or sramecc settings, which change code generation. On, off and unset are three different settings."},
	{TargetConflict, 10, "a file with two targets", "dump again",
		"In one file the directive .amdgcn_target and the metadata's amdhsa.target name different targets, so the file was edited or put together from two."},

	{OnlyInBefore, 11, "only in the baseline", "run the same tests on both sides",
		"Only the before side has the kernel: it was renamed, removed or not compiled (a test that did not run, a cache hit). isadiff does not count a vanished kernel as unchanged."},
	{OnlyInAfter, 11, "only in the new dump", "run the same tests on both sides, or take a new baseline",
		"Only the after side has the kernel: it is new or was renamed, or the before run compiled fewer kernels. There is nothing to compare it with."},
	{PairAmbiguous, 11, "a pair that fits several kernels", "write the keys of the two kernels, folder::name, in the pair",
		"A pair from the configuration or from --pair matches several kernels of one side with one kernel of the other, or can be read in too many ways. isadiff does not guess which one you mean, so it compares none of them."},

	{ApplicabilityDiffers, 12, "a metric exists on one side only", "build both sides with one compiler and target",
		"A metric has a value on one side and is n/a on the other: the sides come from different compiler versions or targets. n/a is not 0, so there is no difference to show."},

	{SnapshotInvalid, 13, "an invalid snapshot", "write the snapshot again",
		"The snapshot is not a JSON object of the expected form, or a cell is not a non-negative integer. It was edited, cut short or written by another tool."},
	{SnapshotSchema, 13, "a snapshot of another schema", "write the snapshot again",
		"The snapshot's schema is not 2. It was written by another version of the tool, and its figures may mean something else."},
	{SnapshotUntrustworthy, 13, "a snapshot of untrustworthy data", "write the snapshot again from a good dump",
		"The snapshot records that its data, or that of one of its kernels, could not be trusted when it was written."},
	{AssemblyMissing, 13, "the assembly of a snapshot is not kept", "take the snapshot again from dumps of the same code",
		"A snapshot holds figures. The assembly that they were read from is in a file of its own beside it, baseline.isa.zst of baseline.json, which is not committed. It is missing (another machine, --no-isa, a snapshot of another tool), is that of other figures (the snapshot was replaced without it), is damaged, or lacks this kernel. Only the assembly of the very same figures is used. `isadiff snapshot` keeps it."},

	{InternalError, 14, "internal error", "report it, with the message",
		"isadiff reached an unexpected state, so it gives no answer rather than a wrong one. It changed nothing. The message says where it happened."},
	{Usage, 14, "usage", "see --help",
		"The command line is not valid. Usage errors exit with 2, because exit 1 always means a regression."},
	{OutputUnwritable, 14, "output cannot be written", "give another path",
		"A file could not be written: the directory does not exist or is not writable, the disk is full, another process held its lock for 10 seconds, or the path has a file of another kind, which isadiff never replaces. No half-written file remains, and a file that was at the path is unchanged."},

	{ConfigurationInvalid, 15, "a configuration that cannot be used", "correct the file, variable or setting that the message names",
		"The configuration cannot be read, or a key that decides what is compared or allowed (dumps, baseline, kernels, pairs, tolerance and others) has no usable value. isadiff does not guess what the key should say, so nothing is OK. A live session keeps the last good configuration. A session that begins with a broken key compares nothing; where only pairs, tolerance, accepted or budgets is broken, it shows the figures and marks them. The problem ends as soon as the file, variable or setting is corrected."},
	{BudgetInvalid, 15, "a budget that cannot be read", "correct the budgets in the configuration",
		"A budget of the configuration is not of the form \"vgpr <= 128\", its glob is not valid, or the configuration file cannot be read. The limits are then unknown, so isadiff cannot say that the kernels keep them."},
	{BudgetUnknown, 15, "a budget that cannot be checked", "limit the budget's glob to kernels that have the quantity, or drop it",
		"A budget limits a quantity that this kernel does not have, or for which the dump gives only a bound: a metric that is n/a on the target, the waves per SIMD of a kernel with dynamic LDS, figures of a snapshot that another tool wrote. isadiff does not count a budget that it cannot check as kept."},

	{RunUnderWay, 16, "a run is under way", "wait until it has ended",
		"A command that isadiff started (`isadiff capture`, or an editor after a save or on demand) is still compiling into the dump directory. Kernels that it has yet to compile have the figures of the last compile, so nothing is OK before it ends; kernels that it has compiled are shown. A run keeps the file .isadiff-running locked while it lives. A killed run holds no lock, so it does not count."},
	{CaptureIncomplete, 16, "a capture that did not end", "wait until it has ended; if no capture is running, capture again",
		"The dump directory holds a capture that was interrupted or killed, or whose command failed, or that is still running on a file system without locks. The file .isadiff-incomplete in it says which. Kernels may be missing, and the answer would cover only some of them. `isadiff capture` into the same directory replaces it; if you know that nothing is missing, remove the file."},
	{CaptureNotFresh, 16, "not a fresh directory", "give a new or empty directory with -o",
		"The directory to capture into holds something that `isadiff capture` did not put there. Old dumps in it would look new, so a capture starts with an empty directory. A directory with an earlier capture, whole or not, is emptied and used again."},
	{CaptureFailed, 16, "the command failed", "fix what its output reports, then capture again",
		"The command that compiles the kernels ended with an exit status other than 0, or could not be started. Kernels after the failure were not compiled; with plain dumps their old figures would look current. The message has the exit status of the command; its output is above."},
	{CaptureInterrupted, 16, "capture interrupted", "capture again",
		"The capture was stopped before the command ended. isadiff also ended the command and its child processes. The directory is marked as incomplete."},
	{CaptureEmpty, 16, "nothing was compiled", "check that the command launches the kernels: tests that were skipped or deselected compile nothing",
		"The command succeeded but compiled no kernel, so there is no final assembly. The tests may have been skipped, or the command launches no kernel. A run that compiled nothing does not show that nothing got worse."},
	{CaptureCached, 16, "kernels came from a cache", "remove the compile cache (~/.flydsl/cache, or $FLYDSL_RUNTIME_CACHE_DIR) and capture again",
		"Kernels were launched but not compiled: they came from a cache, and a cache hit dumps nothing. `isadiff capture` turns FlyDSL's caches off (FLYDSL_RUNTIME_ENABLE_CACHE=0); the program turned one on again, or keeps its own."},
	{CaptureNoISA, 16, "a compile without final assembly", "fix what the message reports, then capture again",
		"A compile began (it wrote 00_origin.mlir) and left no final assembly: it failed, or the process died. With an old dump in place, its figures would look current. Without a linker ($ROCM_PATH/llvm/bin/ld.lld) or device library no compile succeeds; with FLYDSL_COMPILE_LLVM_DIR FlyDSL writes no assembly. `isadiff doctor` checks both."},
	{CaptureOverwritten, 16, "a specialization overwritten by another", "compile each specialization in a test of its own (pytest.mark.parametrize), or capture them one by one",
		"Two different specializations of a kernel were dumped into one directory, and only the last one is left. FlyDSL names a dump after the kernel alone. isadiff gives each pytest test its own directory, and tells launchers apart by their builder's arguments, their constants and their types; these two do not differ in any of them."},
	{CaptureElsewhere, 16, "dumped elsewhere or not at all", "leave FLYDSL_DUMP_IR and FLYDSL_DUMP_DIR to isadiff",
		"A kernel was compiled while dumping was switched off, or was dumped outside the directory of the capture: the program changed FLYDSL_DUMP_IR or FLYDSL_DUMP_DIR. The capture does not contain that kernel."},
	{CompareRevision, 16, "no such revision", "give a commit, branch or tag of this git repository",
		"isadiff could not check out the sources of the other side into a temporary git worktree: the folder is not in a git repository, the revision does not exist, or git is not installed."},
	{CompareOwnCode, 16, "the base ran the working tree's code", "remove the editable install or PYTHONPATH entry that leads to the working tree, or run the command in a way that imports from the current folder",
		"The base revision ran in its own worktree, but kernels that it compiled, or modules that it imported, came from the working tree: most often because of an editable install (pip install -e) or an absolute path in the command. Both sides would be the same code, and the answer always OK."},
	{MergeConflict, 16, "snapshots that contradict each other", "merge only snapshots of one run, one revision and one compiler",
		"Two of the snapshots have the same kernel with different figures, so they are not shards of one run. Nothing was written."},

	{Overwritten, 17, "overwritten by another compile of the same sources", "capture the run, which keeps specializations apart: isadiff capture -o DIR -- COMMAND; if something outside of the sources changed (a variable, a data file, the compiler), let the newest count",
		"A dump was replaced by one with other instructions although no source of the project changed: another specialization of the kernel was compiled into the same directory, or something outside of the sources changed. Comparing the last dump would compare two different kernels. The message has all figures seen since a source last changed. Compiling an edit ends this. A capture gives each specialization its own directory. If the last dump is the one to compare, use the editors' action `the newest counts`, or the key n in `isadiff watch`."},
	{SourceEdited, 17, "edited since the compile", "compile again",
		"A source was saved after its kernels were compiled. The figures belong to the code before the save; those of the new code are not known yet. A kernel's sources include those that its source imports or includes, and those that import or include it, directly or through others. A save that changes nothing, or in Python only comments, is not an edit; unsaved text is not one either. The next compile ends this, and so does undoing the edit. A compile that is served from a cache writes nothing and does not end it."},
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
