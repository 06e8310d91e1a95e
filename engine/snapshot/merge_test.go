package snapshot

import (
	"strings"
	"testing"
	"time"

	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

func TestMerge(t *testing.T) {
	record := func(key string, vgpr int64, digest string) *resource.Record {
		r := &resource.Record{Key: key, Name: key, Digest: digest}
		r.Target.Processor = "gfx942"
		for m := range r.Cells {
			r.Cells[m] = resource.Value(vgpr)
		}
		return r
	}
	shard := func(name, revision string, records ...*resource.Record) Shard {
		return Shard{&resource.Side{Origin: name, Records: records}, Meta{Revision: revision, Written: time.Unix(int64(len(name)), 0)}}
	}
	other := record("a", 1, "x")
	other.Target.Processor = "gfx950"
	by := func(compilers ...string) *resource.Record {
		r := record("a", 1, "x")
		r.Compilers = compilers
		return r
	}
	tests := []struct {
		name   string
		shards []Shard
		keys   string
		says   string // of the only problem
	}{
		{"apart", []Shard{shard("one", "r", record("b", 1, "x")), shard("three", "", record("a", 2, "y"))}, "a b", ""},
		{"the same kernel", []Shard{shard("1", "", record("a", 1, "x")), shard("2", "", record("a", 1, "x"), record("b", 1, ""))}, "a b", ""},
		{"without instructions", []Shard{shard("1", "", record("a", 1, "")), shard("2", "", record("a", 1, "x"))}, "a", ""},
		{"figures", []Shard{shard("1", "", record("a", 1, "x")), shard("2", "", record("a", 2, "x"))}, "a", "a: the figures (vgpr 1 and 2) of 1 and 2 differ"},
		{"instructions", []Shard{shard("1", "", record("a", 1, "x")), shard("2", "", record("a", 1, "y"))}, "a", "a: the instructions of 1 and 2 differ"},
		{"targets", []Shard{shard("1", "", record("a", 1, "x")), shard("2", "", other)}, "a", "a: the targets of 1 and 2 differ"},
		{"compilers", []Shard{shard("1", "", by("FlyDSL 0.4.2")), shard("2", "", by("FlyDSL 0.5.0"))}, "a", "a: the compilers (FlyDSL 0.4.2 and FlyDSL 0.5.0) of 1 and 2 differ"},
		{"a compiler that is not known", []Shard{shard("1", "", by("FlyDSL 0.4.2")), shard("2", "", by())}, "a", ""},
		{"revisions", []Shard{shard("1", "v1", record("a", 1, "x")), shard("2", "v2", record("b", 1, "x"))}, "a b", "2 is of revision v2, but 1 is of v1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := Merge(tt.shards)
			var keys []string
			for _, r := range m.Side.Records {
				keys = append(keys, r.Key)
			}
			if got := strings.Join(keys, " "); got != tt.keys {
				t.Errorf("keys %q, want %q", got, tt.keys)
			}
			switch {
			case tt.says == "" && len(m.Side.Problems) > 0:
				t.Errorf("problems %v", m.Side.Problems)
			case tt.says != "" && (len(m.Side.Problems) != 1 || m.Side.Problems[0].Code != problem.MergeConflict || m.Side.Problems[0].Message != tt.says):
				t.Errorf("problems %v, want %q", m.Side.Problems, tt.says)
			}
		})
	}
	m := Merge(tests[0].shards)
	if m.Meta.Revision != "r" || m.Meta.Written != time.Unix(5, 0) {
		t.Errorf("meta %+v", m.Meta)
	}
}
