package codeobject

import (
	"archive/zip"
	"errors"
	"io"
	"path"

	"isadiff/engine/problem"
)

// wheel reads the files of a zip archive, as Python's wheels are.
func (w *walk) wheel(s *io.SectionReader) {
	z, err := zip.NewReader(s, s.Size())
	if err != nil {
		w.report(place{}, problem.ObjectMalformed, "it cannot be read as a zip archive: %v", err)
		return
	}
	for _, f := range z.File {
		if w.ctx.Err() != nil {
			return
		}
		if !f.FileInfo().Mode().IsRegular() || !MayName(f.Name) {
			continue
		}
		w.path = path.Clean("/" + f.Name)[1:]
		before := w.Device
		if w.Device = false; f.UncompressedSize64 >= HeaderSize {
			w.member(s, f)
		}
		if !w.Device && Promises(f.Name) && w.ctx.Err() == nil {
			w.report(place{}, problem.ObjectMalformed, "%s", Broken(int64(f.UncompressedSize64)))
		}
		w.Device = w.Device || before
	}
	w.path = ""
}

// member reads one file of an archive if it can hold device code.
func (w *walk) member(s *io.SectionReader, f *zip.File) {
	bad := func(err error) {
		code := problem.ObjectMalformed
		if _, ok := errors.AsType[problem.TooLarge](err); ok {
			code = problem.InputUnreadable
		}
		w.report(place{}, code, "it cannot be unpacked: %v", problem.Cause(err))
	}
	header, err := w.start(f)
	if err != nil {
		bad(err)
		return
	}
	if !May(header) {
		return
	}
	packed, err := f.Open()
	if err != nil {
		bad(err)
		return
	}
	defer packed.Close()
	r := &exact{packed, f.UncompressedSize64}
	if f.Method == zip.Store {
		offset, err := f.DataOffset()
		var content *io.SectionReader
		if err == nil {
			content, err = within(s, uint64(offset), f.UncompressedSize64)
		}
		if err == nil {
			_, err = io.Copy(io.Discard, interruptible{w, r})
		}
		if err != nil {
			bad(err)
			return
		}
		w.any(content, place{})
		return
	}
	err = w.spool(r, f.UncompressedSize64, func(content *io.SectionReader) error {
		w.any(content, place{})
		return nil
	})
	if err != nil {
		bad(err)
	}
}

// An exact reader reads a file of an archive to its very end with its last byte: only
// there the archive tells that its checksum is wrong.
type exact struct {
	r    io.Reader
	left uint64
}

func (e *exact) Read(p []byte) (n int, err error) {
	n, err = e.r.Read(p)
	if e.left -= min(e.left, uint64(n)); err == nil && e.left == 0 {
		_, err = io.ReadFull(e.r, make([]byte, 1))
	}
	return n, err
}

// start returns the first bytes of a file of an archive.
func (w *walk) start(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	header := make([]byte, HeaderSize)
	_, err = io.ReadFull(r, header)
	return header, err
}
