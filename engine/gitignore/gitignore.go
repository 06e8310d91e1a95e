// Package gitignore keeps out of git what isadiff writes into a folder of its own and
// that is of this machine alone.
package gitignore

import (
	"io/fs"
	"os"
	"path/filepath"
)

// folder is the name of isadiff's own folder.
const folder = ".isadiff"

const text = `# Written by isadiff, once: it is yours to change. The figures of the baseline and
# accepted.toml are for everybody; what is named here is of this machine.
*.isa.zst
*.previous.json
*.json[0-9]*
*.zst[0-9]*
*.tmp
/capture.log
/compare.md
/dumps/
/pytest/
/report.md
/why.md
.*
!.gitignore
`

// An Opening opens a file, as os.OpenFile does.
type Opening func(name string, flag int, mode fs.FileMode) (*os.File, error)

// Beside writes a .gitignore beside the file at path, which is about to be written, if
// it is in a folder of isadiff's own, or below one, that has none. That it cannot be
// written is no reason not to write the file.
func Beside(path string, open Opening) {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return
	}
	for filepath.Base(dir) != folder {
		if dir == filepath.Dir(dir) {
			return
		}
		dir = filepath.Dir(dir)
	}
	f, err := open(filepath.Join(dir, ".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return
	}
	_, _ = f.WriteString(text)
	_ = f.Close()
}
