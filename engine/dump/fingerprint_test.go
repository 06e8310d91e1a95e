//go:build unix

package dump

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"isadiff/engine/regular"
)

const made = "../../testdata/dumps/base/gfx950/rowwise_softmax/softmax_rows_0/00_origin.mlir"

// TestKnown: a folder is the one that is known if its files are the same, and what
// a reader says that knows nothing if any of them is not.
func TestKnown(t *testing.T) {
	const assembly, module = "k/22_final_isa.s", "k/00_origin.mlir"
	isa, origin := content(t, softmax), content(t, made)
	opt := Options{Digest: true}
	tests := []struct {
		name   string
		change func(tree)
		opt    Options
		same   bool
	}{
		{"nothing", func(tree) {}, opt, true},
		{"written again", func(tr tree) { tr.put(assembly, isa, 10); tr.put(module, origin, 0) }, opt, false},
		{"another directory", func(tr tree) { tr.put("other/22_final_isa.s", isa, 0) }, opt, true},
		{"a file that is none of ours", func(tr tree) { tr.put("k/21_llvm_ir.ll", isa, 0) }, opt, true},
		{"moved away and linked", func(tr tree) { tr.link(assembly, "away.s") }, opt, false},
		{"figures", func(tr tree) {
			tr.put(assembly, bytes.Replace(isa, []byte("vgpr_count:"), []byte("VGPR_count:"), 1), 10)
		}, opt, false},
		{"an instruction", func(tr tree) { tr.put(assembly, bytes.Replace(isa, []byte("s_endpgm"), []byte("s_endpgn"), 1), 10) }, opt, false},
		{"cut short", func(tr tree) { tr.put(assembly, isa[:len(isa)/2], 10) }, opt, false},
		{"another assembly behind a link", func(tr tree) {
			tr.link(assembly, "away.s")
			tr.put("away.s", content(t, transpose), 10)
		}, opt, false},
		{"compiled later", func(tr tree) { tr.put(assembly, isa, 11) }, opt, false},
		{"compiled before its module", func(tr tree) { tr.put(assembly, isa, -10) }, opt, false},
		{"another module", func(tr tree) { tr.put(module, bytes.Replace(origin, []byte("f32"), []byte("f64"), 1), 0) }, opt, false},
		{"another line", func(tr tree) {
			tr.put(module, bytes.ReplaceAll(origin, []byte(".py\":"), []byte(".py\":1")), 0)
		}, opt, false},
		{"a failed compile", func(tr tree) { tr.put(module, origin, 20) }, opt, false},
		{"a module a moment newer", func(tr tree) { tr.put(module, origin, 11) }, opt, false},
		{"no module", func(tr tree) { tr.remove(module) }, opt, false},
		{"a directory for a module", func(tr tree) { tr.remove(module); tr.put(module+"/x", nil, 0) }, opt, false},
		{"a lower stage", func(tr tree) { tr.put("k/21_final_isa.s", isa, 0) }, opt, false},
		{"a lower stage that is newer", func(tr tree) { tr.put("k/21_final_isa.s", isa, 20) }, opt, false},
		{"a higher stage", func(tr tree) { tr.put("k/23_final_isa.s", isa, 20) }, opt, false},
		{"another stage alone", func(tr tree) { tr.remove(assembly); tr.put("k/23_final_isa.s", isa, 10) }, opt, false},
		{"a mark", func(tr tree) { tr.put("k/"+IncompleteName, []byte("it runs"), 0) }, opt, false},
		{"a link to a directory", func(tr tree) { symlink(t, "..", filepath.Join(tr.root, "k", "up")) }, opt, false},
		{"a link to nowhere", func(tr tree) { tr.remove(assembly); symlink(t, "no", filepath.Join(tr.root, assembly)) }, opt, false},
		{"no assembly", func(tr tree) { tr.remove(assembly) }, opt, false},
		{"nothing any more", func(tr tree) { tr.remove("k") }, opt, false},
		{"times that mean nothing", func(tree) {}, Options{Digest: true, IgnoreTimes: true}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := newTree(t)
			tr.put(assembly, isa, 10)
			tr.put(module, origin, 0)
			before := tr.folder("k", opt)
			for before.fingerprint == 0 && t.Context().Err() == nil { // its files may be written under the same stamp
				before = tr.folder("k", opt)
			}
			if before.Module == nil {
				t.Fatalf("%+v", before)
			}
			tt.change(tr)
			known := tt.opt
			known.Known = func(dir string) *Folder {
				if dir == "k" {
					return before
				}
				return nil
			}
			after, afresh := tr.folder("k", known), tr.folder("k", tt.opt)
			if same := after == before; same != tt.same {
				t.Errorf("the same folder: %v", same)
			}
			if after != nil && after != before { // it may have come to rest since
				after.fingerprint = afresh.fingerprint
			}
			if !reflect.DeepEqual(after, afresh) {
				t.Errorf("%+v, afresh %+v", after, afresh)
			}
			if !tt.same && reflect.DeepEqual(after, before) {
				t.Error("the change changes nothing")
			}
		})
	}
}

// TestHeld: what a file held under a stamp is taken instead of reading it, while it has
// that stamp.
func TestHeld(t *testing.T) {
	tr := newTree(t)
	path := filepath.Join(tr.root, "k", "22_final_isa.s")
	tr.put("k/22_final_isa.s", content(t, softmax), 0)
	stamp, err := regular.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{Held: func(at string) ([]byte, regular.Stamp) {
		if at != path {
			t.Errorf("asked for %s", at)
		}
		return content(t, transpose), stamp
	}}
	held := tr.folder("k", opt)
	if len(held.Records) != 1 || held.Records[0].Name != "transpose_static_0" || !held.Stages[0].ModTime.Equal(stamp.ModTime) {
		t.Errorf("%+v", held)
	}
	tr.put("k/22_final_isa.s", content(t, softmax), 1)
	if f := tr.folder("k", opt); len(f.Records) != 1 || f.Records[0].Name != "softmax_rows_0" {
		t.Errorf("another one by now: %+v", f)
	}
}

// TestUnknown: what is made from more than two files, or not from all that there
// is, is read again.
func TestUnknown(t *testing.T) {
	isa, origin := content(t, softmax), content(t, made)
	for name, put := range map[string]func(tree){
		"two stages":      func(tr tree) { tr.put("k/21_final_isa.s", isa, 0); tr.put("k/22_final_isa.s", isa, 0) },
		"a mark":          func(tr tree) { tr.put("k/22_final_isa.s", isa, 0); tr.put("k/"+IncompleteName, nil, 0) },
		"an odd module":   func(tr tree) { tr.put("k/22_final_isa.s", isa, 0); tr.put("k/00_origin.mlir/x", origin, 0) },
		"another's dumps": func(tr tree) { tr.put("k/22_final_isa.s", isa, 0); tr.put("k/a.amdgcn", isa, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTree(t)
			put(tr)
			before := tr.folder("k", Options{Digest: true})
			after := tr.folder("k", Options{Digest: true, Known: func(string) *Folder { return before }})
			if before == nil || after == before || !reflect.DeepEqual(after, before) {
				t.Errorf("%p %+v, then %p %+v", before, before, after, after)
			}
		})
	}
}

func (tr tree) folder(dir string, opt Options) *Folder {
	tr.t.Helper()
	folders, p := ReadFolders(context.Background(), tr.root, opt)
	if p != nil {
		tr.t.Fatal(p)
	}
	for _, f := range folders {
		if f.Dir == dir {
			return f
		}
	}
	return nil
}

func (tr tree) remove(name string) {
	tr.t.Helper()
	if err := os.RemoveAll(filepath.Join(tr.root, name)); err != nil {
		tr.t.Fatal(err)
	}
}

// link puts a link in the place of a file that moves elsewhere.
func (tr tree) link(name, to string) {
	tr.t.Helper()
	if err := os.Rename(filepath.Join(tr.root, name), filepath.Join(tr.root, to)); err != nil {
		tr.t.Fatal(err)
	}
	symlink(tr.t, strings.Repeat("../", strings.Count(name, "/"))+to, filepath.Join(tr.root, name))
}

// A stamp of whole seconds tells a file from what is written into it for two seconds
// more, and any other stamp for a moment.
func TestStampsOfWholeSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // a clock that stands still, at a whole second
		f := &Folder{Stages: []Stage{{Name: "22_final_isa.s"}}}
		for _, tt := range []struct {
			age   time.Duration
			known bool
		}{
			{0, false},
			{time.Second, false},
			{2 * time.Second, true},
			{-time.Second, false}, // the clock of another machine
			{time.Second + time.Millisecond, true},
			{settleTime - 1, false},
			{settleTime, true},
		} {
			stamp := regular.Stamp{ID: regular.ID{Inode: 1}, Changed: time.Now().Add(-tt.age)}
			if known := fingerprintOf(f, stamp, regular.Stamp{}, Options{}) != 0; known != tt.known {
				t.Errorf("changed %v ago: known %v", tt.age, known)
			}
			if known := fingerprintOf(f, regular.Stamp{ID: regular.ID{Inode: 1}, Changed: time.Now().Add(-time.Hour)}, stamp, Options{}) != 0; known != tt.known {
				t.Errorf("a module that changed %v ago: known %v", tt.age, known)
			}
		}
	})
}
