package gfx

import (
	"fmt"
	"slices"
	"strings"
)

// A Target is the identity of what a file was compiled for: the processor and
// its features. The triple in front of them does not count for identity: the
// arch word is being renamed (LLVM 23: amdgcn to amdgpu...), and the environment
// field is sometimes empty and sometimes "unknown".
type Target struct {
	ID        string   // as written in the file
	Processor string   // "gfx942", "gfx9-4-generic"; "" if it cannot be named
	Features  []string // "sramecc+", "xnack-", sorted; nil if unset
}

// ParseTarget reads a target identity,
//
//	<arch>-<vendor>-<os>-<environment>-<processor>(:<feature>(+|-))*
//
// from the left, as generic processors contain "-". It also reads the spelling
// of code object v3 (LLVM 14: "gfx90a+xnack+sram-ecc") and an empty processor
// whose version is in the arch word (LLVM 23: "amdgpu12.50-amd-amdhsa-unknown-").
// A target that cannot be named gives an error; its ID is kept.
func ParseTarget(id string) (Target, error) {
	t := Target{ID: id}
	fields := strings.SplitN(id, "-", 5)
	if len(fields) < 5 {
		return t, fmt.Errorf("target %q is not of the form arch-vendor-os-environment-processor", id)
	}
	parts := strings.Split(fields[4], ":")
	processor, legacy := splitLegacyFeatures(parts[0])
	if processor == "" {
		processor = processorOfArch(fields[0])
	}
	if !validProcessor(processor) {
		return t, fmt.Errorf("target %q names no processor", id)
	}
	features := legacy
	for _, f := range parts[1:] {
		name := strings.TrimRight(f, "+-")
		if len(f) != len(name)+1 || !validFeature(name) {
			return t, fmt.Errorf("target %q has a feature %q that is not of the form name+ or name-", id, f)
		}
		features = append(features, f)
	}
	slices.Sort(features)
	if features = slices.Compact(features); contradictory(features) {
		return t, fmt.Errorf("target %q has one feature both on and off", id)
	}
	t.Processor, t.Features = processor, features
	return t, nil
}

// splitLegacyFeatures separates "gfx90a+xnack+sram-ecc", the spelling of code
// object v3, into the processor and features in today's spelling.
func splitLegacyFeatures(s string) (processor string, features []string) {
	processor, rest, found := strings.Cut(s, "+")
	if !found {
		return s, nil
	}
	for _, f := range strings.Split(rest, "+") {
		switch f {
		case "sram-ecc":
			f = "sramecc"
		case "no-sram-ecc":
			f = "no-sramecc"
		}
		name, off := strings.CutPrefix(f, "no-")
		if !validFeature(name) {
			return "", nil
		}
		if off {
			features = append(features, name+"-")
		} else {
			features = append(features, name+"+")
		}
	}
	return processor, features
}

// processorOfArch names the processor that LLVM 23 puts into the arch word:
// "amdgpu9.50" is gfx950 and "amdgpu9.4.2" gfx942.
func processorOfArch(arch string) string {
	version, found := strings.CutPrefix(arch, "amdgpu")
	if !found || version == "" {
		return ""
	}
	return "gfx" + strings.ReplaceAll(version, ".", "")
}

// validFeature reports whether s has the form of a feature's name.
func validFeature(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// validProcessor reports whether s has the form of a processor: gfx and a
// hexadecimal version of three or four digits, or gfxN-generic, gfxN-M-generic.
func validProcessor(s string) bool {
	version, found := strings.CutPrefix(s, "gfx")
	if !found {
		return false
	}
	if generic, ok := strings.CutSuffix(version, "-generic"); ok {
		for i, part := range strings.SplitN(generic, "-", 3) {
			if part == "" || i == 0 && part[0] == '0' || strings.Trim(part, "0123456789") != "" {
				return false
			}
		}
		return strings.Count(generic, "-") <= 2
	}
	if len(version) < 3 || len(version) > 5 {
		return false
	}
	major := version[:len(version)-2]
	return strings.Trim(version, "0123456789abcdef") == "" && strings.Trim(major, "0123456789") == "" && major[0] != '0'
}

func contradictory(features []string) bool {
	for i := 1; i < len(features); i++ {
		if strings.TrimRight(features[i], "+-") == strings.TrimRight(features[i-1], "+-") {
			return true
		}
	}
	return false
}

// Gen returns the generation of t's processor: the digits of gfxNNN without the
// last two (gfx1250 is 12, gfx90a is 9), the first number of a generic one, and
// 0 if the processor cannot be named.
func (t Target) Gen() int { return gen(t.Processor) }

func gen(processor string) int {
	version, found := strings.CutPrefix(processor, "gfx")
	if !found {
		return 0
	}
	major, _, generic := strings.Cut(version, "-")
	if !generic {
		if len(version) < 3 {
			return 0
		}
		major = version[:len(version)-2]
	}
	n := 0
	for _, c := range major {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// Feature returns the setting of a feature: '+', '-' or 0 if it is unset, which
// equals neither.
func (t Target) Feature(name string) byte {
	for _, f := range t.Features {
		if len(f) == len(name)+1 && strings.HasPrefix(f, name) {
			return f[len(name)]
		}
	}
	return 0
}

// Same reports whether a and b have one identity: the same processor with the
// same features. A target without a processor is the same as none, itself
// included.
func Same(a, b Target) bool {
	return a.Processor != "" && a.Processor == b.Processor && slices.Equal(a.Features, b.Features)
}
