package main

import (
	"cmp"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// A bill is a software bill of materials in the JSON of CycloneDX 1.5. It has no
// time and no serial number, so that the same sources give the same bill.
type bill struct {
	Schema       string       `json:"$schema"`
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     billMetadata `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type billMetadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// writeBill writes what the binaries and the extension of VS Code are made from:
// the modules that the linker noted in the binaries, and the packages that the
// language client brings, from the lock file.
func writeBill(w io.Writer, version string, binaries []string, lock string) error {
	parts := map[string]component{}
	for _, path := range binaries {
		modules, err := goModules(path)
		if err != nil {
			return err
		}
		for _, c := range modules {
			parts[c.Ref] = c
		}
	}
	packages, err := npmPackages(lock, "vscode-languageclient")
	if err != nil {
		return err
	}
	for _, c := range packages {
		parts[c.Ref] = c
	}
	self := component{Type: "application", Name: "isadiff", Version: version, PURL: "pkg:generic/isadiff@" + version}
	self.Ref = self.PURL
	b := bill{
		Schema: "http://cyclonedx.org/schema/bom-1.5.schema.json", Format: "CycloneDX", SpecVersion: "1.5", Version: 1,
		Metadata:     billMetadata{Component: self},
		Components:   slices.SortedFunc(maps.Values(parts), func(a, b component) int { return cmp.Compare(a.Ref, b.Ref) }),
		Dependencies: []dependency{{Ref: self.Ref, DependsOn: slices.Sorted(maps.Keys(parts))}},
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(b)
}

// goModules returns the modules that a binary was linked from, and Go's own
// library. The sum is that of go.sum, a hash of the module's tree.
func goModules(binary string) ([]component, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, fmt.Errorf("reading what %s is made from: %w", binary, err)
	}
	list := []component{golang("stdlib", strings.TrimPrefix(info.GoVersion, "go"), "")}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		list = append(list, golang(m.Path, m.Version, m.Sum))
	}
	return list, nil
}

func golang(path, version, sum string) component {
	c := component{Type: "library", Name: path, Version: version, PURL: "pkg:golang/" + path + "@" + version}
	c.Ref = c.PURL
	if sum != "" {
		c.Properties = []property{{"go:sum", sum}}
	}
	return c
}

// npmPackages returns a package of a lock file (version 3) with all that it
// needs, itself included.
func npmPackages(lock, root string) ([]component, error) {
	data, err := os.ReadFile(lock)
	if err != nil {
		return nil, fmt.Errorf("reading the packages of the extension: %w", err)
	}
	type entry struct {
		Version      string
		Integrity    string
		Dependencies map[string]string
	}
	var locked struct{ Packages map[string]entry }
	if err := json.Unmarshal(data, &locked); err != nil {
		return nil, fmt.Errorf("reading the packages of the extension: %s: %w", lock, err)
	}
	// find looks for a package as node does: beside whoever needs it, then further up.
	find := func(from, name string) (string, error) {
		for {
			path := strings.TrimPrefix(from+"/node_modules/"+name, "/")
			if _, ok := locked.Packages[path]; ok {
				return path, nil
			}
			if from == "" {
				return "", fmt.Errorf("reading the packages of the extension: %s does not hold %s", lock, name)
			}
			from = strings.TrimSuffix(from[:max(0, strings.LastIndex(from, "node_modules/"))], "/")
		}
	}
	found := map[string]component{}
	var add func(from, name string) error
	add = func(from, name string) error {
		path, err := find(from, name)
		if err != nil {
			return err
		}
		if _, known := found[path]; known {
			return nil
		}
		e := locked.Packages[path]
		c := component{Type: "library", Name: name, Version: e.Version, PURL: "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + e.Version}
		c.Ref = c.PURL
		if c.Hashes, err = npmHashes(e.Integrity); err != nil {
			return fmt.Errorf("%s: %s: %w", lock, path, err)
		}
		found[path] = c
		for _, needed := range slices.Sorted(maps.Keys(e.Dependencies)) {
			if err := add(path, needed); err != nil {
				return err
			}
		}
		return nil
	}
	if err := add("", root); err != nil {
		return nil, err
	}
	return slices.Collect(maps.Values(found)), nil
}

// npmHashes turns a lock file's "sha512-<base64>" into CycloneDX's form.
func npmHashes(integrity string) ([]hash, error) {
	encoded, ok := strings.CutPrefix(integrity, "sha512-")
	if !ok {
		return nil, fmt.Errorf("the integrity %q is no SHA-512", integrity)
	}
	sum, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, fmt.Errorf("the integrity %q: %w", integrity, err)
	}
	return []hash{{"SHA-512", hex.EncodeToString(sum)}}, nil
}
