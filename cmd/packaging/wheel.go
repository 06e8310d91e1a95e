package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
)

// writeWheel writes a Python wheel (PyPA's binary distribution format, version
// 1.0) that carries a binary as the script `isadiff`: pip puts it on PATH as it
// is, so that no Python starts when it is run.
func writeWheel(w io.Writer, version, tags string, binary file, module []file) error {
	info := "isadiff-" + version + ".dist-info/"
	files := append([]file{}, sorted(module)...)
	files = append(files,
		file{name: "isadiff-" + version + ".data/scripts/" + binary.name, data: binary.data, executable: true},
		file{name: info + "METADATA", data: []byte(wheelMetadata(version))},
		file{name: info + "WHEEL", data: []byte(wheelTags(tags))},
		file{name: info + "entry_points.txt", data: []byte(entryPoints)},
	)
	var record strings.Builder
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}
	fmt.Fprintf(&record, "%sRECORD,,\n", info)
	return writeZip(w, append(files, file{name: info + "RECORD", data: []byte(record.String())}))
}

// entryPoints make pytest load the plugin of the Python package, which does nothing
// without its option.
const entryPoints = "[pytest11]\nisadiff = isadiff.pytest_plugin\n"

func wheelMetadata(version string) string {
	return "Metadata-Version: 2.1\n" +
		"Name: isadiff\n" +
		"Version: " + version + "\n" +
		"Summary: Compare the registers, spills, scratch and LDS of AMD GPU kernels before and after a change\n" +
		"Keywords: amd,gpu,kernel,flydsl,registers,spills,occupancy,isa\n" +
		"Requires-Python: >=3.8\n" +
		"Classifier: Environment :: Console\n" +
		"Classifier: Framework :: Pytest\n" +
		"Classifier: Intended Audience :: Developers\n" +
		"Classifier: Topic :: Software Development :: Quality Assurance\n" +
		"Description-Content-Type: text/markdown\n" +
		"\n" +
		"isadiff tells whether a change made any AMD GPU kernel use more registers, spills, scratch\n" +
		"memory or LDS, and whether the answer can be trusted. `isadiff demo` shows it in a minute;\n" +
		"`pytest --isadiff` compares the kernels that tests compile.\n"
}

// wheelTags returns the file WHEEL for a compressed set of platform tags, such as
// "manylinux_2_17_x86_64.manylinux2014_x86_64".
func wheelTags(tags string) string {
	var b strings.Builder
	b.WriteString("Wheel-Version: 1.0\nGenerator: isadiff\nRoot-Is-Purelib: false\n")
	for _, tag := range strings.Split(tags, ".") {
		fmt.Fprintf(&b, "Tag: py3-none-%s\n", tag)
	}
	return b.String()
}
