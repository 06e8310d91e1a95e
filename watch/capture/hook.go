package capture

import (
	"embed"
	"os"
	"path/filepath"
)

// hookFiles are the Python modules that a capture adds to the command.
//
//go:embed hook/*.py
var hookFiles embed.FS

// A hook is a temporary folder with the Python modules, and with the journals
// that they write.
type hook struct {
	root *scratch
	dir  string // what comes first on PYTHONPATH
}

// hookPrefix begins the names of those folders.
const hookPrefix = "isadiff-capture-"

func installHook() (*hook, error) {
	root, err := newScratch(hookPrefix)
	if err != nil {
		return nil, err
	}
	h := &hook{root: root, dir: filepath.Join(root.dir, "hook")}
	if err := h.install(); err != nil {
		h.remove()
		return nil, err
	}
	return h, nil
}

func (h *hook) install() error {
	if err := os.Mkdir(h.dir, 0o700); err != nil {
		return err
	}
	files, err := hookFiles.ReadDir("hook")
	if err != nil {
		return err
	}
	for _, f := range files {
		text, err := hookFiles.ReadFile("hook/" + f.Name())
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(h.dir, f.Name()), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// journal makes the folder for the journals of one run.
func (h *hook) journal(arch string) (string, error) {
	dir := filepath.Join(h.root.dir, "journal"+arch)
	return dir, os.Mkdir(dir, 0o700)
}

func (h *hook) remove() { h.root.remove() }
