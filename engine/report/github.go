package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"strings"

	"isadiff/engine/diff"
	"isadiff/engine/facts"
)

// maxAnnotations is how many annotations of one level GitHub shows of a step.
const maxAnnotations = 10

// GitHub returns a comparison as workflow commands, which GitHub shows as
// annotations on the lines of kernel definitions, and as text for the log. An
// error is a regression; a warning is a kernel that cannot be judged; a notice is
// a worsening that is accepted.
func GitHub(r *diff.Result, opt Options) []byte {
	var b bytes.Buffer
	opt.Style = Style{}
	annotate(&b, "error", failures(r, opt))
	annotate(&b, "warning", doubts(r, opt))
	annotate(&b, "notice", excuses(r, opt))
	// Names come from the code under test and could look like commands.
	text := Text(r, opt)
	sum := sha256.Sum256(text)
	token := "isadiff-" + hex.EncodeToString(sum[:16])
	fmt.Fprintf(&b, "::stop-commands::%s\n%s::%s::\n", token, text, token)
	return b.Bytes()
}

// An annotation is a message on a line of a file; without a file it is one of the
// job.
type annotation struct {
	file           string
	line           int
	title, message string
}

func annotate(b *bytes.Buffer, level string, list []annotation) {
	for i, a := range list {
		if left := len(list) - i; i == maxAnnotations-1 && left > 1 {
			a = annotation{title: a.title, message: fmt.Sprintf("and %d more; the log and the summary of the job have all", left)}
		} else if i >= maxAnnotations {
			break
		}
		var properties []string
		if a.file != "" {
			properties = append(properties, "file="+escapeProperty(a.file))
			if a.line > 0 {
				properties = append(properties, fmt.Sprintf("line=%d", a.line))
			}
		}
		properties = append(properties, "title="+escapeProperty(a.title))
		fmt.Fprintf(b, "::%s %s::%s\n", level, strings.Join(properties, ","), escapeData(a.message))
	}
}

func failures(r *diff.Result, opt Options) (list []annotation) {
	for _, row := range worstFirst(r, failed) {
		message := opt.title(row) + ": " + oneLine(Headline(row))
		if s := facts.WavesMoved(row); s != "" {
			message += "; " + s
		}
		if p := processor(row); p != "" {
			message += " [" + p + "]"
		}
		list = append(list, opt.on(row, annotation{title: "isadiff: " + diff.Regression.String(), message: message}))
	}
	return list
}

func doubts(r *diff.Result, opt Options) (list []annotation) {
	rows := make(map[string]*diff.Row, len(r.Rows))
	for i := range r.Rows {
		rows[r.Rows[i].Key] = &r.Rows[i]
	}
	for _, p := range r.Problems {
		a := annotation{
			title:   fmt.Sprintf("isadiff: %s [%s]", diff.NotTrustworthy, p.Code),
			message: Describe(p) + "; to mend it: " + oneLine(p.Mend()),
		}
		if row := rows[p.Kernel]; row != nil {
			a = opt.on(row, a)
		}
		list = append(list, a)
	}
	return list
}

func excuses(r *diff.Result, opt Options) (list []annotation) {
	for _, row := range worstFirst(r, excused) {
		var parts []string
		for _, a := range row.Accepted {
			parts = append(parts, Allowed(a)+" "+oneLine(Accepted(a)))
		}
		list = append(list, opt.on(row, annotation{
			title: "isadiff: " + allowed(row), message: opt.title(row) + ": " + Changes(row) + "; " + strings.Join(parts, ", "),
		}))
	}
	return list
}

// title names a kernel: with its folder, where no line of a file tells which one
// it is.
func (c Context) title(row *diff.Row) string {
	if a := c.on(row, annotation{}); a.file != "" {
		return visible(bare(row.Key))
	}
	return visible(row.Key)
}

// on puts an annotation on the definition of a row's kernel, if it is in the
// repository. A path that cannot be printed as it is has no annotation.
func (c Context) on(row *diff.Row, a annotation) annotation {
	if p, ok := c.Places[row.Key]; ok && !path.IsAbs(p.File) && oneLine(p.File) == p.File {
		a.file, a.line = p.File, p.Line
	}
	return a
}
