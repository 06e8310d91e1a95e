package snapshot

import (
	"bytes"
	"encoding/hex"
	"strconv"
)

// spellBytes spells the bytes of names that are no UTF-8 as we do, \xff. Python
// puts them into JSON as lone low surrogates, \udc80 to \udcff (PEP 383,
// "surrogateescape"). Other lone surrogates stay, and are refused as no Unicode.
func spellBytes(data []byte) []byte {
	if !bytes.Contains(data, []byte(`\udc`)) && !bytes.Contains(data, []byte(`\uDC`)) &&
		!bytes.Contains(data, []byte(`\uDc`)) && !bytes.Contains(data, []byte(`\udC`)) {
		return data
	}
	out := make([]byte, 0, len(data))
	for len(data) > 0 {
		at := bytes.IndexByte(data, '\\')
		if at < 0 {
			break
		}
		out, data = append(out, data[:at]...), data[at:]
		n := min(2, len(data)) // of an escape that stays as it is
		switch unit := utf16Unit(data); {
		case 0xdc80 <= unit && unit <= 0xdcff:
			out = hex.AppendEncode(append(out, `\\x`...), []byte{byte(unit)})
			data = data[len(`\udcff`):]
			continue
		case 0xd800 <= unit && unit < 0xdc00: // the first half of a pair, or refused
			n = len(`\ud83d`)
			if second := utf16Unit(data[n:]); 0xdc00 <= second && second < 0xe000 {
				n *= 2
			}
		}
		out, data = append(out, data[:n]...), data[n:]
	}
	return append(out, data...)
}

// utf16Unit returns the unit of the escape \uXXXX at the beginning of data, 0 if
// there is none.
func utf16Unit(data []byte) uint64 {
	if len(data) < 6 || data[0] != '\\' || data[1] != 'u' {
		return 0
	}
	unit, err := strconv.ParseUint(string(data[2:6]), 16, 16)
	if err != nil {
		return 0
	}
	return unit
}
