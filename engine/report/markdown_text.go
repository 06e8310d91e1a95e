package report

import "strings"

// codeSpan returns a name as code, whatever is in it, in a table's cell too.
func codeSpan(s string) string {
	s = visible(s)
	fence := "`"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	if s == "" {
		return ""
	}
	// In a table a bar ends the cell even within code, unless it is escaped.
	return fence + strings.ReplaceAll(s, "|", `\|`) + fence
}

// escapeMarkdown returns text that means itself in Markdown, in a table too.
func escapeMarkdown(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; c {
		case '\\', '`', '*', '_', '{', '}', '[', ']', '|', '#', '~':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '@': // mentions nobody
			b.WriteString("&#64;")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
