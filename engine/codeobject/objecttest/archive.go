package objecttest

import (
	"archive/zip"
	"io"
	"testing"
)

// Archive returns the files of an archive of the test data, without the name of the
// folder that all of them are in.
func Archive(t testing.TB, path, folder string) map[string][]byte {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		_ = r.Close()
		if err != nil {
			t.Fatal(err)
		}
		name := f.Name
		if len(name) >= len(folder) && name[:len(folder)] == folder {
			name = name[len(folder):]
		}
		files[name] = data
	}
	return files
}
