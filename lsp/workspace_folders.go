package lsp

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"sync"

	"go.lsp.dev/uri"

	"isadiff/engine/live"
	"isadiff/engine/project"
)

// folders are the workspace folders in the client's order, each with its own
// project, baseline and dumps.
type folders struct {
	mu  sync.Mutex
	all []*folder
	// single says that the client opened no folder: the project of a file is
	// opened with the file.
	single bool
}

// A folderView is a folder with what was known of it when a request was read.
type folderView struct {
	*folder
	state  *live.State // nil while the folder is being opened
	config *project.Config
}

func (fs *folders) list() []*folder {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return slices.Clone(fs.all)
}

// says is how a message about a folder begins: with the folder where several are open.
func (f folderView) says(v *view) string {
	if len(v.folders) < 2 {
		return "isadiff: "
	}
	return "isadiff (" + oneLine(f.name) + "): "
}

// roots are the folders and the roots of their projects.
func (fs *folders) roots() (all []string) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.all {
		all = append(all, f.path)
		if config := f.current.Load().config; config != nil && config.Root != f.path {
			all = append(all, config.Root)
		}
	}
	return all
}

// view returns every folder that leads its project: of two folders of one
// project the first speaks for both.
func (fs *folders) view() []folderView {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	views := make([]folderView, 0, len(fs.all))
next:
	for _, f := range fs.all {
		now := f.current.Load()
		v := folderView{folder: f, state: now.state(), config: now.config}
		for _, other := range views {
			if v.config != nil && other.config != nil && v.config.Root == other.config.Root {
				continue next
			}
		}
		views = append(views, v)
	}
	return views
}

// roots is where clients of different ages say in initialize what is open, read
// as they wrote it, since decoding a URI would respell it.
type roots struct {
	WorkspaceFolders []struct{ URI, Name string }
	RootURI          string // before workspace folders
	RootPath         string // before that
}

// startFolders opens what the client has open.
func (s *Server) startFolders(r roots) {
	switch {
	case len(r.WorkspaceFolders) > 0:
		for _, f := range r.WorkspaceFolders {
			s.addFolder(uri.URI(f.URI), f.Name)
		}
	case r.RootURI != "":
		s.addFolder(uri.URI(r.RootURI), "")
	case r.RootPath != "":
		s.addFolder(uri.File(r.RootPath), "")
	default:
		s.folders.single = true
	}
}

// addFolder opens a folder in the background, once the client listens. name is what the
// client calls it, if it does.
func (s *Server) addFolder(u uri.URI, name string) {
	path, ok := pathOf(u)
	if !ok {
		s.log.Printf("the folder %s is no folder of this machine; it is not watched", u)
		return
	}
	s.folders.mu.Lock()
	defer s.folders.mu.Unlock()
	for _, f := range s.folders.all {
		if f.path == path {
			return
		}
	}
	f := newFolder(s, u, path, cmp.Or(name, filepath.Base(path)))
	s.folders.all = append(s.folders.all, f)
	s.background(f.run)
}

func (s *Server) removeFolder(u uri.URI) {
	path, ok := pathOf(u)
	if !ok {
		return
	}
	s.folders.mu.Lock()
	i := slices.IndexFunc(s.folders.all, func(f *folder) bool { return f.path == path })
	if i < 0 {
		s.folders.mu.Unlock()
		return
	}
	f := s.folders.all[i]
	s.folders.all = slices.Delete(slices.Clone(s.folders.all), i, i+1)
	s.folders.mu.Unlock()
	f.close()
	s.publish.poke()
}

// openFor opens the project of a file for a client that has no folder open.
func (s *Server) openFor(path string) {
	s.folders.mu.Lock()
	single := s.folders.single
	s.folders.mu.Unlock()
	if !single || !isSource(path) && !(folderView{}).isAssembly(path) {
		return
	}
	for _, f := range s.folders.list() {
		if contains(f.path, path) {
			return
		}
	}
	root, err := project.FindRoot(filepath.Dir(path))
	if err != nil {
		s.log.Print(err)
		return
	}
	s.addFolder(uri.File(root), "")
}

// contains reports whether a path is in a folder.
func contains(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// didChangeWorkspaceFolders. Folders keep the client's own spelling.
func (s *Server) didChangeWorkspaceFolders(params []byte) error {
	var p struct {
		Event struct{ Added, Removed []struct{ URI, Name string } }
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	for _, f := range p.Event.Removed {
		s.removeFolder(uri.URI(f.URI))
	}
	for _, f := range p.Event.Added {
		s.addFolder(uri.URI(f.URI), f.Name)
	}
	return nil
}

// folderOf returns the folder that a command means: the named one, or the only
// one.
func (v *view) folderOf(u string) (folderView, error) {
	if u == "" {
		switch len(v.folders) {
		case 1:
			return v.folders[0], nil
		case 0:
			return folderView{}, errNoFolder
		}
		return folderView{}, errWhichFolder
	}
	path, ok := pathOf(uri.URI(u))
	if parsed, err := uri.Parse(u); err == nil {
		path, ok = pathOf(parsed)
	}
	for _, f := range v.folders {
		if ok && f.path == path {
			return f, nil
		}
	}
	// Of two folders of one project the first speaks for both.
	for _, other := range v.Server.folders.list() {
		if config := other.current.Load().config; ok && other.path == path && config != nil {
			for _, f := range v.folders {
				if f.config != nil && f.config.Root == config.Root {
					return f, nil
				}
			}
		}
	}
	return folderView{}, unknownFolder(u)
}
