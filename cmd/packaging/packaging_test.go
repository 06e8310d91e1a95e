package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/xeipuuv/gojsonschema"
)

var some = []file{{name: "b/run", data: []byte("#!"), executable: true}, {name: "a.txt", data: []byte("text\n")}}

func TestArchivesAreTheSameInAnyOrder(t *testing.T) {
	reversed := slices.Clone(some)
	slices.Reverse(reversed)
	var a, b bytes.Buffer
	if err := writeTar(&a, some); err != nil {
		t.Fatal(err)
	}
	if err := writeTar(&b, reversed); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the order of the entries counts")
	}
}

// No link of a page in an archive leads to what is not in it.
func TestPagesAreWhole(t *testing.T) {
	files, err := (&dist{root: "../.."}).pages()
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, f := range files {
		there[f.name] = true
	}
	links := 0
	for _, f := range files {
		if path.Ext(f.name) != ".md" {
			continue
		}
		for _, link := range regexp.MustCompile(`\]\(([^)#]+)`).FindAllSubmatch(f.data, -1) {
			to := string(link[1])
			if strings.Contains(to, "://") {
				continue
			}
			links++
			to = path.Join(path.Dir(f.name), to)
			if !there[to] {
				t.Errorf("%s leads to %s", f.name, to)
			}
		}
	}
	if links == 0 {
		t.Error("no link was found")
	}
}

func TestZipKeepsExecutables(t *testing.T) {
	var b bytes.Buffer
	if err := writeZip(&b, some); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range z.File {
		if f.Mode() != some[i].mode() || !f.Modified.Equal(epoch) {
			t.Errorf("%s: %v %v", f.Name, f.Mode(), f.Modified)
		}
	}
}

// A wheel names every file in its RECORD, and pip's own reader agrees with the
// tags: TestDist installs one.
func TestWheel(t *testing.T) {
	var b bytes.Buffer
	err := writeWheel(&b, "1.2.3", "manylinux_2_17_x86_64.manylinux2014_x86_64", file{name: "isadiff", data: []byte("binary")}, []file{{name: "isadiff/__init__.py"}})
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		texts[f.Name] = string(data)
	}
	record := texts["isadiff-1.2.3.dist-info/RECORD"]
	for name := range texts {
		if !strings.Contains("\n"+record, "\n"+name+",") {
			t.Errorf("RECORD lacks %s:\n%s", name, record)
		}
	}
	// printf binary | sha256sum | xxd -r -p | base64, with the letters for addresses
	if !strings.Contains(record, "isadiff-1.2.3.data/scripts/isadiff,sha256=mjpF0BUxog6JrGrhCwsL6wSSrNchajaKoGLRpf7K-c0,6\n") {
		t.Error(record)
	}
	if got := texts["isadiff-1.2.3.dist-info/entry_points.txt"]; got != "[pytest11]\nisadiff = isadiff.pytest_plugin\n" {
		t.Error(got)
	}
	if want := "Tag: py3-none-manylinux_2_17_x86_64\nTag: py3-none-manylinux2014_x86_64\n"; !strings.Contains(texts["isadiff-1.2.3.dist-info/WHEEL"], want) {
		t.Error(texts["isadiff-1.2.3.dist-info/WHEEL"])
	}
}

// The bill of a binary and of the extension's lock file is valid and names what
// is certainly in them.
func TestBill(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "isadiff")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", binary, "../isadiff").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var b bytes.Buffer
	if err := writeBill(&b, "1.2.3", []string{binary}, filepath.Join("..", "..", "editors", "vscode", "package-lock.json")); err != nil {
		t.Fatal(err)
	}
	validate(t, b.Bytes())
	for _, purl := range []string{"pkg:golang/stdlib@" + strings.TrimPrefix(runtime.Version(), "go"), "pkg:golang/github.com/spf13/cobra@v", "pkg:npm/vscode-languageclient@", "pkg:npm/vscode-jsonrpc@"} {
		if !strings.Contains(b.String(), `"purl": "`+purl) {
			t.Errorf("the bill lacks %s", purl)
		}
	}
	if strings.Contains(b.String(), "esbuild") {
		t.Error("the bill holds what only development needs")
	}
}

// validate holds a bill against the schema of CycloneDX.
func validate(t *testing.T, data []byte) {
	t.Helper()
	loader := gojsonschema.NewSchemaLoader()
	read := func(name string) gojsonschema.JSONLoader {
		text, err := os.ReadFile(filepath.Join("testdata", "cyclonedx", name))
		if err != nil {
			t.Fatal(err)
		}
		return gojsonschema.NewBytesLoader(text)
	}
	for _, name := range []string{"spdx", "jsf-0.82"} {
		// The schema calls them by the names of the files, relative to its own.
		if err := loader.AddSchema("http://cyclonedx.org/schema/"+name+".SNAPSHOT.schema.json", read(name+".schema.json")); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := loader.Compile(read("bom-1.5.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	result, err := schema.Validate(gojsonschema.NewBytesLoader(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range result.Errors() {
		t.Error(e)
	}
	var b bill
	if err := json.Unmarshal(data, &b); err != nil {
		t.Fatal(err)
	}
	for _, ref := range b.Dependencies[0].DependsOn {
		if !slices.ContainsFunc(b.Components, func(c component) bool { return c.Ref == ref }) {
			t.Errorf("%s is no component", ref)
		}
	}
}

func TestChoose(t *testing.T) {
	d := &dist{}
	if err := d.choose("linux/amd64,windows/arm64"); err != nil || len(d.platforms) != 2 || d.platforms[1].binary(isadiff) != "isadiff.exe" {
		t.Errorf("%v %v", err, d.platforms)
	}
	if err := (&dist{}).choose("plan9/386"); err == nil {
		t.Error("plan9/386 is built")
	}
}

// A folder that holds something else is not emptied.
func TestEmpty(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"isadiff-0.1.0.cdx.json", "precious.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	d := &dist{out: dir}
	if err := d.empty(); err == nil || !strings.Contains(err.Error(), "precious.txt") {
		t.Errorf("%v", err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 2 {
		t.Errorf("%v %v", left, err)
	}
}
