package report

import (
	"bytes"
	"fmt"
	"strings"
)

// Words are what the surfaces say of a kernel, a cell or a whole answer, besides
// problem codes and metrics. A test holds them against what they say.
var Words = []Group{
	{"OK", "the verdict: nothing got worse, exit 0",
		"Every kernel of the two sides could be compared, and no metric that counts grew beyond what the project allows. Without a baseline it means only that the figures are sound and that no budget is broken."},
	{"REGRESSION", "the verdict: a kernel got worse, exit 1",
		"A metric marked with * grew, a kernel can no longer be launched, or a budget is broken, and the answer can be trusted. `isadiff why BEFORE AFTER` shows the code that made the difference; `isadiff accept` accepts growth that is meant."},
	{"NOT TRUSTWORTHY", "the verdict: the question cannot be answered, exit 2",
		"Something keeps the answer from being certain: each reason is a problem with a code, and `isadiff explain CODE` says how to mend it. It says nothing about the code that was compared."},
	{"unchanged", "no metric differs from the baseline",
		"The kernel was compared and all of its figures are those of the baseline. `same instructions` says more: its code is the same, too."},
	{"same instructions", "the code is exactly that of the baseline",
		"The kernel was compiled again, and the instructions of its body equal those of the baseline. Functions that it calls are not compared."},
	{"changed", "something differs, and none of it is a regression",
		"Only metrics without * differ, whose growth is no regression by itself, or what grew is accepted or tolerated."},
	{"worse", "a metric that counts grew, or a budget is broken",
		"Growth of a metric with * is a regression, unless it is accepted or tolerated."},
	{"better", "a metric that counts shrank, and none grew",
		"The kernel takes less than the baseline. Take a new baseline to keep it that way."},
	{"no-baseline", "there is nothing to compare with",
		"The kernel has figures, and there is no baseline. `isadiff snapshot` takes one; budgets are checked all the same."},
	{"edited", "\"edited since\": a source was saved after the compile",
		"The figures are those of the code before the save, so the verdict is NOT TRUSTWORTHY (source-edited) until the kernel is compiled again or the edit is undone. A save that changes only comments is none."},
	{"pending", "in the baseline, and not compiled yet",
		"A kernel of the baseline that was not compiled since the session's dumps began. The verdict is NOT TRUSTWORTHY until it is: compile it, or leave it out with --kernels."},
	{"compiling", "a compile is under way",
		"A compile has begun and has not written its assembly, or a run of isadiff compiles into the dumps: \"compiling 3/14\" counts the kernels that it has finished. The figures that are shown are those of the compile before."},
	{"one-sided", "on one side only: ONLY IN BEFORE, ONLY IN AFTER",
		"Nothing is known of what became of the kernel (only-in-before, only-in-after). Run the same tests on both sides; if it was renamed, pair it with --pair OLD=NEW."},
	{"untrustworthy", "a kernel that cannot be judged",
		"A figure of the kernel is ?, its file is damaged or old, or the two sides do not fit together. The problem beside it says which."},
	{"BLOCKED", "a row of the table that cannot be compared",
		"The text after it is the reason. The kernel counts as one that makes the answer NOT TRUSTWORTHY, and not as compared."},
	{"accepted", "growth that the project accepts",
		"An entry of .isadiff/accepted.toml, or of the file that `accepted` names, accepts this metric up to this value, with a reason and perhaps a last day. It is no regression; beyond the value it is one again. `isadiff accept` writes entries."},
	{"tolerated", "growth within the project's tolerance",
		"The key `tolerance` of the configuration allows this much growth of the metric, so it is no regression."},
	{"budget", "a limit of the project on a figure",
		"The key `budgets` of the configuration limits figures, such as \"vgpr <= 128\" or \"occupancy >= 2\". A broken budget is a regression, with a baseline or without."},
	{"waves", "waves per SIMD that can run at once: see occupancy",
		"How many waves of the kernel fit on one SIMD; `isadiff explain occupancy` says what decides it. \"at most\" stands where something is only known at the launch."},
	{"cannot be launched", "more than the hardware has",
		"The kernel needs more registers, LDS or threads in a work group than the processor has, so that a launch fails. If it could be launched before, this is a regression."},
	{"n/a", "the quantity does not exist here",
		"The target, the compiler or the baseline has no such figure, and the reason stands beside it. It is not 0, and it is no problem by itself."},
	{"?", "a figure that could not be read",
		"isadiff could not read what it claims to report, and says why. Any ? makes the answer NOT TRUSTWORTHY."},
	{"at least", "a lower bound",
		"The figure is certain only in one direction: a function outside of the module, dynamic LDS or inline assembly may need more."},
	{"gap", "a revision of a history without figures",
		"The revision could not be captured, and the reason stands beside it: \"no figures\". What moved after a gap may have moved in it. It is never a zero, and it makes the answer NOT TRUSTWORTHY."},
	{"cannot tell", "a revision that isadiff bisect skips",
		"It does not compile, or a kernel that is searched for is missing or cannot be compared. The search goes on beside it. If the first revision that is worse has such neighbors, nobody knows which one it is, and the answer is NOT TRUSTWORTHY."},
	{"partial run", "some tests were left out: of pytest --isadiff",
		"A selection such as -k, --lf or a path left tests out. The kernels of the baseline that they compile are counted, and neither compared nor missing: the verdict is about the others. --isadiff-update keeps them."},
	{"renamed", "probably one kernel under two names",
		"A kernel on one side only has the definition or the instructions of one on the other side. It is shown and does not count; --pair OLD=NEW compares them."},
	{"pair", "two names that the user says are one kernel",
		"Given with --pair OLD=NEW or the table `pairs` of the configuration; * stands for the same text on both sides."},
	{"baseline", "the figures to compare with",
		"A snapshot, .isadiff/baseline.json unless configured, or a dump directory. `isadiff snapshot` takes one, `isadiff snapshot --undo` restores the one before."},
	{"gone", "no longer there: a kernel on either side, an instruction after",
		"Of a kernel: a session had it, and neither the dumps nor the baseline have it now. Of an instruction: it was there before, and nothing after is like it. JSON calls it removed."},
	{"polling", "files are looked at from time to time",
		"The file system tells of no changes, and the reason stands beside it. Everything works, a little later."},
	{"specialization", "one kernel compiled for other constants or types",
		"Each has its own figures. `isadiff capture` gives each its own directory; plain dumps overwrite each other (overwritten)."},
	{"variants", "the kernels that one definition was compiled to",
		"A definition that is compiled for several constants, types or targets has a kernel for each. An editor shows the worst of them and counts the others."},
	{"older than this file", "the source is being edited",
		"The text in the editor differs from the text that was compiled. Once it is saved, the kernel is `edited since`."},
	{"ambiguous", "a kernel that fits several definitions",
		"Nothing in the dump says which of them it comes from, so its figures stand on each. The key path-map, or debug locations, make it certain."},
	{"not compiled yet", "a definition without a kernel",
		"No kernel of the dumps or the baseline is known to come from it."},
	{"configuration", "a key of the configuration that cannot be used",
		"The file, the line and what the key takes stand in the message; `isadiff doctor` lists all of them. While a key that decides what is compared is wrong, nothing is OK."},
	{"trigger", "a metric whose growth is a regression, marked with *",
		"The other metrics are context: they are shown, and their growth is no regression."},
	{"worsened", "how many figures grew",
		"It counts figures, not kernels: a kernel with more VGPRs and more spills counts twice. Only metrics that count (*) of kernels that were compared; also those that are accepted or tolerated."},
	{"instructions", "those of a kernel's body, as its text has them",
		"Each counts once, however often it runs; functions that the kernel calls are not in it. `isadiff why` says what became of them: same, in other registers, changed, moved, gone or new."},
	{"same", "an instruction as it was",
		"Its text equals that of before, up to the numbers of labels."},
	{"in other registers", "an instruction that only names other registers",
		"Mnemonic and operands are those of before but for the numbers of registers, which change all over a kernel when one more value is live. JSON calls it renamed."},
	{"moved", "an instruction that stands elsewhere",
		"It equals one of before up to registers, and the scheduler put it before or behind others."},
	{"new", "an instruction that was not there before",
		"Nothing before is like it. JSON calls it added. A line, or a loop, is new if it was not there before."},
	{"spill code", "the instructions that save and restore registers",
		"Spill stores put a register that was needed for something else into scratch memory or into lanes of another register; reloads fetch it. \"at most\" stands where the metadata does not confirm that scratch instructions are spills."},
	{"live VGPRs", "vector registers that hold a value that is still needed",
		"Counted at each instruction from the text of the assembly. The allocated registers (vgpr) are at least as many as the peak. The same is counted of AGPRs and SGPRs."},
	{"peak", "the most registers that are live at once",
		"The instruction and the source line at which it is reached are where saving a register helps. \"131 of 136 allocated\" names the allocated registers beside it."},
	{"near line", "the source line that an instruction comes from",
		"As the debug locations of the dump say. An instruction that the compiler made for no line of its own, such as a spill store, stands at the last line before it."},
	{"debug locations", "what leads from an instruction to its source line",
		"A dump has them if the compiler was told to write them: FLYDSL_DEBUG_ENABLE_DEBUG_INFO=1 with FlyDSL, -gline-tables-only with HIP; Triton writes them by itself."},
	{"assembly line", "a line of the assembly file", "The file is the one in the dumps; `isadiff why --isa` and the editors show it."},
	{"loop", "a loop of the assembly, and the source lines that it spans",
		"\"388 -> 1502 instructions an iteration\" counts those of one pass through its body, with the loops in it once. Loops of the two sides are paired through their instructions."},
	{"VALU", "vector arithmetic", "Instructions that compute on vector registers, or move them: v_add, v_fma, v_mov and the like. Matrix instructions are a class of their own."},
	{"matrix", "matrix instructions", "MFMA, WMMA, SMFMAC and SWMMAC; the metric matrix_ops counts them."},
	{"SALU", "scalar arithmetic", "Instructions that compute on scalar registers, or move them: s_add, s_and, s_mov and the like."},
	{"scalar memory", "loads through the scalar cache", "s_load and s_buffer_load fetch kernel arguments, descriptors and other uniform values; the instructions for that cache are in it too. JSON calls it smem."},
	{"branch", "jumps", "s_branch, s_cbranch, calls, returns and other jumps."},
	{"VMEM", "vector memory", "global_, buffer_ and image_ loads, stores and atomics. Where spills go through buffer_ instructions, they are in it too."},
	{"flat", "memory through a flat address", "flat_ loads, stores and atomics: the address says only at run time whether it is global memory, LDS or scratch."},
	{"LDS instructions", "reads and writes of LDS", "ds_ instructions; the metrics lds_read and lds_write count them."},
	{"scratch instructions", "reads and writes of scratch memory", "scratch_ instructions: spill code, and arrays that are indexed at run time; the metrics scratch_store and scratch_load count them."},
	{"wait", "waits for memory", "s_waitcnt and s_wait_: each stops the wave until a counter of what is on its way has fallen far enough. Barriers are `other`."},
	{"other", "instructions of no other class", "Barriers, s_nop, s_endpgm, s_clause and what else computes nothing and moves no data."},
}

// otherWords are what is shown or typed for words.
var otherWords = map[string]string{
	"edited since": "edited", "no baseline": "no-baseline", "same instructions as before": "same instructions", "identical": "same instructions",
	"only in before": "one-sided", "only in after": "one-sided", "at most": "waves", "budgets": "budget", "pairs": "pair", "wave": "waves",
	"unlaunchable": "cannot be launched", "improved": "better", "probably renamed": "renamed", "tolerance": "tolerated",
	"cannot be judged": "untrustworthy", "proposed pair": "renamed", "proposed": "renamed", "specializations": "specialization", "context": "trigger",
	"the same": "same", "only register numbers differ": "in other registers", "only the order differs": "moved", "added": "new", "removed": "gone",
	"spill store": "spill code", "spill stores": "spill code", "reload": "spill code", "reloads": "spill code", "spill loads": "spill code",
	"live": "live VGPRs", "live registers": "live VGPRs", "live AGPRs": "live VGPRs", "live SGPRs": "live VGPRs", "allocated": "peak", "peaks": "peak",
	"near": "near line", "source line": "near line", "line": "near line", "no source line": "near line", "no debug locations": "debug locations",
	"loops": "loop", "an iteration": "loop", "iteration": "loop", "smem": "scalar memory", "waits": "wait",
	"work group": "waves", "workgroup": "waves", "verdict": "OK", "variant": "variants", "lower bound": "at least",
}

// plainTopic is a topic in the one form in which topics are compared: in lower case and
// with blanks for hyphens and underscores.
func plainTopic(s string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(strings.Trim(s, ".…:*()"), func(r rune) bool { return r == ' ' || r == '-' || r == '_' }), " "))
}

// wordOf returns the word that a topic means.
func wordOf(topic string) (Group, bool) {
	topic = plainTopic(topic)
	for typed, word := range otherWords {
		if plainTopic(typed) == topic {
			topic = plainTopic(word)
			break
		}
	}
	for _, w := range Words {
		if plainTopic(w.Name) == topic {
			return w, true
		}
	}
	return Group{}, false
}

// explainGroup returns what a figure of budgets or a word means.
func explainGroup(g Group) []byte {
	return fmt.Appendf(nil, "%s: %s\n\n%s\n", g.Name, g.Title, wrap(g.Explain, ""))
}

// listWords adds the words to the list of what can be explained.
func listWords(b *bytes.Buffer) {
	b.WriteString("\nWords of the terminal and the editors:\n")
	for _, w := range Words {
		fmt.Fprintf(b, "  %-24s %s\n", w.Name, w.Title)
	}
}
