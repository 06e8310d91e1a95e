package live

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"isadiff/engine/dump"
	"isadiff/engine/problem"
	"isadiff/engine/project"
)

// TestStep walks every event in every phase.
func TestStep(t *testing.T) {
	const origin, assembly = "00_origin.mlir", "22_final_isa.s"
	cfg := Config{Project: &project.Config{}}.withDefaults()
	now := noon.Add(time.Hour)
	quiet := now.Add(-time.Minute)
	// dumped is a directory whose assembly and first file were written at some times.
	dumped := func(assembled, begun time.Time) *dump.Folder {
		return &dump.Folder{Dir: "k", Stages: []dump.Stage{{Name: assembly, ModTime: assembled}}, Origin: begun}
	}
	good := dumped(noon, noon)
	damaged := dumped(now, noon)
	damaged.Problems = []problem.Problem{problem.New(problem.MetadataCut, "cut")}
	waits := dumped(noon, time.Time{})
	waits.Files = []dump.File{{Stage: dump.Stage{Name: "k.amdgcn", ModTime: now}, Missing: "k.json"}}
	told := times{assembly: now}

	phases := []phase{absent, beginning, compiling, standing, failed}
	names := []string{"absent", "beginning", "compiling", "standing", "failed"}
	actions := []string{"nothing", "read", "read all", "wait", "show", "forget"}
	for _, tt := range []struct {
		name     string
		expected bool // the first file was seen being written
		event    event
		want     string // phase and action, by phase before; * where assembly is expected
	}{
		{"assembly settled", false, event{settled: told},
			"absent read, beginning read, compiling read, standing read, failed read"},
		{"a first file settled", false, event{settled: times{origin: now}},
			"absent read*, beginning read*, compiling read*, standing read*, failed read*"},
		{"a file is gone", false, event{},
			"absent read, beginning read, compiling read, standing read, failed read"},
		{"time passed, written into", false, event{happening: timePassed, written: now.Add(-time.Second)},
			"absent nothing, beginning wait, compiling wait, standing nothing, failed nothing"},
		{"time passed, quiet", false, event{happening: timePassed, written: quiet},
			"absent nothing, beginning read all, compiling read all, standing nothing, failed nothing"},
		{"read: nothing", false, event{happening: wasRead},
			"absent forget, absent forget, absent forget, absent forget, absent forget"},
		{"read: a first file", false, event{happening: wasRead, origin: true, written: now},
			"beginning show, beginning show, beginning show, beginning show, beginning show"},
		{"read: an old first file", false, event{happening: wasRead, origin: true, written: quiet},
			"absent forget, absent forget, absent forget, absent forget, absent forget"},
		{"read: what was there", false, event{happening: wasRead, folder: good},
			"beginning show, beginning show, standing show, standing show, standing show"},
		{"read: what settled", false, event{happening: wasRead, settled: told, folder: dumped(now, now)},
			"standing show, standing show, standing show, standing show, standing show"},
		{"read: what did not settle", false, event{happening: wasRead, folder: dumped(now, now)},
			"beginning show, beginning show, compiling show, compiling show, compiling show"},
		{"read at rest: what did not settle", false, event{happening: wasRead, folder: dumped(now, now), rest: true},
			"standing show, standing show, standing show, standing show, standing show"},
		{"read: a newer first file", false, event{happening: wasRead, folder: dumped(noon, now), written: now},
			"beginning show, beginning show, compiling show, compiling show, compiling show"},
		{"read: a newer first file, quiet", false, event{happening: wasRead, folder: dumped(noon, now), written: quiet},
			"beginning show, beginning show, standing show, standing show, standing show"},
		{"read: a newer first file that was seen, quiet", true, event{happening: wasRead, folder: dumped(noon, now), written: quiet},
			"beginning show*, beginning show*, failed show*, standing show*, failed show*"},
		{"read: one a moment newer", false, event{happening: wasRead, folder: dumped(noon, noon.Add(time.Second)), written: now},
			"beginning show, beginning show, standing show, standing show, standing show"},
		{"read: one a moment newer that was seen", true, event{happening: wasRead, folder: dumped(noon, noon.Add(time.Second)), written: now},
			"beginning show*, beginning show*, compiling show*, compiling show*, compiling show*"},
		{"read: one a moment newer that was seen, quiet", true, event{happening: wasRead, folder: dumped(noon, noon.Add(time.Second)), written: quiet},
			"beginning show*, beginning show*, failed show*, standing show*, failed show*"},
		{"read at rest: a file is missing", false, event{happening: wasRead, folder: waits, rest: true, written: now},
			"compiling show, compiling show, compiling show, compiling show, compiling show"},
		{"read at rest: a file is missing, quiet", false, event{happening: wasRead, folder: waits, rest: true, written: quiet},
			"standing show, standing show, standing show, standing show, standing show"},
		{"read first: damaged", false, event{happening: wasRead, folder: damaged, rest: true, whole: true},
			"compiling show, compiling show, compiling show, compiling show, compiling show"},
		{"read first: damaged and settled", false, event{happening: wasRead, folder: damaged, rest: true, whole: true, settled: told},
			"standing show, standing show, standing show, standing show, standing show"},
	} {
		var got []string
		for _, before := range phases {
			d := directory{Folder: &dump.Folder{Dir: "k"}, phase: before, read: good, expected: tt.expected}
			if tt.event.happening == wasRead && !tt.event.whole {
				d.told = tt.event.settled // before
			}
			was := d
			next, do := step(&cfg, d, tt.event, now)
			line := names[next.phase] + " " + actions[do.doing]
			if next.expected {
				line += "*"
			}
			got = append(got, line)
			if !reflect.DeepEqual(d, was) {
				t.Errorf("%s: step changed what it was given", tt.name)
			}
			if until := do.until; (do.doing == doWait) != until.After(now) {
				t.Errorf("%s, %s: until %v", tt.name, names[before], until)
			}
			if do.doing == doShow && next.shown() && next.read != tt.event.folder && (next.read != good || next.phase != compiling) {
				t.Errorf("%s, %s: the figures are of something else", tt.name, names[before])
			}
		}
		if line := strings.Join(got, ", "); line != tt.want {
			t.Errorf("%s:\n%s\nwant\n%s", tt.name, line, tt.want)
		}
	}
}
