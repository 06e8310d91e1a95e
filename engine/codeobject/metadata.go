package codeobject

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/tinylib/msgp/msgp"

	"isadiff/engine/isa"
)

// metadata is what one metadata note says.
type metadata struct {
	target  string
	version [2]int
	entries []entry
}

// An entry is what metadata say of one kernel.
type entry struct {
	name, symbol string
	metadata     isa.Metadata
	problems     []string
}

// readMetadata reads the MessagePack of a metadata note (AMDGPUUsage, "Code Object
// V3 Metadata" and later). What it returns with an error is not all.
func readMetadata(b []byte) (m metadata, err error) {
	kernels := false
	rest, err := members(b, func(key, value []byte) (err error) {
		switch string(key) {
		case "amdhsa.target":
			m.target, _, err = msgp.ReadStringBytes(value)
		case "amdhsa.version":
			n := 0
			_, err = elements(value, func(value []byte) error {
				v, _, err := msgp.ReadInt64Bytes(value)
				if err == nil && n < len(m.version) && v >= 0 && v < 1000 {
					m.version[n] = int(v)
				}
				n++
				return err
			})
		case "amdhsa.kernels":
			kernels = true
			_, err = elements(value, func(value []byte) error {
				e, err := readEntry(value)
				if err == nil {
					m.entries = append(m.entries, e)
				}
				return err
			})
		}
		return err
	})
	switch {
	case err != nil:
		return m, err
	case len(rest) > 0:
		return m, fmt.Errorf("%d bytes follow them", len(rest))
	case !kernels:
		return m, errors.New("they have no amdhsa.kernels")
	}
	return m, nil
}

// maxKeys bounds the keys of one map; LLVM writes about twenty.
const maxKeys = 1024

// members calls f with each key and the bytes of its value, of a map whose keys are
// strings, and returns what follows the map. A key that is there twice is an error,
// as nobody knows which of the two counts.
func members(b []byte, f func(key, value []byte) error) (rest []byte, err error) {
	n, b, err := msgp.ReadMapHeaderBytes(b)
	if err != nil {
		return nil, err
	}
	if n > maxKeys {
		return nil, fmt.Errorf("a map claims %d keys", n)
	}
	var space [32][]byte
	seen := space[:0]
	for range n {
		var key []byte
		if key, b, err = msgp.ReadStringZC(b); err != nil {
			return nil, err
		}
		for _, k := range seen {
			if bytes.Equal(k, key) {
				return nil, fmt.Errorf("%s is there twice", clean(string(key)))
			}
		}
		seen = append(seen, key)
		value := b
		if b, err = msgp.Skip(b); err != nil {
			return nil, err
		}
		if err := f(key, value[:len(value)-len(b)]); err != nil {
			return nil, fmt.Errorf("%s: %w", clean(string(key)), err)
		}
	}
	return b, nil
}

// elements calls f with the bytes of each element of an array, and returns what
// follows the array.
func elements(b []byte, f func(value []byte) error) (rest []byte, err error) {
	n, b, err := msgp.ReadArrayHeaderBytes(b)
	if err != nil {
		return nil, err
	}
	for range n {
		value := b
		if b, err = msgp.Skip(b); err != nil {
			return nil, err
		}
		if err := f(value[:len(value)-len(b)]); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// counts are the fields of an entry that are counts.
var counts = map[string]func(*isa.Metadata) *isa.Field{
	".vgpr_count":                 func(m *isa.Metadata) *isa.Field { return &m.VGPRCount },
	".agpr_count":                 func(m *isa.Metadata) *isa.Field { return &m.AGPRCount },
	".sgpr_count":                 func(m *isa.Metadata) *isa.Field { return &m.SGPRCount },
	".vgpr_spill_count":           func(m *isa.Metadata) *isa.Field { return &m.VGPRSpillCount },
	".sgpr_spill_count":           func(m *isa.Metadata) *isa.Field { return &m.SGPRSpillCount },
	".private_segment_fixed_size": func(m *isa.Metadata) *isa.Field { return &m.PrivateSegment },
	".group_segment_fixed_size":   func(m *isa.Metadata) *isa.Field { return &m.GroupSegment },
	".kernarg_segment_size":       func(m *isa.Metadata) *isa.Field { return &m.KernargSegment },
	".wavefront_size":             func(m *isa.Metadata) *isa.Field { return &m.WavefrontSize },
	".max_flat_workgroup_size":    func(m *isa.Metadata) *isa.Field { return &m.MaxFlatWorkgroupSize },
}

// readEntry reads an entry of amdhsa.kernels.
func readEntry(b []byte) (e entry, err error) {
	m := &e.metadata
	_, err = members(b, func(key, value []byte) (err error) {
		if f := counts[string(key)]; f != nil {
			*f(m) = count(string(key), value)
			return nil
		}
		switch string(key) {
		case ".name":
			e.name, _, err = msgp.ReadStringBytes(value)
		case ".symbol":
			e.symbol, _, err = msgp.ReadStringBytes(value)
		case ".uses_dynamic_stack":
			m.DynamicStackStated = true
			m.DynamicStack, _, err = msgp.ReadBoolBytes(value)
		case ".reqd_workgroup_size":
			e.workgroup(value)
		case ".args":
			_, err = elements(value, func(argument []byte) error {
				_, err := members(argument, func(key, value []byte) error {
					if msgp.NextType(value) != msgp.StrType {
						return nil
					}
					if s, _, err := msgp.ReadStringZC(value); err == nil {
						m.LDSArgument = max(m.LDSArgument, isa.LDSArgumentOf(string(key), string(s)))
					}
					return nil
				})
				return err
			})
		}
		return err
	})
	return e, err
}

// workgroup reads .reqd_workgroup_size.
func (e *entry) workgroup(value []byte) {
	n := 0
	var sizes [3]int64
	_, err := elements(value, func(value []byte) error {
		f := count(".reqd_workgroup_size", value)
		if f.State != isa.Read || n >= len(sizes) {
			return errors.New("it is no size")
		}
		sizes[n] = f.Value
		n++
		return nil
	})
	if err != nil || n != len(sizes) {
		e.problems = append(e.problems, ".reqd_workgroup_size is no list of three sizes")
		return
	}
	e.metadata.ReqdWorkgroupSize = sizes
}

// count reads an integer that is not negative.
func count(key string, value []byte) isa.Field {
	invalid := func(what string) isa.Field {
		return isa.Field{State: isa.Invalid, Reason: key + " is " + what}
	}
	switch msgp.NextType(value) {
	case msgp.IntType:
		n, _, err := msgp.ReadInt64Bytes(value)
		if err == nil && n >= 0 {
			return field(n)
		}
		return invalid(fmt.Sprintf("%d, which is negative", n))
	case msgp.UintType:
		n, _, err := msgp.ReadUint64Bytes(value)
		if err == nil && n <= math.MaxInt64 {
			return field(int64(n))
		}
		return invalid("beyond all counts")
	}
	return invalid("no integer")
}
