package report

import (
	"bytes"
	"fmt"
	"strings"

	"isadiff/engine/facts"
	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// proseWidth is where lines of prose end.
const proseWidth = 80

// Explain returns what a problem code, a metric or a word means, in any case and with
// blanks, hyphens or underscores; known is false for any other topic.
func Explain(topic string) (text []byte, known bool) {
	plain := plainTopic(topic)
	for _, i := range problem.Table {
		if plainTopic(string(i.Code)) == plain {
			return explainCode(i), true
		}
	}
	for m := range resource.Metrics {
		if plainTopic(resource.Metrics[m].Key) == plain {
			return explainMetric(resource.Metric(m)), true
		}
	}
	for _, g := range Groups {
		if plainTopic(g.Name) == plain {
			return explainGroup(g), true
		}
	}
	if w, ok := wordOf(topic); ok {
		return explainGroup(w), true
	}
	for m := range resource.Metric(resource.NumMetrics) { // as tables and lenses call it
		if plainTopic(m.Short()) == plain || plainTopic(m.Long()) == plain {
			text := explainMetric(m)
			if class, ok := wordOf(topic + " instructions"); ok { // which bears the same name
				text = append(append(text, '\n'), explainGroup(class)...)
			}
			return text, true
		}
	}
	return nil, false
}

// A Group is a figure that budgets can limit and that no single metric is.
type Group struct{ Name, Title, Explain string }

// Groups are all of them.
var Groups = []Group{
	{"occupancy", "waves per SIMD that can run at once",
		"How many waves of a kernel fit on one SIMD, which registers, LDS and the size of a work group decide. More waves hide more latency; fewer are no regression by themselves, but a budget such as \"occupancy >= 2\" makes them one. `isadiff summarize DIR --occupancy` shows it with what limits it."},
	{"spill", "registers that did not fit: vgpr_spill and sgpr_spill",
		"What does not fit into registers is stored to memory or to lanes of other registers and loaded again. The metrics vgpr_spill and sgpr_spill count it, each by itself, and a growth of either is a regression. A budget \"spill == 0\" limits their sum; `isadiff where DIR` shows the source lines, and `isadiff why BEFORE AFTER` the code that made a difference."},
}

func explainCode(i problem.Info) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %s (exit 2)\n\n", i.Code, i.Title)
	for paragraph := range strings.SplitSeq(i.Explain, "\n\n") {
		fmt.Fprintf(&b, "%s\n", wrap(paragraph, ""))
	}
	fmt.Fprintf(&b, "\nTo mend it: %s.\n", i.Mend)
	return b.Bytes()
}

func explainMetric(m resource.Metric) []byte {
	info := resource.Metrics[m]
	role := "context: its growth is no regression"
	if info.Trigger {
		role = "a trigger: its growth is a regression"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: %s\n\n%s\nUnit: %s. Read from: %s.\n", info.Key, role, wrap(info.Meaning, ""), info.Unit, info.From)
	if a, ok := facts.AdviceFor(m); ok {
		fmt.Fprintf(&b, "\n%s\n%s\n%s\n", wrap("Usual cause: "+a.Cause+".", "  "), wrap("Try: "+a.Try+".", "  "), wrap(facts.Proxy+".", ""))
	}
	return b.Bytes()
}

// Topics returns the list of what can be explained.
func Topics() []byte {
	var b bytes.Buffer
	b.WriteString("Problem codes (each makes the answer NOT TRUSTWORTHY, exit 2):\n")
	for _, i := range problem.Table {
		fmt.Fprintf(&b, "  %-24s %s\n", i.Code, i.Title)
	}
	b.WriteString("\nFigures of budgets:\n")
	for _, g := range Groups {
		fmt.Fprintf(&b, "  %-24s %s\n", g.Name, g.Title)
	}
	b.WriteString("\nMetrics (* = growth is a regression):\n")
	for _, m := range resource.Metrics {
		mark := " "
		if m.Trigger {
			mark = "*"
		}
		fmt.Fprintf(&b, " %s%-24s %s, from %s\n", mark, m.Key, m.Unit, m.From)
	}
	listWords(&b)
	return b.Bytes()
}

// TopicNames returns what can be explained, each with a tab and its title, as a shell
// completes it: words are joined by hyphens.
func TopicNames() []string {
	var all []string
	for _, i := range problem.Table {
		all = append(all, string(i.Code)+"\t"+i.Title)
	}
	for _, g := range Groups {
		all = append(all, g.Name+"\t"+g.Title)
	}
	for _, g := range Words {
		all = append(all, strings.ReplaceAll(g.Name, " ", "-")+"\t"+g.Title)
	}
	for _, m := range resource.Metrics {
		all = append(all, m.Key+"\t"+m.Meaning)
	}
	return all
}

// wrap breaks a paragraph into lines; all but the first begin with indent.
func wrap(paragraph, indent string) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(paragraph) {
		switch w := width(word); {
		case column == 0:
		case column+1+w > proseWidth:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += width(word)
	}
	return b.String()
}
