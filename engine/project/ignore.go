package project

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"isadiff/engine/regular"

	"github.com/bmatcuk/doublestar/v4"
)

// IgnoreFile is the name of the file that says in each folder what git ignores.
const IgnoreFile = ".gitignore"

// An ignore is what git ignores in one folder: the patterns of its .gitignore
// and those of the folders above, as gitignore(5) says. Files that git tracks
// although a pattern fits are ignored as well; the index is not read.
type ignore struct {
	above *ignore
	dir   string // absolute, with a slash at its end
	rules []rule // in the order of the file: the last that fits decides
}

// A rule is one line of a .gitignore.
type rule struct {
	pattern  string
	suffix   string // of "*suffix" without other wildcards: the common case, quickly
	literal  bool   // no wildcard at all
	base     bool   // matched against the last name; else against the path from the folder
	dirOnly  bool
	negative bool
}

// A patternFile is a file of patterns that count in a folder.
type patternFile struct{ dir, path string }

// patternsAbove are the files that say what git ignores in a folder, the weakest
// first, but for those in the folder and below: the user's, those of the git work
// tree that it is in, and those of the folders between.
func patternsAbove(dir string) (files []patternFile) {
	for at := dir; ; at = filepath.Dir(at) {
		if regular.Exists(filepath.Join(at, ".git")) {
			user := os.Getenv("XDG_CONFIG_HOME")
			if user == "" {
				home, _ := os.UserHomeDir()
				user = filepath.Join(home, ".config")
			}
			files = append(files,
				patternFile{at, filepath.Join(at, ".git", "info", "exclude")},
				patternFile{at, filepath.Join(user, "git", "ignore")})
			slices.Reverse(files)
			return files
		}
		above := filepath.Dir(at)
		if at == above {
			return nil
		}
		files = append(files, patternFile{above, filepath.Join(above, IgnoreFile)})
	}
}

// ignoreAbove returns the patterns that count in a folder before its own.
func ignoreAbove(dir string) (ig *ignore) {
	for _, f := range patternsAbove(dir) {
		ig = ig.with(f.dir, f.path)
	}
	return ig
}

// with returns ig extended by the patterns of one file, which count in dir.
func (ig *ignore) with(dir, path string) *ignore {
	data, err := readFile(path)
	if err != nil {
		return ig // none there, or not readable: git goes on as well
	}
	rules := parseRules(data)
	if len(rules) == 0 {
		return ig
	}
	return &ignore{above: ig, dir: slashed(dir), rules: rules}
}

// ignores reports whether git ignores the file or folder of this absolute path,
// whose parent folder it does not ignore.
func (ig *ignore) ignores(path string, isDir bool) bool {
	path = filepath.ToSlash(path)
	base := path[strings.LastIndexByte(path, '/')+1:]
	for ; ig != nil; ig = ig.above {
		rel, ok := strings.CutPrefix(path, ig.dir)
		if !ok {
			continue
		}
		for i := len(ig.rules) - 1; i >= 0; i-- {
			if r := &ig.rules[i]; (!r.dirOnly || isDir) && r.match(rel, base) {
				return !r.negative
			}
		}
	}
	return false
}

func (r *rule) match(rel, base string) bool {
	if r.base {
		rel = base
	}
	switch {
	case r.literal:
		return rel == r.pattern
	case r.suffix != "":
		return strings.HasSuffix(rel, r.suffix)
	default:
		return doublestar.MatchUnvalidated(r.pattern, rel)
	}
}

// parseRules reads the text of a .gitignore. A pattern that can match nothing
// is left out, as git does.
func parseRules(data []byte) (rules []rule) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for line := range strings.SplitSeq(string(data), "\n") {
		line = trimBlanks(strings.TrimSuffix(line, "\r"))
		if line == "" || line[0] == '#' {
			continue
		}
		var r rule
		if line[0] == '!' {
			r.negative, line = true, line[1:]
		}
		if s, ok := strings.CutSuffix(line, "/"); ok {
			r.dirOnly, line = true, s
		}
		r.base = !strings.Contains(line, "/")
		line = strings.TrimPrefix(line, "/")
		if line == "" {
			continue
		}
		r.setPattern(line)
		if r.literal || r.suffix != "" || doublestar.ValidatePattern(r.pattern) {
			rules = append(rules, r)
		}
	}
	return rules
}

// toDoublestar translates what doublestar reads in another way: braces are plain
// characters to git, and it knows the classes of POSIX.
var toDoublestar = strings.NewReplacer(
	`\\`, `\\`, `\{`, `\{`, `\}`, `\}`, "{", `\{`, "}", `\}`,
	"[:alpha:]", "a-zA-Z", "[:digit:]", "0-9", "[:alnum:]", "a-zA-Z0-9", "[:upper:]", "A-Z", "[:lower:]", "a-z",
	"[:space:]", " \t", "[:blank:]", " \t", "[:xdigit:]", "0-9a-fA-F", "[:punct:]", `!-/:-@\[-`+"`"+`{-~`,
)

// setPattern translates a pattern of git to one of doublestar. "folder/**" does
// not match the folder itself.
func (r *rule) setPattern(text string) {
	if rest, ok := strings.CutPrefix(text, "**/"); ok && !strings.Contains(rest, "/") && rest != "**" && rest != "" {
		text, r.base = rest, true // "**/name" is "name"
	}
	r.literal = !strings.ContainsAny(text, `*?[\`)
	if r.literal {
		r.pattern = text
		return
	}
	if rest, ok := strings.CutPrefix(text, "*"); ok && r.base && !strings.ContainsAny(rest, `*?[\`) {
		r.suffix = rest
		if rest != "" {
			return
		}
	}
	text = toDoublestar.Replace(text)
	if strings.HasSuffix(text, "/**") {
		text += "/*"
	}
	r.pattern = text
}

// trimBlanks cuts the blanks at the end of a line, except one after a backslash.
func trimBlanks(line string) string {
	end := len(line)
	for end > 0 && (line[end-1] == ' ' || line[end-1] == '\t') {
		end--
	}
	if end < len(line) && strings.HasSuffix(line[:end], `\`) && !strings.HasSuffix(line[:end], `\\`) {
		end++
	}
	return line[:end]
}

// slashed returns a folder with slashes and one at its end.
func slashed(dir string) string {
	return strings.TrimSuffix(filepath.ToSlash(dir), "/") + "/"
}
