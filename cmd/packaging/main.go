// Command packaging makes everything that is handed out of isadiff: archives with
// the binary of each platform, Python wheels, the editors' packages, a bill of
// materials and the checksums.
//
// The same sources, Go and node packages give the same bytes, wherever and
// whenever they are built: files carry no times, owners or machine paths.
//
//	go run ./cmd/packaging [-o DIR] [-platforms linux/amd64,…] [-without-vscode]
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	var (
		out       = flag.String("o", "dist", "write into `DIR`, which is emptied first")
		platforms = flag.String("platforms", "", "only these, as `GOOS/GOARCH,…`; all if empty")
		without   = flag.Bool("without-vscode", false, "leave out the packages of VS Code, which need node and `npm ci` in editors/vscode")
	)
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "error: unexpected operand %q\n", flag.Arg(0))
		os.Exit(2)
	}
	d := &dist{root: ".", out: *out, vscode: !*without, log: os.Stdout}
	err := d.choose(*platforms)
	if err == nil {
		err = d.make()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(1)
	}
}

// choose keeps the platforms that are named "linux/amd64,…"; all if none is.
func (d *dist) choose(names string) error {
	if names == "" {
		d.platforms = platforms
		return nil
	}
	for _, name := range strings.Split(names, ",") {
		found := false
		for _, p := range platforms {
			if p.goos+"/"+p.goarch == name {
				d.platforms, found = append(d.platforms, p), true
			}
		}
		if !found {
			return fmt.Errorf("%q is no platform that is built", name)
		}
	}
	return nil
}
