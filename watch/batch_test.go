package watch

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"isadiff/engine/dump"
)

// Many files written one after the other are one batch, up to a limit.
func TestBatches(t *testing.T) {
	tests := []struct {
		name    string
		files   int
		every   time.Duration
		batches int
	}{
		{"at once", 50, 0, 1},
		{"close together", 10, 100 * time.Millisecond, 1},
		{"further apart than the quiet time", 3, 300 * time.Millisecond, 3},
		{"for five seconds without a pause", 50, 100 * time.Millisecond, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := driven(t, t.TempDir()).begun()
			for i := range tt.files {
				d.write(fmt.Sprintf("%03d_final_isa.s", i), isa(fmt.Sprint(i)))
				d.advance(tt.every)
			}
			d.advance(time.Second)
			if len(d.batches) != tt.batches {
				t.Errorf("%d batches, want %d", len(d.batches), tt.batches)
			}
			files, last := 0, d.batches[0].at
			for _, b := range d.batches {
				files += len(b.Settled)
				if b.at.Sub(last) > d.tracker.MaxDelay+d.tracker.pace.settle+tt.every {
					t.Errorf("a batch came only after %v", b.at.Sub(last))
				}
				last = b.at
			}
			if files != tt.files {
				t.Errorf("%d files told of %d", files, tt.files)
			}
		})
	}
}

// The mark of a run is told of as soon as it has settled, however much is written
// meanwhile, and by polling with the look that finds it. That it has gone comes with
// what was written before.
func TestUrgent(t *testing.T) {
	for _, poll := range []bool{false, true} {
		for _, mark := range []string{dump.RunningName, dump.IncompleteName} {
			d := driven(t, t.TempDir(), func(o *Options) { o.Poll = poll }).begun()
			settle, look := d.tracker.pace.settle, time.Duration(0)
			if poll {
				look = d.tracker.pace.pollMax
			}
			begun := d.now
			d.write(mark, "")
			for i := range 50 { // without a pause
				d.write(fmt.Sprintf("%03d_final_isa.s", i), isa(fmt.Sprint(i)))
				d.advance(settle)
			}
			d.advance(look)
			first := d.batches[0]
			if took := first.at.Sub(begun); took > look+settle || !slices.ContainsFunc(first.Settled, func(s Settled) bool { return filepath.Base(s.Path) == mark }) {
				t.Errorf("%s, polling %v: after %v, with %d files", mark, poll, took, len(first.Settled))
			}
			d.advance(time.Minute)
			d.batches = nil
			d.write("last_final_isa.s", isa("x"))
			remove(t, filepath.Join(d.root, mark))
			d.tell(mark, gone)
			d.advance(time.Minute)
			if b := d.one(); len(b.Settled) != 1 || len(b.Removed) != 1 {
				t.Errorf("%s, polling %v: at the end of a run %+v", mark, poll, b)
			}
		}
	}
}

// The marks are spelled here as package dump spells them, which knows nothing of files
// that change.
func TestMarks(t *testing.T) {
	marks := Dumps(nil)
	for name, urgent := range map[string]bool{dump.RunningName: true, dump.IncompleteName: true, dump.ManifestName: false} {
		if r := marks.match(name); r == nil || r.Name != name || r.Urgent != urgent {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// A file that is held because it is incomplete does not hold the others.
func TestHeldFileDoesNotDelay(t *testing.T) {
	d := driven(t, t.TempDir()).begun()
	d.write("00_final_isa.s", "half")
	d.advance(time.Second)
	d.write(isaName, isa("x"))
	d.advance(budget)
	if s := d.settled(); filepath.Base(s.Path) != isaName {
		t.Errorf("got %+v", s)
	}
}

// A file that is written when its batch is due comes with the next.
func TestWithheldWhileWritten(t *testing.T) {
	d := driven(t, t.TempDir()).begun()
	d.write("00_final_isa.s", isa("a"))
	d.write(isaName, isa("a"))
	d.advance(140 * time.Millisecond)
	d.write(isaName, "half")
	d.advance(time.Second)
	if s := d.settled(); filepath.Base(s.Path) != "00_final_isa.s" {
		t.Errorf("got %+v", s)
	}
	d.write(isaName, isa("b"))
	d.advance(time.Second)
	if s := d.settled(); len(s.Generations) != 1 || string(s.Generations[0].Content) != isa("a") {
		t.Errorf("got %+v", s)
	}
}

// Nothing is done when nothing happens, but for one look at the root every two
// seconds and the net.
func TestIdle(t *testing.T) {
	root := t.TempDir()
	for i := range 300 {
		write(t, filepath.Join(mkdir(t, filepath.Join(root, fmt.Sprint(i))), isaName), isa("x"))
	}
	d := driven(t, root)
	d.advance(10 * time.Second)
	d.batches, d.steps = nil, 0
	d.advance(time.Hour)
	d.none()
	const looks, nets = 3600 / 2, 3600 / 30
	if most := looks + nets*(1+300/chunk+1) + 1; d.steps > most {
		t.Errorf("%d steps in an hour, at most %d expected", d.steps, most)
	}
}
