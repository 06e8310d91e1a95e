package dump

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"isadiff/engine/producer"
	"isadiff/engine/regular"
	"isadiff/engine/resource"
)

// ManifestName is the file in which a whole capture describes how it and all below
// it was made. Package capture writes it last. Its directory then belongs to
// isadiff: the next capture into it may remove its content.
const ManifestName = ".isadiff-capture.json"

// maxManifest bounds a manifest that is read.
const maxManifest = 1 << 20

// A Manifest says how a capture was made.
type Manifest struct {
	Command   []string   `json:"command"`
	Archs     []string   `json:"archs"`
	Revision  string     `json:"revision,omitempty"`
	Compilers []Compiler `json:"compilers"`
	Unseen    bool       `json:"unseen,omitempty"`  // the hook did not see all compiles: others may have made some
	Allowed   string     `json:"allowed,omitempty"` // that the command failed, and was allowed to
	Captured  time.Time  `json:"captured"`
	Seconds   float64    `json:"seconds"`
	Kernels   int        `json:"kernels"`

	written time.Time
}

// A Compiler is what made the dumps.
type Compiler struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Stamp   string `json:"stamp"` // hash of its files' names, sizes and times
	Python  string `json:"python"`
}

// String names the compiler for users.
func (c Compiler) String() string { return c.Name + " " + c.Version + ", Python " + c.Python }

// ReadManifest returns the manifest in a directory; nil if there is none or it
// cannot be read.
func ReadManifest(dir string) *Manifest {
	name := filepath.Join(dir, ManifestName)
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	text, err := regular.ReadWithin(name, maxManifest)
	m := Manifest{written: info.ModTime()}
	if err != nil || json.Unmarshal(text, &m) != nil {
		return nil
	}
	return &m
}

// WholeSince reports whether a directory holds a whole capture that ended after a time.
func WholeSince(dir string, since time.Time) bool {
	m := ReadManifest(dir)
	if m == nil || !m.written.After(since) {
		return false
	}
	_, err := os.Lstat(filepath.Join(dir, IncompleteName))
	return errors.Is(err, fs.ErrNotExist)
}

// manifestAbove returns the manifest of the capture that a directory is a part of:
// the nearest one in it or above.
func manifestAbove(dir string) *Manifest {
	at, err := filepath.Abs(dir)
	if err != nil {
		return nil
	}
	for {
		if m := ReadManifest(at); m != nil || at == filepath.Dir(at) {
			return m
		}
		at = filepath.Dir(at)
	}
}

// compilers returns which compilers of a producer made what was written at a time.
// Nothing is known of what was written after the capture.
func (m *Manifest) compilers(p *producer.Producer, written time.Time, opt Options) (names []string) {
	if m == nil || m.Unseen || !opt.IgnoreTimes && written.Sub(m.written) > Tolerance {
		return nil
	}
	for _, c := range m.Compilers {
		name := resource.ValidText(p.Title + " " + c.Version)
		if c.Name == p.Name && c.Version != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// compilers returns which compilers made the one compile of a folder, as the
// manifest says, or else as its assembly does where nothing beside it tells that the
// name is that of linked code.
func (f *Folder) compilers(m *Manifest, opt Options) []string {
	used, ok := f.Used()
	if !ok {
		return nil
	}
	if names := m.compilers(f.staged, used.ModTime, opt); names != nil {
		return names
	}
	if f.First == "" {
		return f.named
	}
	return nil
}

// current reports whether the records of a folder have the compilers that its
// manifest tells of.
func (f *Folder) current(m *Manifest, opt Options) bool {
	return len(f.Records) == 0 || f.staged == nil || slices.Equal(f.Records[0].Compilers, f.compilers(m, opt))
}

// Manifests are the manifests of a tree at one moment.
type Manifests struct {
	root string
	opt  Options
	near map[string]*Manifest // by directory: that of the capture that it is a part of
}

// NewManifests returns the manifests of the tree at root. They are read on demand.
func NewManifests(root string, opt Options) *Manifests {
	return &Manifests{root: root, opt: opt, near: map[string]*Manifest{}}
}

func (m *Manifests) of(dir string) *Manifest {
	near, known := m.near[dir]
	if !known {
		switch near = ReadManifest(filepath.Join(m.root, filepath.FromSlash(dir))); {
		case near != nil:
		case dir == "":
			near = manifestAbove(filepath.Join(m.root, ".."))
		default:
			near = m.of(strings.TrimSuffix(path.Dir(dir), "."))
		}
		m.near[dir] = near
	}
	return near
}

// Update returns a folder with the compilers that the manifests name; the same
// folder if it has them already.
func (m *Manifests) Update(f *Folder) *Folder {
	made := m.of(f.Dir)
	if f.current(made, m.opt) {
		return f
	}
	next := *f
	next.Records = make([]*resource.Record, len(f.Records))
	for i, r := range f.Records {
		record := *r
		if path.Base(r.Source) == resource.ValidText(f.Stages[len(f.Stages)-1].Name) {
			record.Compilers = f.compilers(made, m.opt)
		}
		next.Records[i] = &record
	}
	return &next
}
