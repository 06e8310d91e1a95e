package kept

import (
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"

	"isadiff/engine/dump"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// An Origin is where the text of a record is: a dump tree, or the archive of another
// snapshot.
type Origin struct {
	root    string // of the tree
	archive *Archive
}

// A From tells where the text of a record is; nil if it is nowhere.
type From func(*resource.Record) *Origin

// Tree is the origin of records that were read from the dump tree at root.
func Tree(root string) *Origin { return &Origin{root: root} }

// All makes one origin that of all records. That of none, nil, is no From.
func All(o *Origin) From {
	if o == nil {
		return nil
	}
	return func(*resource.Record) *Origin { return o }
}

// Of returns the origin of the records of a side: its tree, or the archive that is kept
// beside it; nil if there is none. The error, a problem, is why one that is there cannot be
// used.
func Of(side *resource.Side) (*Origin, error) {
	if !side.Snapshot {
		if !slices.ContainsFunc(side.Records, func(r *resource.Record) bool { return !r.Object }) {
			return nil, nil
		}
		return Tree(side.Origin), nil
	}
	if _, err := os.Lstat(Path(side.Origin)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	a, err := Open(side)
	if err != nil {
		return nil, err
	}
	return &Origin{archive: a}, nil
}

// Close ends the use of an archive.
func (o *Origin) Close() {
	if o != nil && o.archive != nil {
		o.archive.Close()
	}
}

// Write writes the archive of the snapshot whose text has the given SHA-256. It holds
// little of the text in memory. It returns the keys of the records whose text is not in
// it, in the order of records: it cannot be read any more, or is no longer the one that
// the figures were read from. Archives that text came from are closed, as an open file
// cannot be replaced everywhere.
func Write(w io.Writer, sum [32]byte, records []*resource.Record, from From) (lacking []string, err error) {
	p := packer{w: w, files: map[place]int{}, frames: map[part]int{}, buffer: make([]byte, 64<<10)}
	p.index = index{Snapshot: hex.EncodeToString(sum[:]), Kernels: make(map[string]int, len(records))}
	if p.encoder, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window)); err != nil {
		return nil, err
	}
	if err := p.write(begin()); err != nil {
		return nil, err
	}
	// What is packed already comes first: frames are not written into one another.
	for _, packed := range []bool{true, false} {
		for _, r := range records {
			o := from(r)
			if o == nil || r.Object || (o.archive != nil) != packed {
				continue
			}
			n, err := p.file(o, r)
			if err != nil {
				return nil, err
			}
			if n >= 0 {
				p.index.Kernels[r.Key] = n
			}
		}
	}
	for at := range p.files {
		at.origin.Close()
	}
	if err := p.endFrame(); err != nil {
		return nil, err
	}
	last, err := p.index.end(p.encoder)
	if err != nil {
		return nil, err
	}
	if err := p.write(last); err != nil {
		return nil, err
	}
	for _, r := range records {
		if _, ok := p.index.Kernels[r.Key]; !ok && !r.Object {
			lacking = append(lacking, r.Key)
		}
	}
	return lacking, nil
}

// A packer writes an archive.
type packer struct {
	w       io.Writer
	n       int64 // bytes written
	encoder *zstd.Encoder
	begun   bool  // a frame is open
	start   int64 // where it begins
	text    int64 // bytes of text in it
	index   index
	files   map[place]int // -1: it has none
	frames  map[part]int  // those of other archives
	buffer  []byte
}

// A place is where one text is.
type place struct {
	origin *Origin
	source string // of a tree
	file   int    // of an archive
}

// A part is a frame of another archive.
type part struct {
	archive *Archive
	frame   int
}

func (p *packer) write(data []byte) error {
	_, err := p.Write(data)
	return err
}

// Write is for the encoder.
func (p *packer) Write(data []byte) (int, error) {
	n, err := p.w.Write(data)
	p.n += int64(n)
	return n, err
}

// file puts the text of a record into the archive, once for all records of the same
// file, and returns its number; -1 if there is none.
func (p *packer) file(o *Origin, r *resource.Record) (int, error) {
	at := place{origin: o, source: r.Source}
	if o.archive != nil {
		n, ok := o.archive.find(r)
		if !ok {
			return -1, nil
		}
		at = place{origin: o, file: n}
	}
	if n, ok := p.files[at]; ok {
		return n, nil
	}
	n, err := -1, error(nil)
	if o.archive != nil {
		n, err = p.copyFrame(o.archive, at.file)
	} else {
		n, err = p.pack(o.root, r)
	}
	p.files[at] = n
	return n, err
}

// copyFrame takes over the frame of a file as it is, with what else is in it.
func (p *packer) copyFrame(a *Archive, n int) (int, error) {
	f := a.index.Files[n]
	frame, ok := p.frames[part{a, f.Frame}]
	if !ok {
		from := a.index.Frames[f.Frame]
		start := p.n
		if _, err := io.CopyBuffer(p, io.NewSectionReader(a.data, from.At, from.Size), p.buffer); err != nil {
			return -1, err
		}
		frame = p.frame(start)
		p.frames[part{a, f.Frame}] = frame
	}
	f.Frame = frame
	return p.add(f), nil
}

// pack reads the text of a file of a tree. One that cannot be read or is another one
// than that of the record leaves some bytes that no kernel names.
func (p *packer) pack(root string, r *resource.Record) (int, error) {
	in, info, err := regular.Open(filepath.Join(root, filepath.FromSlash(r.Source)))
	if err != nil {
		return -1, nil
	}
	defer in.Close()
	if r.Text == 0 || info.Size() > regular.Most {
		return -1, nil
	}
	if !p.begun {
		p.encoder.Reset(p)
		p.begun, p.start, p.text = true, p.n, 0
	}
	f := file{span: span{At: p.text}, Frame: len(p.index.Frames), Source: r.Source}
	hash, whole := dump.NewText(), false
	for f.Size <= regular.Most && !whole {
		n, err := in.Read(p.buffer)
		_, _ = hash.Write(p.buffer[:n]) // never fails
		if _, err := p.encoder.Write(p.buffer[:n]); err != nil {
			return -1, err
		}
		f.Size += int64(n)
		if whole = err == io.EOF; err != nil && !whole {
			break
		}
	}
	p.text += f.Size
	n := -1
	if whole && hash.Sum64() == r.Text {
		n = p.add(f)
	}
	if p.text >= frameText {
		return n, p.endFrame()
	}
	return n, nil
}

func (p *packer) endFrame() error {
	if !p.begun {
		return nil
	}
	p.begun = false
	if err := p.encoder.Close(); err != nil {
		return err
	}
	p.frame(p.start)
	return nil
}

// frame notes the frame that began at a place and ends here.
func (p *packer) frame(start int64) int {
	p.index.Frames = append(p.index.Frames, span{At: start, Size: p.n - start})
	return len(p.index.Frames) - 1
}

func (p *packer) add(f file) int {
	p.index.Files = append(p.index.Files, f)
	return len(p.index.Files) - 1
}
