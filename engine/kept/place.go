package kept

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"isadiff/engine/problem"
	"isadiff/engine/regular"
)

// A Writing writes a file whole or not at all: not if content returns an error. It is
// atomicfile.WriteFunc, or one that stays within a project.
type Writing func(path string, content func(io.Writer) error) error

// Replace runs a change of the snapshot at a path, and puts the archive of the new one,
// which content writes, into its place; without content there is none afterwards. The
// archive that was there becomes that of the snapshot previous, unless that is "".
//
// The archives are written out before change is run and get their names after it: an
// error of theirs leaves all as it was, and a process that is killed in between leaves
// archives that [Open] knows to be of other figures. The caller holds the snapshot's
// lock. Errors are problems.
func Replace(write Writing, snapshot, previous string, content func(io.Writer) error, change func() error) error {
	if previous == "" {
		return install(write, Path(snapshot), content, change)
	}
	return install(write, Path(snapshot), content, func() error {
		return install(write, Path(previous), copyOf(Path(snapshot)), change)
	})
}

// Exchange runs the exchange of two snapshots and exchanges their archives, as
// [Replace] does.
func Exchange(write Writing, one, other string, exchange func() error) error {
	return install(write, Path(one), copyOf(Path(other)), func() error {
		return install(write, Path(other), copyOf(Path(one)), exchange)
	})
}

// install writes a file, runs then, and gives the file its name. Without content it
// removes the archive that is there.
func install(write Writing, path string, content func(io.Writer) error, then func() error) error {
	stands, other := standing(path)
	if content == nil {
		if err := then(); err != nil {
			return err
		}
		if stands {
			_ = os.Remove(path) // one that stays is known to be of other figures
		}
		return nil
	}
	if other != nil {
		return other
	}
	var after error
	err := write(path, func(w io.Writer) error {
		if err := content(w); err != nil {
			return err
		}
		after = then()
		return after
	})
	var known problem.Problem
	switch {
	case after != nil:
		return after
	case err == nil || errors.As(err, &known):
		return err
	}
	return unwritable(path, err)
}

// copyOf returns what writes the content of an archive; nil if there is none.
func copyOf(path string) func(io.Writer) error {
	if stands, _ := standing(path); !stands {
		return nil
	}
	return func(w io.Writer) error {
		f, _, err := regular.Open(path)
		if err != nil {
			return err
		}
		defer f.Close() // before then, as an open file cannot be replaced everywhere
		_, err = io.Copy(w, f)
		return err
	}
}

// standing reports whether an archive is at a path. The error is why what is there
// instead is not replaced.
func standing(path string) (bool, error) {
	f, info, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, unwritable(path, err)
	}
	defer f.Close()
	if !isArchive(f, info.Size()) {
		return false, problem.New(problem.OutputUnwritable, "%s exists and is no kept assembly, so it is not replaced", path).
			Mended("give another path, or remove the file if nobody needs it")
	}
	return true, nil
}

func unwritable(path string, err error) error {
	return problem.New(problem.OutputUnwritable, "%s cannot be written: %v", path, problem.Cause(err))
}
