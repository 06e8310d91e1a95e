package mcp

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"isadiff/engine/problem"
)

// places are the folders that may be read and written, with all links followed.
type places struct{ dirs []string }

// rootsID names the question for the client's roots in a call.
const rootsID = "roots"

// placesOf returns the folders that a call may use: those of the command line, if there
// are any, and of them those that are below the client's roots, if it names some. Of
// neither it is the working directory, but not of a client that could name roots and
// names none. ask is what the client has to be asked first.
//
// Roots are on their way out of the protocol, and until then they are how a client says
// it; a server that is started with folders needs none.
//
//lint:file-ignore SA1019 see above
func (s *server) placesOf(req *sdk.CallToolRequest) (p *places, ask sdk.InputRequestMap, err error) {
	given, err := resolved(s.options.Dirs)
	if err != nil {
		return nil, nil, err
	}
	capabilities := req.ClientCapabilities()
	if capabilities == nil || capabilities.RootsV2 == nil {
		if len(given) > 0 {
			return &places{given}, nil, nil
		}
		here, err := resolved([]string{"."})
		return &places{here}, nil, err
	}
	answer, told := req.Params.InputResponses[rootsID].(*sdk.ListRootsResult)
	if !told {
		return nil, sdk.InputRequestMap{rootsID: &sdk.ListRootsParams{}}, nil
	}
	if len(answer.Roots) == 0 && len(given) > 0 { // the client could have some, and has none
		return &places{given}, nil, nil
	}
	var roots []string
	for _, root := range answer.Roots {
		if path, err := pathOf(root.URI); err == nil { // others are of no file system
			if real, err := resolved([]string{path}); err == nil {
				roots = append(roots, real...)
			}
		}
	}
	if len(given) > 0 {
		roots = common(given, roots)
	}
	if len(roots) == 0 {
		return nil, nil, problem.New(problem.Usage, "no folder may be used: the client's roots name none that exists here%s", ofGiven(s.options.Dirs)).
			Mended("add the project's folder to the client's roots, or name it when the server is started: isadiff-mcp DIR")
	}
	return &places{roots}, nil, nil
}

func ofGiven(dirs []string) string {
	if len(dirs) == 0 {
		return ""
	}
	return " below " + strings.Join(dirs, ", ")
}

// common returns the folders that are in both lists: of two of which one holds the other,
// the inner one.
func common(a, b []string) (both []string) {
	for _, x := range a {
		for _, y := range b {
			switch {
			case below(y, x):
				both = append(both, y)
			case below(x, y):
				both = append(both, x)
			}
		}
	}
	return both
}

// resolved returns folders as absolute paths with all links followed.
func resolved(dirs []string) (real []string, err error) {
	for _, dir := range dirs {
		path, err := filepath.Abs(dir)
		if err == nil {
			path, err = filepath.EvalSymlinks(path)
		}
		if err != nil {
			return nil, problem.New(problem.InputNotFound, "the folder %s cannot be used: %v", dir, problem.Cause(err)).Mended("start isadiff-mcp with folders that exist")
		}
		real = append(real, path)
	}
	return real, nil
}

// pathOf returns the path of a file: URI.
func pathOf(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" && u.Host != "localhost" {
		return "", fmt.Errorf("%q names no file of this machine", uri)
	}
	path := filepath.FromSlash(u.Path)
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, `\`)
	}
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("%q is no absolute path", uri)
	}
	return path, nil
}

// below reports whether a path is a folder or in it.
func below(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// real returns an absolute path with all links followed, also where its end does not
// exist yet. A link that leads nowhere has no real path.
func real(path string) (string, error) {
	at, rest := filepath.Clean(path), ""
	for {
		found, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(found, rest), nil
		}
		if _, there := os.Lstat(at); there == nil || at == filepath.Dir(at) {
			return "", err
		}
		at, rest = filepath.Dir(at), filepath.Join(filepath.Base(at), rest)
	}
}

// check returns a problem unless a path is in one of the places, with all links followed.
func (p *places) check(path string) error {
	found, err := real(path)
	if err == nil && slices.ContainsFunc(p.dirs, func(dir string) bool { return below(found, dir) }) {
		return nil
	}
	return problem.New(problem.InputUnreadable, "%s is outside of what this server may use: %s", path, strings.Join(p.dirs, ", ")).In(path).
		Mended("give a path in there, add its folder to the client's roots, or name it when the server is started: isadiff-mcp DIR")
}

// side checks a side of a comparison: the path, what is kept beside a snapshot, and in a
// folder every link.
func (p *places) side(path string) error {
	if err := p.check(path); err != nil {
		return err
	}
	if base, isSnapshot := strings.CutSuffix(path, ".json"); isSnapshot {
		if err := p.check(base + ".isa.zst"); err != nil {
			return err
		}
	}
	return p.links(path)
}

// links checks every link in a folder.
func (p *places) links(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.Type()&fs.ModeSymlink == 0 {
			return nil // what cannot be read is for the reader to tell
		}
		if _, err := os.Stat(path); err != nil {
			return nil // it leads nowhere
		}
		return p.check(path)
	})
}
