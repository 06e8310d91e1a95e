package pysource

import (
	"runtime"
	"strings"
	"testing"
)

// A pathology is a kind of text that makes careless scanners slow.
type pathology struct {
	name         string
	begin, again string
	end          string
}

func (p pathology) text(n int) string { return p.begin + strings.Repeat(p.again, n) + p.end }

const header = "import flydsl.compiler as flyc\n"

var pathologies = []pathology{
	{"f-strings in f-strings", header, "f'''{", ""},
	{"f-string on each line", header, "f'''{\n", ""},
	{"f-strings of both quotes", header, "f\"{f'{", ""},
	{"f-strings of both quotes by line", header, "f\"{f'{\n", ""},
	{"three kinds of f-strings", header, "f'''{f\"\"\"{f\"{x:{", "\n"},
	{"format specifications", header, "f'{x:{y:", "\n"},
	{"holes that never close", header + "x = f\"\"\"", "{", "\n"},
	{"holes that never close by line", header + "x = f\"\"\"", "{(\n", "\n"},
	{"escaped triple quotes", header, "\\\"\"\"\n", ""},
	{"escaped triple quotes of both kinds", header, "\\\"\"\"\\'''\n", ""},
	{"glued triple quotes", header, "\"\"\"a\n\\\"\"\"b\n", "\"\"\"c"},
	{"triple quotes without partner", header, "x = \"\"\"\n'''\n", ""},
	{"backslashes", header + "x = '''", "\\", "'''\n"},
	{"backslashes and quotes", header + "x = '''", "\\'", "\n"},
	{"quotes", header, "\"", "\n"},
	{"apostrophes and quotes", header, "'\"", "\n"},
	{"continued strings", header, "'\\\n", "\n"},
	{"continuations", header + "x = 1", " + \\\n1", "\n"},
	{"continued products", header + "x = 1", " \\\n@ 1", "\n"},
	{"continuations alone", header, "\\\n", "x"},
	{"parentheses", header + "x = ", "(", "\n"},
	{"parentheses around a decorator", header + "@", "(", "flyc.kernel\ndef f(): pass\n"},
	{"matched parentheses", header + "x = ", "()", "\n"},
	{"brackets that close nothing", header, "([{", ")\n"},
	{"open decorators", header, "@flyc.kernel(\n", "def k(): pass\n"},
	{"open decorators with definitions", header, "@flyc.kernel(\ndef k(\n", ""},
	{"swallowed decorators", header + "x = [\n", "@flyc.kernel\n", "def k(): pass\n"},
	{"swallowed definitions", header, "x = [\n@flyc.kernel\ndef k(\n", ""},
	{"decorators", header, "@flyc.kernel\n", "def k(): pass\n"},
	{"definitions", header, "@flyc.kernel\ndef k(): pass\n", ""},
	{"empty decorators", header, "@\n", "def k(): pass\n"},
	{"dotted names", header + "@flyc", ".kernel", "\ndef k(): pass\n"},
	{"calls", header + "@flyc.kernel", "()", "\ndef k(): pass\n"},
	{"arguments", header + "@flyc.kernel(name='a'", ", name=('a')", ")\ndef k(): pass\n"},
	{"sums", header + "@flyc.kernel(name='a'", " + ('b')", ")\ndef k(): pass\n"},
	{"growing names", header + "n = 'a'\n", "n += n\n", "@flyc.kernel(name=n)\ndef k(): pass\n"},
	{"growing names in a function", header + "def f(n):\n", " n = n + n\n", " @flyc.kernel(name=n)\n def k(): pass\n"},
	{"names for names", header + "def f():\n", " n = m\n m = n\n", " @flyc.kernel(name=n)\n def k(): pass\n"},
	{"aliases of aliases", header + "k = flyc.kernel\n", "k = k\n@k\ndef f(): pass\n", ""},
	{"branches", header, "if x:\n k = flyc.kernel\n@k\ndef f(): pass\n", ""},
	{"branches of names", header, "if x:\n n = 'a'\n@flyc.kernel(name=n)\ndef f(): pass\n", ""},
	{"partial", header + "@", "partial(", "flyc.kernel\ndef k(): pass\n"},
	{"one line of data", header + "x = [", "1, ", "]\n"},
	{"one line of open data", header + "x = [", "1, ", "\n@flyc.kernel\ndef k(): pass\n"},
	{"lines of open data", header + "x = [\n", "1,\n", "@flyc.kernel\ndef k(): pass\n"},
	{"one line of statements", header, "x = 1; ", "\n"},
	{"one line of commas", header, "a,", "b = 1\n"},
	{"one line of targets", header, "a = ", "1\n"},
	{"one line of lambdas", header + "if x", " lambda:", "\n"},
	{"parameters", header + "@flyc.kernel\ndef k(a", ", a", "): pass\n"},
	{"imports", header + "from x import (a", ", a", ")\n"},
	{"star imports", header, "from flydsl.compiler import *\n", ""},
	{"carriage returns", header, "\r", "@flyc.kernel\ndef k(): pass\n"},
	{"lone carriage returns", strings.ReplaceAll(header, "\n", "\r"), "@flyc.kernel\rdef k(): pass\r", ""},
	{"comments", header, "#\n", ""},
	{"comment of one line", header, "#", "\n"},
	{"conflict markers", header, "<<<<<<< \n", ""},
	{"deep names", header, "class A:\n", "@flyc.kernel\ndef k(): pass\n"},
	{"global", header + "def f():\n global x", ", x", "\n x = 1\n"},
	{"coding comments", "# ", "coding", "\n" + header},
	{"words outside ASCII", header, "ﬁ", "\n"},
	{"no text at all", header, "\x00", "\n"},
	{"brackets in a hole", header + "f'{", "(", "\n"},
	{"strings in a hole", header + "f'{", "\"a\"", "\n"},
	{"open strings in holes", header, "f'{\"\n", ""},
	{"triple quotes in holes", header, "f'{\"\"\"\n", ""},
	{"named escapes", header + "x = f'", "\\N{", "'\n"},
}

// A scan may read twice its text again, and may look at every token some dozens
// of times: that is linear, whatever the text.
const (
	looksPerByte = 64
	spare        = 1 << 16
)

// checkWork checks that a scan took linear time.
func checkWork(t *testing.T, text []byte, d *Decorators) {
	t.Helper()
	for _, suspects := range []suspicion{0, apostrophes, doubleQuotes, apostrophes | doubleQuotes} {
		lx := d.read(text, suspects, true).lx
		// What overdraws the budget is the last reading that it allowed.
		if lx.budget < -len(text) {
			t.Errorf("%d bytes read again in a text of %d", 2*len(text)+spare-lx.budget, len(text))
		}
		if lx.looks > looksPerByte*len(text)+spare {
			t.Errorf("%d looks at tokens in a text of %d bytes", lx.looks, len(text))
		}
	}
}

// TestLinearTime counts the work of scans of texts that are made to be slow, and
// that it grows with their size. Not all work is counted: what is not would, if
// it were quadratic, keep the text of 1 MB from ending within a test's time limit.
func TestLinearTime(t *testing.T) {
	for _, p := range pathologies {
		t.Run(p.name, func(t *testing.T) {
			checkWork(t, []byte(p.text(2000)), FlyDSL)
			small, large := counted(p.text(2000)), counted(p.text(20000))
			if large > 12*small+spare {
				t.Errorf("ten times the text takes %d looks instead of %d", large, small)
			}
			if !testing.Short() {
				text := []byte(p.text(1 << 20 / len(p.again)))
				checkFile(t, text, Scan(text))
			}
		})
	}
}

// counted returns how much a scan of a text looked at.
func counted(text string) int {
	lx := FlyDSL.read([]byte(text), apostrophes|doubleQuotes, true).lx
	return lx.looks + 2*len(text) + spare - lx.budget
}

// TestHugeLine scans one line of 100 MB: memory must not grow with the line.
func TestHugeLine(t *testing.T) {
	if testing.Short() {
		t.Skip("scans 100 MB; left out with -short")
	}
	text := []byte(header + "x = [" + strings.Repeat("1234, ", 100<<20/6) + "]\n@flyc.kernel\ndef k(): pass\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := FlyDSL.read(text, 0, true)
	runtime.ReadMemStats(&after)
	if len(s.found) != 1 {
		t.Error("the kernel below the line was not found")
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 8<<20 {
		t.Errorf("%d bytes allocated for one line", allocated)
	}
}

// TestHugeStatements scans statements with more tokens than are kept at once:
// what is known of them stays right, and what is not is said.
func TestHugeStatements(t *testing.T) {
	data := strings.TrimSpace(strings.Repeat("1, ", maxTokens))
	tests := []struct {
		name, text, want string
	}{
		{"decorator", "@flyc.kernel(x=[" + data + "], name='a')\ndef k(): pass\n", "k=?"},
		{"decorator over lines", "@flyc.kernel(\n    x=[\n" + strings.ReplaceAll(data, " ", "\n") + "])\ndef k(): pass\n", "k=?"},
		{"name", "n = 'a' if f(" + data + ") else 'b'\n@flyc.kernel(name=n)\ndef k(): pass\n", "k=?"},
		{"names", "n, m = 'a', f(" + data + ")\n@flyc.kernel(name=n)\ndef k(): pass\n", "k=?"},
		{"default", "@flyc.kernel\ndef k(x=(" + data + ")): pass\n@flyc.kernel\ndef l(): pass\n", "k l"},
		{"body", "@flyc.kernel\ndef k(): return [" + data + "]\n@flyc.kernel\ndef l(): pass\n", "k l"},
		{"open body", "@flyc.kernel\ndef k(): return [" + data + "\n@flyc.kernel\ndef l(): pass\n", "k l"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := []byte(header + test.text)
			f := Scan(text)
			if got := kernelsIn(f); got != test.want {
				t.Fatalf("found %q, want %q", got, test.want)
			}
			checkFile(t, text, f)
			d := f.Definitions[0]
			if end := d.Decorator.End.Offset; text[end] != '\n' || string(text[end+1:end+4]) != "def" {
				t.Errorf("the decorator ends at %d", end)
			}
			if end := d.Body.End.Offset; text[end] != '\n' {
				t.Errorf("the body ends at %d of %d", end, len(text))
			}
		})
	}
}
