package accept_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"isadiff/engine/accept"
	"isadiff/engine/resource"
)

func entry(t *testing.T, glob string, m resource.Metric, value int64, reason string, until accept.Date) accept.Entry {
	t.Helper()
	k, err := resource.NewMatcher(glob)
	if err != nil {
		t.Fatal(err)
	}
	return accept.Entry{Kernels: k, Metric: m, Value: value, Reason: reason, Until: until}
}

// show writes a list in short, a line an entry and a fault.
func show(l *accept.List) string {
	var b strings.Builder
	for _, e := range l.Entries {
		b.WriteString(strings.Join([]string{l.At(e.Line), e.Kernels.String(), e.Metric.String(), resource.Value(e.Value).String(), e.Reason, string(e.Until)}, " "))
		b.WriteByte('\n')
	}
	for _, f := range l.Faults {
		b.WriteString("! " + l.At(f.Line) + " " + f.Message + "\n")
	}
	return b.String()
}

func triggers() string {
	var keys []string
	for _, m := range resource.Metrics {
		if m.Trigger {
			keys = append(keys, m.Key)
		}
	}
	return strings.Join(keys, ", ")
}

func TestParse(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty": {"", ""},
		"whole": {"# head\n\n# why\n[[accepted]]\nkernel = \"a/**::b*\"\nmetric = \"vgpr\"\nvalue = 12\nreason = \"x\"\nuntil = 2027-03-31\n",
			"f:4 a/**::b* vgpr 12 x 2027-03-31\n"},
		"date as text":    {"[[accepted]]\nkernel='k'\nmetric='sgpr'\nvalue=0\nuntil='2027-03-31'", "f:1 k sgpr 0  2027-03-31\n"},
		"byte order mark": {"\ufeff[[accepted]]\nkernel='k'\nmetric='sgpr'\nvalue=1", "f:1 k sgpr 1  \n"},
		"no TOML":         {"[[accepted]]\nkernel='k'\nmetric='sgpr'\nvalue=1\n[[accepted]]\nkernel=\n", "! f:6 is not valid TOML here: unexpected character U+000A at start of value; nothing is accepted\n"},
		"lacks a key":     {"[[accepted]]\nkernel='k'\nmetric='sgpr'\n", "! f:1 the entry has no value; it is ignored\n"},
		"wrong types": {"[[accepted]]\nkernel=1\nmetric='sgpr'\nvalue=1\n[[accepted]]\nkernel='k'\nmetric='sgpr'\nvalue='1'\n",
			"! f:2 kernel must be a glob (a string); the entry is ignored\n! f:8 value must be a whole number that is not negative; the entry is ignored\n"},
		"no trigger":    {"[[accepted]]\nkernel='k'\nmetric='agpr'\nvalue=1", "! f:3 metric must be one of " + triggers() + "; the entry is ignored\n"},
		"negative":      {"[[accepted]]\nkernel='k'\nmetric='vgpr'\nvalue=-1", "! f:4 value must be a whole number that is not negative; the entry is ignored\n"},
		"no day":        {"[[accepted]]\nkernel='k'\nmetric='vgpr'\nvalue=1\nuntil='soon'", "! f:5 until must be a day such as 2027-03-31; the entry is ignored\n"},
		"unknown key":   {"[[accepted]]\nkernel='k'\nmetric='vgpr'\nvalue=1\nuntill=2027-03-31", "! f:5 untill is no key of an entry; they are kernel, metric, value, reason, until; the entry is ignored\n"},
		"given twice":   {"[[accepted]]\nkernel='k'\nkernel='*'\nmetric='vgpr'\nvalue=1", "! f:3 kernel is given twice; the entry is ignored\n"},
		"unknown table": {"[accept]\nkernel='k'\n", "! f:1 unknown table \"accept\": entries are [[accepted]]; it is ignored\n! f:2 \"kernel\" belongs to no [[accepted]]; it is ignored\n"},
		"broken glob":   {"[[accepted]]\nkernel='['\nmetric='vgpr'\nvalue=1", "! f:2 kernel is no glob: kernel glob \"[\": a bracket or brace is not closed, or a backslash stands at the end; escape a literal *, ?, [ or { with a backslash; the entry is ignored\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, show(accept.Parse("f", []byte(c.text)))); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestEditKeepsWhatPeopleWrote(t *testing.T) {
	old := `# Our list.

# z is slow anyway,
# see the discussion
[[accepted]]
kernel = "z"   # all of them
metric = "vgpr"
value = 10
# until the rewrite
until = 2027-01-01

[[accepted]]
kernel = "m"
metric = "sgpr"
value = 3
`
	got, err := accept.Edit([]byte(old), []accept.Entry{
		entry(t, "z", resource.VGPR, 20, "a \"quoted\" \\ reason\nin two lines", "2028-01-01"),
		entry(t, "a", resource.ScratchBytes, 4, "", ""),
		entry(t, "a", resource.VGPR, 5, "", ""),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `# Our list.

[[accepted]]
kernel = "a"
metric = "vgpr"
value = 5

[[accepted]]
kernel = "a"
metric = "scratch_bytes"
value = 4

[[accepted]]
kernel = "m"
metric = "sgpr"
value = 3

# z is slow anyway,
# see the discussion
# until the rewrite
[[accepted]]
kernel = "z"
metric = "vgpr"
value = 20
reason = "a \"quoted\" \\ reason\u000ain two lines"
until = 2028-01-01
`
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Error(d)
	}
	again, err := accept.Edit(got, nil)
	if err != nil || string(again) != want {
		t.Errorf("it is not stable: %v\n%s", err, again)
	}
}

func TestAddIsWholeOrNot(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sub", "accepted.toml")
	if err := accept.Add(path, []accept.Entry{entry(t, "k", resource.VGPR, 1, "", "")}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("nonsense = ["), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := accept.Add(path, []accept.Entry{entry(t, "k", resource.VGPR, 1, "", "")}); err == nil || !strings.Contains(err.Error(), "not changed") {
		t.Error(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "nonsense = [" {
		t.Errorf("%s", got)
	}
	if l := accept.Read(dir, "f"); len(l.Faults) != 1 || !strings.Contains(l.Faults[0].Message, "no regular file") {
		t.Errorf("%+v", l)
	}
	if l := accept.Read(filepath.Join(dir, "none"), "f"); len(l.Faults)+len(l.Entries) != 0 {
		t.Errorf("%+v", l)
	}
}

func TestExactly(t *testing.T) {
	for _, key := range []string{"a/b::k", "we*ird[0]::{x,y}?", `back\slash::k`, "::k", "a::b::c"} {
		m, err := resource.NewMatcher(accept.Exactly(key))
		if err != nil || !m.Match(record(key)) || m.Match(record(key+"x")) || m.Match(record("x"+key)) {
			t.Errorf("%q: %v", key, err)
		}
	}
}

func TestExpires(t *testing.T) {
	e := entry(t, "k", resource.VGPR, 1, "", "2027-03-31")
	if e.Expired("2027-03-31") || !e.Expired("2027-04-01") || (&accept.Entry{}).Expired("9999-01-01") {
		t.Error("an entry holds to the end of its last day")
	}
}

// What is read survives an edit, in the same words.
func FuzzEdit(f *testing.F) {
	f.Add("[[accepted]]\nkernel='k'\nmetric='vgpr'\nvalue=1\nreason='''a\n[[accepted]]\nb'''\n")
	f.Add("# x\n\n#y\n[[accepted]]\nkernel=\"\\u00e9*\"\nmetric='vgpr'\nvalue=1\nuntil=2027-03-31 # z\n")
	f.Add("[[accepted]]\r\nkernel='k'\r\nmetric='vgpr'\r\nvalue=1\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		before := accept.Parse("f", []byte(text))
		m, _ := resource.NewMatcher("zz")
		edited, err := accept.Edit([]byte(text), []accept.Entry{{Kernels: m, Metric: resource.SGPR, Value: 7, Reason: text}})
		if err != nil {
			if len(before.Faults) == 0 {
				t.Errorf("refused without a fault: %v", err)
			}
			return
		}
		after := accept.Parse("f", edited)
		if len(after.Faults) > 0 {
			t.Fatalf("the edited text has faults %+v:\n%s", after.Faults, edited)
		}
		lines := func(l *accept.List) map[string]int {
			set := map[string]int{}
			for _, e := range l.Entries {
				e.Line = 0
				if e.Kernels.String() != "zz" || e.Metric != resource.SGPR {
					set[e.Kernels.String()+"|"+e.Metric.String()+"|"+resource.Value(e.Value).String()+"|"+e.Reason+"|"+string(e.Until)]++
				}
			}
			return set
		}
		if d := cmp.Diff(lines(before), lines(after)); d != "" {
			t.Errorf("%s\n%s", d, edited)
		}
	})
}

func record(key string) *resource.Record {
	_, name := resource.SplitKey(key)
	return &resource.Record{Key: key, Name: name}
}

func TestKey(t *testing.T) {
	for _, key := range []string{"d::k", "::k", "a/x[1-2]/{b}::k*", `a\b::k?`, "d::ns::k"} {
		if got, ok := accept.Key(accept.Exactly(key)); got != key || !ok {
			t.Errorf("%q came back as %q, %v", key, got, ok)
		}
	}
	for _, glob := range []string{"k", "*::k", "d/{a,b}::k", "d::k?", `d::k\`, "gfx950/**"} {
		if got, ok := accept.Key(glob); ok {
			t.Errorf("%q is for one key, %q", glob, got)
		}
	}
}

// allocated is how many bytes were allocated so far.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// A list that nobody wrote by hand is read with work that grows as it does, and the
// messages about it stay short.
func TestListsOfAnySize(t *testing.T) {
	for name, text := range map[string]string{
		"a key of many parts":   strings.Repeat("a.", 100_000) + "a = 1\n",
		"a table of many parts": "[" + strings.Repeat("a.", 100_000) + "a]\n",
		"many keys":             strings.Repeat("a = 1\n", 60_000),
		"many entries":          strings.Repeat("[[accepted]]\n", 30_000),
	} {
		before := allocated()
		l := accept.Parse("accepted.toml", []byte(text))
		if took := (allocated() - before) / uint64(len(text)); took > 1024 {
			t.Errorf("%s: it takes %d bytes of memory for each of the file", name, took)
		}
		if len(l.Faults) == 0 || len(l.Faults[0].Message) > 300 {
			t.Errorf("%s: faults %.400s", name, fmt.Sprint(l.Faults))
		}
	}
	l := accept.Parse("accepted.toml", []byte("[[accepted]]\n\"\".kernel = '*'\nmetric = 'vgpr'\nvalue = 1\n"))
	if len(l.Entries) != 0 {
		t.Errorf("a key of two parts is taken for the second: %v", l.Entries)
	}
}
