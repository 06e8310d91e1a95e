// Package input opens what a user names as a side of a comparison: a dump
// directory, a file with code objects or a .json snapshot.
package input

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"isadiff/engine/dump"
	"isadiff/engine/problem"
	"isadiff/engine/producer"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
)

// Options say how a side is read.
type Options struct {
	Producers   *producer.Table    // whose dumps count; nil for those that are known
	Producer    *producer.Producer // the project's own; nil for the default
	IgnoreTimes bool               // a tree that was copied without its times: stale files are warnings
	Kernels     *resource.Matcher  // which kernels count; nil for all
	Digest      bool               // hash the instructions of every kernel: for a baseline
	// NeedKernels makes a side without kernels a problem: set it to look at one
	// side alone. In a comparison the kernels of the other side say it.
	NeedKernels bool
	// Assembly takes assembly files as sides as well: one alone, and a tree of them
	// that no known compiler wrote. Set it where their text is what is looked at.
	Assembly bool
}

// Read reads the dump directory or snapshot at path. The side is never nil: what
// is wrong with it is in its problems. The error is that of ctx.
func Read(ctx context.Context, path string, opt Options) (*resource.Side, error) {
	side, err := open(ctx, path, opt)
	if err != nil {
		return nil, err
	}
	side = side.Narrow(opt.Kernels)
	if opt.NeedKernels && len(side.Records) == 0 && len(side.Problems) == 0 {
		p := problem.New(problem.NoKernels, "%s holds no kernel", path)
		if opt.Kernels != nil && !opt.Kernels.All() {
			p = opt.Kernels.Unmatched(path, side)
		}
		return refuse(path, p), nil
	}
	return side, nil
}

func open(ctx context.Context, path string, opt Options) (*resource.Side, error) {
	info, err := os.Stat(path)
	switch {
	case path == "":
		return refuse(path, problem.New(problem.InputNotFound, "the empty path names nothing")), nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return refuse(path, problem.New(problem.InputNotFound, "%s does not exist", path)), nil
	case err != nil:
		return refuse(path, problem.Unreadable(path, err)), nil
	case info.IsDir():
		side, err := readDump(ctx, path, opt)
		if opt.Assembly && len(side.Problems) > 0 && side.Problems[0].Code == problem.NoDumpFiles {
			if files := AssemblyFiles(path); len(files) > 0 {
				return readAssembly(path, files), ctx.Err()
			}
		}
		return side, err
	case opt.Assembly && info.Mode().IsRegular() && IsAssembly(path):
		return readAssembly(path, []string{path}), ctx.Err()
	case strings.HasSuffix(path, ".json"):
		side, _ := snapshot.Load(path)
		return side, ctx.Err()
	case info.Mode().IsRegular() && !strings.HasSuffix(path, ".s") && !IsAssembly(path):
		side, binary := dump.ReadObject(ctx, path)
		switch {
		case side != nil:
			return side, ctx.Err()
		case binary:
			return refuse(path, problem.New(problem.NoKernels, "%s holds no device code for AMD GPUs", path).
				Mended("give the library or the code object that holds the kernels")), ctx.Err()
		}
		return refuse(path, other(path, opt)), ctx.Err()
	default:
		return refuse(path, other(path, opt)), nil
	}
}

// other is the problem of something that is no side.
func other(path string, opt Options) problem.Problem {
	if opt.Assembly {
		return problem.New(problem.InputKind, "%s is neither a directory, an assembly file (.s or .amdgcn) nor a .json snapshot", path).
			Mended("give a dump directory or an assembly file")
	}
	p := problem.New(problem.InputKind, "%s is neither a directory nor a .json snapshot", path)
	if strings.HasSuffix(path, ".s") {
		p = p.Mended("give the directory that it is in: %s", filepath.Dir(path))
	}
	return p
}

func refuse(path string, p problem.Problem) *resource.Side {
	return &resource.Side{Origin: path, Problems: []problem.Problem{p.In(path)}}
}

// ReadBoth reads the two sides of a comparison, with all their kernels: the
// comparison takes those that count. One after the other: reading a tree keeps
// every processor busy by itself.
func ReadBoth(ctx context.Context, before, after string, opt Options) (b, a *resource.Side, err error) {
	opt.Kernels = nil
	if b, err = Read(ctx, before, opt); err != nil {
		return nil, nil, err
	}
	for i := range b.Problems {
		if p := &b.Problems[i]; p.Code == problem.InputNotFound && strings.HasSuffix(before, ".json") {
			*p = p.Mended("check the path; `isadiff snapshot DUMPS` takes a baseline")
		}
	}
	a, err = Read(ctx, after, opt)
	return b, a, err
}
