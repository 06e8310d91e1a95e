package watch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// budget is how long after the last write a batch must have been sent.
const budget = 250 * time.Millisecond

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestSettlesOnce(t *testing.T) {
	d := driven(t, t.TempDir()).begun()
	d.write(isaName, isa("x"))
	written := d.now
	d.advance(time.Minute)
	b := d.one()
	if len(b.Settled) != 1 || d.content(b.Settled[0]) != isa("x") || b.Rescan {
		t.Errorf("got %+v", b)
	}
	if took := b.at.Sub(written); took > budget {
		t.Errorf("the batch came %v after the last write", took)
	}
}

// A writer that takes two seconds for one file.
func TestSlowWriter(t *testing.T) {
	d := driven(t, t.TempDir()).begun()
	text := isa(strings.Repeat("slow ", 100))
	const pieces = 20
	path := filepath.Join(d.root, isaName)
	for i := range pieces {
		d.advance(2 * time.Second / pieces)
		d.none()
		appendTo(t, path, text[len(text)*i/pieces:len(text)*(i+1)/pieces])
		d.tell(isaName, wrote)
	}
	written := d.now
	d.advance(time.Minute)
	b := d.one()
	if len(b.Settled) != 1 || d.content(b.Settled[0]) != text || b.Settled[0].cut {
		t.Errorf("got %+v", b)
	}
	if took := b.at.Sub(written); took > budget {
		t.Errorf("the batch came %v after the last write", took)
	}
}

// A writer that pauses for long, but not too long, before the end.
func TestPausingWriter(t *testing.T) {
	d := driven(t, t.TempDir()).begun()
	text := isa("x")
	d.write(isaName, text[:len(text)/2])
	d.advance(9 * time.Second)
	appendTo(t, filepath.Join(d.root, isaName), text[len(text)/2:len(text)-30])
	d.tell(isaName, wrote)
	d.advance(9 * time.Second)
	d.none()
	appendTo(t, filepath.Join(d.root, isaName), text[len(text)-30:])
	d.tell(isaName, wrote)
	d.advance(budget)
	if s := d.settled(); s.cut || d.content(s) != text {
		t.Errorf("got %+v", s)
	}
}

func TestCut(t *testing.T) {
	whole := isa("x")
	tests := []struct{ name, file, left string }{
		{"half", isaName, whole[:len(whole)/2]},
		{"empty", isaName, ""},
		{"empty, without end marker", "00_origin.mlir", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := driven(t, t.TempDir()).begun()
			d.write(tt.file, tt.left)
			d.advance(d.tracker.Hold - time.Millisecond)
			d.none()
			d.advance(time.Second)
			if s := d.settled(); !s.cut || d.content(s) != tt.left {
				t.Errorf("got %+v", s)
			}
			d.advance(time.Hour)
			d.none() // it is said once
			d.write(tt.file, whole)
			d.advance(budget)
			if s := d.settled(); s.cut || d.content(s) != whole {
				t.Errorf("got %+v", s)
			}
		})
	}
}

// What was cut long before the watcher began is said in the first batch.
func TestCutBefore(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, isaName)
	write(t, path, "half")
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	d := driven(t, root)
	d.advance(0)
	if s := d.settled(); !s.cut || !s.ModTime.Equal(old.Truncate(0)) {
		t.Errorf("got %+v", s)
	}
}

func TestIdentical(t *testing.T) {
	d := driven(t, t.TempDir()).begun()
	d.write(isaName, isa("x"))
	d.advance(time.Second)
	first := d.settled()

	d.write(isaName, isa("x"))
	d.advance(time.Second)
	b := d.one()
	if len(b.Settled) != 0 || len(b.Touched) != 1 || !b.Touched[0].ModTime.After(first.ModTime) {
		t.Errorf("written again alike: %+v", b)
	}

	d.tell(isaName, wrote) // not even written
	d.advance(time.Minute)
	d.none()

	if err := os.Chmod(filepath.Join(d.root, isaName), 0o600); err != nil { // moves the time of change only
		t.Fatal(err)
	}
	d.advance(time.Minute)
	d.none()
}

// Deleted and made again alike before anyone was told.
func TestRemadeAlike(t *testing.T) {
	d := driven(t, t.TempDir()).begun()
	d.write(isaName, isa("x"))
	d.advance(time.Second)
	d.settled()
	remove(t, filepath.Join(d.root, isaName))
	d.tell(isaName, gone)
	d.advance(100 * time.Millisecond)
	d.write(isaName, isa("x"))
	d.advance(time.Second)
	if b := d.one(); len(b.Settled)+len(b.Removed) != 0 || len(b.Touched) != 1 {
		t.Errorf("got %+v", b)
	}
}

func TestGenerations(t *testing.T) {
	tests := []struct {
		name    string
		writes  []string // 100 ms apart: each settles, all are one batch
		rule    Rule
		want    []string
		content string
	}{
		{"none", []string{isa("a")}, ISA("*"), nil, isa("a")},
		{"three", []string{isa("a"), isa("b"), isa("c")}, ISA("*"), []string{isa("a"), isa("b")}, isa("c")},
		{"alike", []string{isa("a"), isa("a"), isa("a")}, ISA("*"), nil, isa("a")},
		{"there and back", []string{isa("a"), isa("b"), isa("a")}, ISA("*"), []string{isa("a"), isa("b")}, isa("a")},
		{"half a file is none", []string{isa("a"), "half", "", isa("b")}, ISA("*"), []string{isa("a")}, isa("b")},
		{"not asked for", []string{isa("a"), isa("b")}, Rule{Name: "*"}, nil, isa("b")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := driven(t, t.TempDir(), func(o *Options) { o.Interest.Rules = []Rule{tt.rule} }).begun()
			for _, text := range tt.writes {
				d.write(isaName, text)
				d.advance(100 * time.Millisecond)
			}
			d.advance(time.Second)
			s := d.settled()
			var got []string
			for _, g := range s.Generations {
				got = append(got, string(g.Content))
				if g.ModTime.IsZero() || g.ModTime.After(s.ModTime) {
					t.Errorf("a generation of %v before %v", g.ModTime, s.ModTime)
				}
			}
			if !slices.Equal(got, tt.want) || d.content(s) != tt.content || dropped(s) != 0 {
				t.Errorf("generations %q, content %q, dropped %d", got, d.content(s), dropped(s))
			}
			if d.tracker.held != 0 {
				t.Errorf("%d bytes are held after the batch", d.tracker.held)
			}
		})
	}
}

// There and back to what was told: the content between is a generation, so this
// is no repetition.
func TestGenerationBetween(t *testing.T) {
	d := driven(t, t.TempDir()).begun()
	d.write(isaName, isa("a"))
	d.advance(time.Second)
	d.settled()
	d.write(isaName, isa("b"))
	d.advance(100 * time.Millisecond)
	d.write(isaName, isa("a"))
	d.advance(time.Second)
	if s := d.settled(); len(s.Generations) != 1 || string(s.Generations[0].Content) != isa("b") {
		t.Errorf("got %+v", s)
	}
}

// What is removed before it was told, and comes back as another content, was
// overwritten all the same.
func TestGenerationRemoved(t *testing.T) {
	for _, tt := range []struct {
		name  string
		first bool          // another content was told before
		apart time.Duration // from the removal to the next content
		want  string        // "" if it is not held any more
	}{
		{"at once", true, time.Millisecond, isa("b")},
		{"of a file that was never told", false, time.Millisecond, isa("b")},
		{"in the next batch", true, time.Second, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := driven(t, t.TempDir()).begun()
			if tt.first {
				d.write(isaName, isa("o"))
				d.advance(time.Second)
				d.settled()
			}
			d.write(isaName, isa("b"))
			d.advance(100 * time.Millisecond)
			if err := os.Remove(filepath.Join(d.root, isaName)); err != nil {
				t.Fatal(err)
			}
			d.tell(isaName, gone)
			d.advance(tt.apart)
			d.write(isaName, isa("c"))
			d.advance(time.Second)
			var s Settled
			for _, b := range d.batches {
				for _, settled := range b.Settled {
					s = settled
				}
			}
			if len(s.Generations) != 1 || string(s.Generations[0].Content) != tt.want || d.content(s) != isa("c") {
				t.Errorf("got %+v", s)
			}
			if d.tracker.held != 0 || len(d.tracker.lost) != 0 {
				t.Errorf("%d bytes and %d files are held", d.tracker.held, len(d.tracker.lost))
			}
		})
	}
}

// dropped counts the contents that were too large to be held.
func dropped(s Settled) (n int) {
	for _, g := range s.Generations {
		if g.Content == nil {
			n++
		}
	}
	return n
}

func TestLargeFiles(t *testing.T) {
	large := strings.Repeat("\ts_nop 0\n", wholeSize/9+1)
	d := driven(t, t.TempDir()).begun()
	d.write(isaName, large+isaEnd)
	d.advance(100 * time.Millisecond)
	d.write(isaName, "; another\n"+large+isaEnd)
	d.advance(time.Second)
	s := d.settled()
	if dropped(s) != 1 || len(s.Generations) != 1 || d.content(s) != "; another\n"+large+isaEnd {
		t.Errorf("dropped %d, %d generations, size %d", dropped(s), len(s.Generations), s.Stamp.Size)
	}
	// Its hash is taken when there may be something to compare, so the second
	// repetition is known as one.
	for i := range 2 {
		d.write(isaName, "; another\n"+large+isaEnd)
		d.advance(time.Second)
		if b := d.one(); len(b.Touched) != i {
			t.Errorf("repetition %d: %+v", i, b)
		}
	}
	// An end marker that does not stand at the end is found before a file is
	// called cut.
	d.write(isaName, isaEnd+"\n"+large)
	d.advance(time.Minute)
	if s := d.settled(); s.cut {
		t.Error("a complete file is called cut")
	}
	d.write(isaName, large)
	d.advance(time.Minute)
	if s := d.settled(); !s.cut {
		t.Error("a file without end is not called cut")
	}
}

// More contents than one batch may hold.
func TestHeldLimit(t *testing.T) {
	d := driven(t, t.TempDir()).begun()
	body := strings.Repeat("\ts_nop 0\n", wholeSize/9-10) + isaEnd
	const writes = heldSize/wholeSize + 3
	for i := range writes {
		d.write(isaName, string(rune('a'+i))+body)
		d.advance(100 * time.Millisecond)
	}
	d.advance(time.Second)
	s := d.settled()
	if got := len(s.Generations); got != writes-1 || dropped(s) == 0 || dropped(s) == got {
		t.Errorf("%d generations, %d dropped, of %d", got, dropped(s), writes-1)
	}
	if d.content(s) != string(rune('a'+writes-1))+body {
		t.Error("the last content is another one")
	}
}

func TestEndMarker(t *testing.T) {
	filler := strings.Repeat("x", tailSize)
	tests := []struct {
		name, text     string
		tail, thorough bool
	}{
		{"at the end", filler + isaEnd, true, true},
		{"first byte of the tail", filler + isaEnd + filler[len(isaEnd):], true, true},
		{"a byte before the tail", filler + isaEnd + filler[len(isaEnd)-1:], false, true},
		{"on the border of the second part", isaEnd[:3] + isaEnd[3:] + filler + filler, false, true},
		{"at the start", isaEnd + strings.Repeat(filler, 3), false, true},
		{"nowhere", strings.Repeat(filler, 3), false, false},
		{"half of it", filler + isaEnd[1:], false, false},
		{"nothing", "", false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for thorough, want := range map[bool]bool{false: tt.tail, true: tt.thorough} {
				got, err := ends(strings.NewReader(tt.text), int64(len(tt.text)), isaEnd, thorough, new([]byte))
				if got != want || err != nil {
					t.Errorf("thorough %v: %v, %v; want %v", thorough, got, err, want)
				}
			}
		})
	}
	// Wherever it stands, and however the parts fall.
	for at := range 4 * tailSize / 1000 {
		text := strings.Repeat("x", at*1000) + isaEnd + strings.Repeat("y", 4*tailSize-at*1000)
		if got, err := ends(strings.NewReader(text), int64(len(text)), isaEnd, true, new([]byte)); !got || err != nil {
			t.Fatalf("not found at %d: %v", at*1000, err)
		}
	}
}

func TestRead(t *testing.T) {
	d := driven(t, t.TempDir(), func(o *Options) { o.Interest.Rules = []Rule{ISA("*.s"), {Name: "*.json"}} }).begun()
	d.write("a.s", isa("a"))
	d.write("b.json", "{}")
	d.advance(time.Second)
	b := d.one()
	if len(b.Settled) != 2 || d.content(b.Settled[0]) != isa("a") || d.content(b.Settled[1]) != "{}" {
		t.Fatalf("got %+v", b)
	}
	// What was held is read as it settled, whatever became of the file.
	write(t, filepath.Join(d.root, "a.s"), "half")
	if d.content(b.Settled[0]) != isa("a") {
		t.Error("a content that was held changed")
	}
	write(t, filepath.Join(d.root, "b.json"), "[]")
	if _, err := b.Settled[1].read(); !errors.Is(err, errChanged) {
		t.Errorf("a file that changed: %v", err)
	}
	remove(t, filepath.Join(d.root, "b.json"))
	if _, err := b.Settled[1].read(); !errors.Is(err, errChanged) {
		t.Errorf("a file that vanished: %v", err)
	}
}

// A file changes or vanishes at any moment between its event and the batch.
func TestVanishes(t *testing.T) {
	for after := time.Duration(0); after < 200*time.Millisecond; after += 10 * time.Millisecond {
		d := driven(t, t.TempDir()).begun()
		d.write(isaName, isa("a"))
		d.advance(after)
		remove(t, filepath.Join(d.root, isaName)) // without an event
		d.advance(time.Hour)
		told := 0
		for _, b := range d.batches {
			told += len(b.Settled) - len(b.Removed)
		}
		if told != 0 {
			t.Errorf("vanished after %v: %+v", after, d.batches)
		}
	}
}

// Between two looks something is written of which there is no event.
func TestTwoEqualLooks(t *testing.T) {
	d := driven(t, t.TempDir()).begun()
	path := filepath.Join(d.root, "00_origin.mlir")
	d.write("00_origin.mlir", "a")
	var written time.Time
	for range 5 {
		d.advance(40 * time.Millisecond)
		appendTo(t, path, "b")
		written = d.now
	}
	d.none()
	d.advance(time.Second)
	b := d.one()
	if len(b.Settled) != 1 || d.content(b.Settled[0]) != "abbbbb" {
		t.Errorf("got %+v", b)
	}
	if took := b.at.Sub(written); took > budget {
		t.Errorf("the batch came %v after the last write", took)
	}
}

// What was there before the watcher is not read whole at the start, unless it was
// written just then: only of that one a repetition is known as one.
func TestRepetitionOfWhatWasThere(t *testing.T) {
	for name, age := range map[string]time.Duration{"old": time.Hour, "fresh": 0} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			path := filepath.Join(root, isaName)
			write(t, path, isa("x"))
			at := time.Now().Add(-age)
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
			d := driven(t, root)
			d.advance(time.Second)
			d.settled()
			for i := range 2 {
				d.write(isaName, isa("x"))
				d.advance(time.Second)
				if b := d.one(); len(b.Touched) != 1 && (age == 0 || i > 0) {
					t.Errorf("repetition %d: %+v", i, b)
				}
			}
		})
	}
}

// A content that was cut is no generation, even where it was not told.
func TestCutIsNoGeneration(t *testing.T) {
	d := driven(t, t.TempDir()).begun()
	d.write(isaName, "half")
	end := d.now.Add(d.tracker.Hold + 50*time.Millisecond)
	for i := 0; d.now.Before(end); i++ {
		d.advance(min(100*time.Millisecond, end.Sub(d.now)))
		d.write("k.mlir", "") // does not matter
		d.write("00_origin.mlir", strings.Repeat("x", i+1))
	}
	d.write(isaName, isa("x"))
	d.batches = nil
	d.advance(3 * time.Second)
	for _, b := range d.batches {
		for _, s := range b.Settled {
			if filepath.Base(s.Path) == isaName && (s.cut || len(s.Generations) != 0) {
				t.Errorf("got %+v", s)
			}
		}
	}
}

// What settled and was not told yet is told, also if the file is looked at again
// just while it cannot be reached.
func TestUnreachableBeforeTold(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "k"), 0o777); err != nil {
		t.Fatal(err)
	}
	d := driven(t, root).begun()
	d.write("k/"+isaName, isa("x"))
	d.advance(100 * time.Millisecond)
	d.none()
	d.tell("k/"+isaName, wrote)
	dir, aside := filepath.Join(root, "k"), filepath.Join(root, "aside")
	if err := os.Rename(dir, aside); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("k", dir); err != nil {
		t.Skip(err)
	}
	d.advance(100 * time.Millisecond)
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(aside, dir); err != nil {
		t.Fatal(err)
	}
	d.advance(time.Hour)
	for _, b := range d.batches {
		for _, s := range b.Settled {
			if d.content(s) == isa("x") {
				return
			}
		}
	}
	t.Errorf("it is never told: %+v", d.batches)
}

// A file that goes and comes back before that is told, as it was, is told of: a
// consumer that looked meanwhile has missed it.
func TestBackAsItWas(t *testing.T) {
	d := driven(t, t.TempDir()).begun()
	for _, old := range []time.Duration{0, time.Hour} {
		d.write(isaName, isa("x"))
		path, aside := filepath.Join(d.root, isaName), filepath.Join(d.root, "aside")
		at := d.now.Add(-old)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		d.advance(time.Minute)
		d.one()
		if err := os.Rename(path, aside); err != nil {
			t.Fatal(err)
		}
		d.tell(isaName, gone)
		d.advance(time.Millisecond)
		if err := os.Rename(aside, path); err != nil {
			t.Fatal(err)
		}
		d.tell(isaName, made)
		d.advance(time.Minute)
		if b := d.one(); len(b.Removed) != 0 || len(b.Settled) != 0 || len(b.Touched) != 1 {
			t.Errorf("%v old: %+v", old, b)
		}
	}
}
