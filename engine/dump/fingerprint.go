package dump

import (
	"context"
	"hash/maphash"
	"path/filepath"
)

// A fingerprint stands for all that the folder of one compile was made from. Folders of
// the same directory and the same fingerprint are the same. It is a hash of 64 bits with
// a seed of this process; 0 is no fingerprint.
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

// fingerprintOf returns the fingerprint of a simple folder whose two files have texts of these
// hashes; that of the module is 0 if there is none.
func fingerprintOf(f *Folder, s stamp, assembly, module uint64, opt Options) fingerprint {
	return fingerprint(maphash.Comparable(seed, struct {
		stage, first     string
		compiled, begun  int64 // in ns since 1970
		size             int64
		timed, untimed   bool
		assembly, module uint64 // hashes of the texts
	}{
		f.Stages[0].Name, f.First, s.modTime.UnixNano(), f.Origin.UnixNano(), s.size,
		!f.Origin.IsZero(), opt.IgnoreTimes, assembly, module,
	}))
}

// known returns what the directory held when it was read last, if that was made
// from the very same files.
func (r *reader) known(ctx context.Context, full string, f *Folder, made *Manifest, opt Options) *Folder {
	if opt.Known == nil || !f.simple() {
		return nil
	}
	known := opt.Known(f.Dir)
	if known == nil || known.fingerprint == 0 || !known.current(made, opt) {
		return nil
	}
	assembly, stamp, err := r.file(ctx, filepath.Join(full, f.Stages[0].Name), opt)
	if err != nil {
		return nil
	}
	text, module := maphash.Bytes(seed, assembly), uint64(0)
	r.release()
	if !f.Origin.IsZero() {
		origin, err := r.originText(ctx, filepath.Join(full, f.First), opt)
		if err != nil {
			return nil
		}
		module = maphash.Bytes(seed, origin)
		r.release()
	}
	if fingerprintOf(f, stamp, text, module, opt) != known.fingerprint {
		return nil
	}
	return known
}
