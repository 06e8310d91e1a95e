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
	{"renamed", "probably one kernel under two names",
		"A kernel on one side only has the definition or the instructions of one on the other side. It is shown and does not count; --pair OLD=NEW compares them."},
	{"pair", "two names that the user says are one kernel",
		"Given with --pair OLD=NEW or the table `pairs` of the configuration; * stands for the same text on both sides."},
	{"baseline", "the figures to compare with",
		"A snapshot, .isadiff/baseline.json unless configured, or a dump directory. `isadiff snapshot` takes one, `isadiff snapshot --undo` restores the one before."},
	{"gone", "no longer on either side",
		"A session had the kernel, and neither the dumps nor the baseline have it now."},
	{"polling", "files are looked at from time to time",
		"The file system tells of no changes, and the reason stands beside it. Everything works, a little later."},
	{"specialization", "one kernel compiled for other constants or types",
		"Each has its own figures. `isadiff capture` gives each its own directory; plain dumps overwrite each other (overwritten)."},
}

// otherWords are what people type for words.
var otherWords = map[string]string{
	"edited since": "edited", "no baseline": "no-baseline", "same": "same instructions", "identical": "same instructions", "regression": "REGRESSION",
	"only in before": "one-sided", "only in after": "one-sided", "at most": "waves", "budgets": "budget", "pairs": "pair", "wave": "waves",
	"unlaunchable": "cannot be launched", "improved": "better", "worsened": "worse", "probably renamed": "renamed", "tolerance": "tolerated",
}

// wordOf returns the word that a topic means, in whatever case and with blanks or
// hyphens.
func wordOf(topic string) (Group, bool) {
	plain := func(s string) string {
		return strings.ToLower(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == '-' || r == '_' }), " "))
	}
	topic = plain(strings.TrimRight(topic, ".…:"))
	for typed, word := range otherWords {
		if typed == topic {
			topic = plain(word)
			break
		}
	}
	for _, w := range Words {
		if plain(w.Name) == topic {
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
