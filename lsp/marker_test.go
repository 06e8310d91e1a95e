package lsp_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata/marker")

// TestMarkers runs the archives of testdata/marker. The head of an archive says
// what to do, a line each:
//
//	source FILE           a kernel source, from testdata/kernels
//	before DIR [AS]       the baseline, a dump tree from testdata/dumps, at AS in it
//	snapshot DIR [AS]     the same, taken as a snapshot by the server
//	after DIR [AS]        the live dumps
//	remove FILE           removes a file of the project
//	write FILE TEXT       writes a file of the project (\n is a line's end)
//	edit FILE OLD => NEW  replaces text in a file of the project
//	touch FILE DURATION   makes a file that much older than it is
//	set KEY VALUE         a setting (VALUE is JSON)
//	hover FILE NAME       asks for the hover on a name in FILE
//	text                  the client takes plain text in hovers
//
// What is expected stands in the archive's sections as comments: for each file
// with a lens or a diagnostic its lines, and the text of each hover.
func TestMarkers(t *testing.T) {
	archives, err := filepath.Glob("testdata/marker/*.txt")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, path := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := &txtar.Archive{Comment: archive.Comment, Files: runMarkers(t, string(archive.Comment))}
			if *update {
				if err := os.WriteFile(path, txtar.Format(got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(txtar.Format(archive)), string(txtar.Format(got))); diff != "" {
				t.Errorf("%s (-want +got; -update rewrites it):\n%s", path, diff)
			}
		})
	}
}

type hoverAsked struct{ file, name string }

func runMarkers(t *testing.T, script string) (files []txtar.File) {
	p := newProject(t)
	set := settings()
	var hovers []hoverAsked
	takeSnapshot, plain := "", false
	for line := range strings.SplitSeq(script, "\n") {
		f := strings.Fields(line)
		if len(f) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		at := func(dir string) string {
			if len(f) > 2 {
				return dir + "/" + f[2]
			}
			return dir
		}
		switch f[0] {
		case "source":
			name := f[1]
			if strings.HasPrefix(name, "../") { // from another folder of testdata
				name = filepath.Base(name)
			}
			p.copyFile(filepath.Join("../testdata/kernels", f[1]), name)
			p.age(name, time.Hour)
		case "before":
			p.dump(f[1], at("base"))
		case "snapshot":
			p.dump(f[1], at("dumps"))
			takeSnapshot = "now"
		case "after":
			if takeSnapshot == "now" {
				takeSnapshotOf(t, p)
				takeSnapshot = "taken"
				os.RemoveAll(p.path("dumps"))
				set["baseline"] = ".isadiff/baseline.json"
			}
			p.dump(f[1], at("dumps"))
		case "remove":
			if err := os.Remove(p.path(f[1])); err != nil {
				t.Fatal(err)
			}
		case "write":
			_, text, _ := strings.Cut(line, f[1]+" ")
			p.write(f[1], strings.ReplaceAll(text, `\n`, "\n")+"\n")
		case "edit":
			_, rest, _ := strings.Cut(line, f[1]+" ")
			from, to, ok := strings.Cut(rest, " => ")
			text := p.read(f[1])
			if !ok || !strings.Contains(text, from) {
				t.Fatalf("%s: no %q in it", line, from)
			}
			info, err := os.Stat(p.path(f[1]))
			if err != nil {
				t.Fatal(err)
			}
			p.write(f[1], strings.Replace(text, from, strings.ReplaceAll(to, `\n`, "\n"), 1))
			os.Chtimes(p.path(f[1]), info.ModTime(), info.ModTime())
		case "touch":
			d, err := time.ParseDuration(f[2])
			if err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(p.path(f[1]))
			if err != nil {
				t.Fatal(err)
			}
			at := info.ModTime().Add(-d)
			if err := os.Chtimes(p.path(f[1]), at, at); err != nil {
				t.Fatal(err)
			}
		case "set":
			var value any
			if err := json.Unmarshal([]byte(strings.Join(f[2:], " ")), &value); err != nil {
				t.Fatal(err)
			}
			set[f[1]] = value
		case "hover":
			hovers = append(hovers, hoverAsked{f[1], f[2]})
		case "text":
			plain = true
		default:
			t.Fatalf("unknown line %q", line)
		}
	}
	s := start(t, startOptions{})
	caps := capabilities()
	if plain {
		caps["textDocument"].(object)["hover"] = object{"contentFormat": []string{"plaintext"}}
	}
	s.settings = set
	s.initializeWith(object{
		"processId": nil, "rootUri": fileURI(p.root), "capabilities": caps,
		"initializationOptions": object{"status": true},
	})
	s.settled(1)
	s.rescan()
	notes := map[string][]string{}
	seq := expectLast[struct {
		Text, State, Tooltip string
	}](s, "isadiff/status")
	notes["status"] = append(notes["status"], seq.Text+" ("+seq.State+")", "tooltip: "+strings.ReplaceAll(seq.Tooltip, "\n", "\ntooltip: "))
	list := map[string][]diagnostic{}
	for _, m := range allOf[published](s, "textDocument/publishDiagnostics") {
		list[m.URI] = m.Diagnostics
	}
	for uri, ds := range list {
		name := strings.TrimPrefix(uri, fileURI(p.root)+"/")
		for _, d := range ds {
			notes[name] = append(notes[name], fmt.Sprintf("line %d: %s %s: %s", d.Range.Start.Line+1, []string{"", "error", "warning", "information", "hint"}[d.Severity], d.Code, d.Message))
			for _, r := range d.RelatedInformation {
				notes[name] = append(notes[name], "  related: "+r.Message)
			}
		}
	}
	for _, name := range p.files() {
		if !slices.Contains([]string{".py", ".hip", ".s"}, filepath.Ext(name)) {
			continue
		}
		s.notify("textDocument/didOpen", object{"textDocument": object{"uri": p.uri(name), "languageId": "python", "version": 1, "text": p.read(name)}})
		var lenses []codeLens
		s.call("textDocument/codeLens", object{"textDocument": object{"uri": p.uri(name)}}, &lenses)
		byLine, widths := map[int][]string{}, map[int]int{}
		var order []int
		for _, l := range lenses {
			n := l.Range.Start.Line + 1
			widths[n] += utf8.RuneCountInString(" | " + l.Command.Title)
			if byLine[n] == nil {
				order = append(order, n)
			}
			title := l.Command.Title
			if len(byLine[n]) > 0 {
				title = "[" + title + ": " + strings.TrimPrefix(l.Command.Command, "isadiff.") + "]"
			}
			byLine[n] = append(byLine[n], title)
		}
		for _, n := range order {
			if width := widths[n] - utf8.RuneCountInString(" | "); width > 100 { // the last command is out of sight
				p.t.Errorf("%s:%d: a lens of %d characters: %s", name, n, width, strings.Join(byLine[n], " "))
			}
			notes[name] = append(notes[name], fmt.Sprintf("line %d lens: %s", n, strings.Join(byLine[n], " ")))
		}
	}
	var names []string
	for name := range notes {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		files = append(files, section(p, name, strings.Join(notes[name], "\n")))
	}
	for _, h := range hovers {
		pos := p.find(h.file, h.name)
		var hover struct{ Contents struct{ Kind, Value string } }
		s.call("textDocument/hover", object{"textDocument": object{"uri": p.uri(h.file)}, "position": pos}, &hover)
		files = append(files, section(p, "hover "+h.name+" "+hover.Contents.Kind, hover.Contents.Value))
	}
	s.rescan()
	s.claim("textDocument/publishDiagnostics") // sent again for what was opened
	s.close()
	return files
}

type codeLens struct {
	Range   textRange
	Command struct {
		Title, Command string
		Arguments      []object
	}
}

var (
	ages  = regexp.MustCompile(`\d+ (s|min|h|days) ago`)
	taken = regexp.MustCompile(`taken \d{4}-\d\d-\d\d \d\d:\d\d`)
)

// section writes what is expected with all that differs from run to run taken out.
func section(p projectDir, name, text string) txtar.File {
	text = strings.ReplaceAll(text, fileURI(p.root), "file://$ROOT")
	text = strings.ReplaceAll(text, p.root, "$ROOT")
	text = taken.ReplaceAllString(ages.ReplaceAllString(text, "N s ago"), "taken DATE")
	var b bytes.Buffer
	for line := range strings.SplitSeq(text, "\n") {
		fmt.Fprintf(&b, "#@ %s\n", strings.ReplaceAll(line, "\t", "\\t"))
	}
	return txtar.File{Name: strings.ReplaceAll(name, p.root, "$ROOT"), Data: bytes.ReplaceAll(b.Bytes(), []byte("#@ \n"), []byte("#@\n"))}
}

// takeSnapshotOf has a server of its own take the baseline of the dumps.
func takeSnapshotOf(t *testing.T, p projectDir) {
	s := start(t, startOptions{})
	s.initialize(p.root, object{"dumps": "dumps"})
	s.execute("isadiff.snapshotBaseline", object{}, nil)
	s.claim("textDocument/publishDiagnostics")
	s.close()
}

// allOf claims and returns all unclaimed messages of a method so far.
func allOf[P any](s *session, method string) (all []P) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.inbox {
		if m.Method == method && !m.seen {
			var p P
			if err := json.Unmarshal(m.Params, &p); err != nil {
				s.t.Error(err)
			}
			m.seen = true
			all = append(all, p)
		}
	}
	return all
}

// expectLast returns the newest message of a method and claims all of them.
func expectLast[P any](s *session, method string) (last P) {
	s.t.Helper()
	all := allOf[P](s, method)
	if len(all) == 0 {
		s.t.Fatalf("no %s", method)
	}
	return all[len(all)-1]
}

// files lists the files of the project by name.
func (p projectDir) files() (names []string) {
	filepath.WalkDir(p.root, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(p.root, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return nil
	})
	slices.Sort(names)
	return names
}

// find returns the position of a word in a file of the project.
func (p projectDir) find(name, word string) object {
	p.t.Helper()
	for n, line := range strings.Split(p.read(name), "\n") {
		if i := strings.Index(line, word); i >= 0 {
			return object{"line": n, "character": i + 1}
		}
	}
	p.t.Fatalf("no %q in %s", word, name)
	return nil
}
