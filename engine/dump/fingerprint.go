package dump

import (
	"hash/maphash"
	"path/filepath"

	"isadiff/engine/regular"
)

// A fingerprint stands for the files that the folder of one compile was made from.
// Folders of the same directory and the same fingerprint are the same. It is a hash of
// 64 bits with a seed of this process; 0 is no fingerprint.
type fingerprint uint64

// seed is that of this process's hashes.
var seed = maphash.MakeSeed()

// NewText returns the hash that makes of a file's text what [resource.Record.Text] is.
func NewText() *maphash.Hash {
	h := new(maphash.Hash)
	h.SetSeed(seed)
	return h
}

// simple reports whether a folder, of which only the list of files was read yet,
// is made from one stage file and a first file alone.
func (f *Folder) simple() bool {
	return len(f.Stages) == 1 && len(f.Files) == 0 && len(f.Problems) == 0 && len(f.Warnings) == 0
}

// fingerprintOf returns the fingerprint of a simple folder whose two files have these
// stamps; that of the module is zero if there is none. There is none of files that
// may be written again under the stamp that they have: such as were written a moment
// ago, and all where the system has no change times.
func fingerprintOf(f *Folder, assembly, module regular.Stamp, opt Options) fingerprint {
	for _, s := range []regular.Stamp{assembly, module} {
		if s != (regular.Stamp{}) && !s.Final() {
			return 0
		}
	}
	return fingerprint(maphash.Comparable(seed, struct {
		stage, first     string
		assembly, module regular.Stamp
		untimed          bool
	}{f.Stages[0].Name, f.First, assembly, module, opt.IgnoreTimes}))
}

// known returns what the directory held when it was read last, if that was made
// from the very same files. It reads none of them.
func (r *reader) known(full string, f *Folder, made *Manifest, opt Options) *Folder {
	if opt.Known == nil || !f.simple() {
		return nil
	}
	known := opt.Known(f.Dir)
	if known == nil || known.fingerprint == 0 || !known.current(made, opt) {
		return nil
	}
	assembly, err := regular.Stat(filepath.Join(full, f.Stages[0].Name))
	if err != nil {
		return nil
	}
	var module regular.Stamp
	if !f.Origin.IsZero() {
		if module, err = regular.Stat(filepath.Join(full, f.First)); err != nil {
			return nil
		}
	}
	if fingerprintOf(f, assembly, module, opt) != known.fingerprint {
		return nil
	}
	return known
}
