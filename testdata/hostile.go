package testdata

// Hostile are texts that mean something on one surface or another: names and paths
// of files that nobody has to trust.
var Hostile = []string{
	"![](https://x.test/i.png)[Click](https://x.test)", "[a](command:workbench.action.quit)", "](https://x.test)", "![x", "[a][b]", "[a]: https://x.test",
	"https://x.test", "see www.x.test now", "mailto:a@x.test", "a@x.test", "<https://x.test>", "<img src=x onerror=alert(1)>", "</details></table><script>alert(1)</script>", "<!-- ",
	"&lt;b&gt;", "&#91;a](https://x.test)", "a`b``c```d", "```\n# h\n```", "~~~", "*a* _b_ **c** __d__ ~~e~~", "| a | b |\n|---|---|", "a|b", "\\", "a\\", "\\|",
	"# h", "- a", "1. a", "> a", "---", "===", "    code", "\ttab", "{0} and {1}", "$(sync~spin)", "@team #1", "%0A::error::x", "::error file=x::boom", "##[error]x", "]]>", "]]></error>",
	"\x1b[31mred\x1b[0m", "\x1b]8;;https://x.test\x07link", "a\rb", "a\nb", "a\r\n\r\nRESULT: OK", "\u202egnp.exe", "a\u2028b\u2029c", "a\u200bb", "\ufeffa", "\u0085", "\x00", "\u2066a", "\U000e0041",
}
