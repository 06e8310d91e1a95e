package locate

import (
	"bytes"
	"path"
	"strconv"
	"strings"

	"isadiff/engine/isa"
)

// InAssembly returns the first source location that the instructions of a kernel
// name: that of its function's beginning, if the compiler keeps it. For an
// instruction of an inlined function it is the location of the outermost call,
// which LLVM names in a comment. The kernel's body is text[start:stop]. The zero
// Location means that there are no debug locations.
func InAssembly(text []byte, start, stop int) Location {
	if start < 0 || stop > len(text) || start >= stop {
		return Location{}
	}
	if !bytes.Contains(text[start:stop], []byte(".loc")) {
		return Location{}
	}
	for l := isa.NewLexer(text[:stop], start, 1); ; {
		statement, ok := l.Next()
		if !ok {
			return Location{}
		}
		at := locOf(text, statement)
		if at.Line == 0 {
			continue
		}
		if outer := outermost(text, l.Comment()); outer.Path != "" {
			return outer
		}
		if at.Path != "" {
			return at
		}
	}
}

// Near returns the source line that a 1-based line of an assembly file stands under:
// the nearest .loc at or above it in its function that names a line of a user's file.
// Its Path is as the compiler wrote it; the zero Location means none.
func Near(text []byte, line int) Location {
	if line < 1 || !bytes.Contains(text, []byte(".loc")) {
		return Location{}
	}
	end, n := 0, 1 // of the line, and its number
	for ; ; n++ {
		i := bytes.IndexByte(text[end:], '\n')
		if i < 0 {
			end = len(text)
			break
		}
		if end += i; n == line {
			break
		}
		end++
	}
	for above := n < line; ; above = true {
		begin := bytes.LastIndexByte(text[:end], '\n') + 1
		at := locOf(text, text[begin:end])
		if at.Path != "" && !strings.HasSuffix(at.Path, "/functools.py") { // a wrapper of the standard library
			return at
		}
		if begin == 0 || above && isLabel(string(text[begin:end])) { // the beginning of the function
			return Location{}
		}
		end = begin - 1
	}
}

// isLabel reports whether a line begins a function, or ends the one before; the other
// labels that begin with .L are of basic blocks and debug information.
func isLabel(text string) bool {
	if text == "" || strings.HasPrefix(text, ".L") {
		return strings.HasPrefix(text, ".Lfunc_end")
	}
	if text[0] == '.' {
		name, _, ok := strings.Cut(text, ":")
		return ok && !strings.ContainsAny(name, " \t")
	}
	return text[0] != '\t' && text[0] != ' ' && text[0] != ';' && strings.Contains(text, ":")
}

// locOf returns the place that a .loc names; a zero Line if the line is none, or is
// for code that is of no line, and no Path if the text does not name the file.
func locOf(text, line []byte) Location {
	fields := directive(line, ".loc")
	if len(fields) < 2 {
		return Location{}
	}
	at, err := strconv.Atoi(fields[1])
	if err != nil || at <= 0 {
		return Location{}
	}
	column := 0
	if len(fields) > 2 {
		column, _ = strconv.Atoi(fields[2])
	}
	return Location{Path: fileOf(text, fields[0]), Line: at, Column: max(column-1, 0)}
}

// outermost returns the place of the outermost call in the comment of a .loc line:
// "; math.h:9:2 @[ k.hip:12:3 @[ k.hip:44:5 ] ]".
func outermost(text, comment []byte) Location {
	i := bytes.LastIndex(comment, []byte("@[ "))
	if i < 0 {
		return Location{}
	}
	place := strings.TrimRight(string(comment[i+3:]), " ]")
	rest, column, _ := cutNumber(place)
	name, at, ok := cutNumber(rest)
	if !ok || at <= 0 || name == "" {
		return Location{}
	}
	var found Location
	eachFile(text, func(number, file string) bool {
		if file == name || strings.HasSuffix(file, "/"+name) {
			found = Location{Path: file, Line: at, Column: max(column-1, 0)}
		}
		// File 0 is the source as the compile was told, below a folder that it need not
		// be in; it stands among the others again.
		return found.Path == "" || number == "0"
	})
	return found
}

// cutNumber cuts ":12" off the end of a text.
func cutNumber(s string) (rest string, n int, ok bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, 0, false
	}
	n, err := strconv.Atoi(s[i+1:])
	return s[:i], n, err == nil
}

// Files returns the sources that an assembly file names in its debug information.
func Files(text []byte) (files []string) {
	eachFile(text, func(number, file string) bool {
		files = append(files, file)
		return true
	})
	return files
}

// fileOf returns the path of a numbered source, "" if the text names none.
func fileOf(text []byte, number string) (path string) {
	eachFile(text, func(n, file string) bool {
		if n == number {
			path = file
		}
		return path == ""
	})
	return path
}

// eachFile calls f for each `.file 1 "dir" "name" md5 …`, until it returns false.
// A relative folder is below that of file 0 (DWARF 5).
func eachFile(text []byte, f func(number, file string) bool) {
	home := ""
	for rest := text; ; {
		i := bytes.Index(rest, []byte(".file"))
		if i < 0 {
			return
		}
		begin := bytes.LastIndexByte(rest[:i], '\n') + 1
		line, after, _ := bytes.Cut(rest[begin:], []byte("\n"))
		rest = after
		fields := directive(line, ".file")
		if len(fields) < 2 || strings.Trim(fields[0], "0123456789") != "" {
			continue
		}
		var parts []string
		_, names, _ := bytes.Cut(line, []byte(fields[0]))
		for names = bytes.TrimLeft(names, " \t"); len(names) > 0 && names[0] == '"'; names = bytes.TrimLeft(names, " \t") {
			end, ok := stringEnd(names, 0)
			if !ok {
				break
			}
			parts, names = append(parts, isa.Unquote(names[:end])), names[end:]
		}
		if fields[0] == "0" && len(parts) == 2 {
			home = parts[0]
		}
		file := ""
		for _, part := range append([]string{home}, parts...) {
			if rooted(part) {
				file = part
			} else {
				file = path.Join(file, part)
			}
		}
		if len(parts) > 0 && file != "" && !f(fields[0], file) {
			return
		}
	}
}

// directive returns the fields behind a directive, nil if the line holds another.
func directive(line []byte, name string) []string {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte(name))
	if !ok || len(rest) == 0 || rest[0] != ' ' && rest[0] != '\t' {
		return nil
	}
	return strings.Fields(string(rest))
}
