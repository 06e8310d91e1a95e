package dump

import (
	"context"
	"hash/maphash"
	"path/filepath"
)

// A print stands for all that the folder of one compile was made from. Folders of
// the same directory and the same print are the same.
type print struct {
	stage, first       string // names of the two files
	compiled, begun    int64  // when they were written, in ns since 1970
	size               int64
	assembly, module   uint64 // hashes of their texts
	timed, withoutTime bool
}

// seed is that of this process's hashes.
var seed = maphash.MakeSeed()

// simple reports whether a folder, of which only the list of files was read yet,
// is made from one stage file and a first file alone.
func (f *Folder) simple() bool {
	return len(f.Stages) == 1 && len(f.Files) == 0 && len(f.Problems) == 0 && len(f.Warnings) == 0
}

// printOf returns the print of a simple folder, without its module.
func printOf(f *Folder, s stamp, assembly []byte, opt Options) print {
	p := print{
		stage: f.Stages[0].Name, compiled: s.modTime.UnixNano(), size: s.size,
		assembly: maphash.Bytes(seed, assembly), withoutTime: opt.IgnoreTimes,
	}
	if !f.Origin.IsZero() {
		p.first, p.begun, p.timed = f.First, f.Origin.UnixNano(), true
	}
	return p
}

// known returns what the directory held when it was read last, if that was made
// from the very same files.
func (r *reader) known(ctx context.Context, full string, f *Folder, opt Options) *Folder {
	if opt.Known == nil || !f.simple() {
		return nil
	}
	known := opt.Known(f.Dir)
	if known == nil || known.print == (print{}) {
		return nil
	}
	assembly, stamp, err := r.file(ctx, filepath.Join(full, f.Stages[0].Name), opt)
	if err != nil {
		return nil
	}
	now := printOf(f, stamp, assembly, opt)
	r.release()
	if now.timed {
		module, err := r.originText(ctx, filepath.Join(full, f.First), opt)
		if err != nil {
			return nil
		}
		now.module = maphash.Bytes(seed, module)
		r.release()
	}
	if now != known.print {
		return nil
	}
	return known
}
