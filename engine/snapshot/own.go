package snapshot

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"isadiff/engine/resource"
)

// A header is what a snapshot tells besides its kernels.
type header struct {
	trustworthy        *bool
	warnings, problems []string
	codes              []coded
	written, revision  string
	edition            int
}

// readOwn decodes a text in the form that [EncodeTo] writes, in one pass. Whatever is
// not of that form (other members or types, another order, numbers that are no plain
// digits, a key twice) gives false, and says nothing of the text: it is for the
// decoder of any JSON. What it returns is what that one returns.
func readOwn(text []byte) (head header, kernels kernelList, ok bool) {
	o := own{text: text, known: map[string]string{}}
	head, ok = o.document(&kernels)
	return head, kernels, ok
}

// isOwn reports whether [readOwn] would take a text, as far as its form tells. It holds
// no kernel.
func isOwn(text []byte) bool {
	o := own{text: text, known: map[string]string{}}
	_, ok := o.document(nil)
	return ok
}

// document reads the whole text; it keeps no kernels if there is no list for them.
func (o *own) document(kernels *kernelList) (head header, ok bool) {
	if bytes.Count(o.text, []byte(",")) > maxValues {
		return head, false
	}
	schema, tool, seen := int64(0), Tool, false
	o.object(func(key []byte) {
		switch string(key) {
		case "edition":
			head.edition = int(o.integer())
		case "kernels":
			seen = true
			o.kernels(kernels, head.edition)
		case "problem_codes":
			head.codes = o.codes()
		case "problems":
			head.problems = o.strings()
		case "revision":
			head.revision = string(o.str())
		case "schema":
			schema = o.integer()
		case "tool":
			tool = string(o.str())
		case "trustworthy":
			b := o.boolean()
			head.trustworthy = &b
		case "warnings":
			head.warnings = o.strings()
		case "written":
			head.written = string(o.str())
		default:
			o.failed = true
		}
	})
	o.peek()
	return head, !o.failed && o.pos == len(o.text) && seen && schema == Schema && tool == Tool
}

// An own reads JSON of our own form. Once it has failed, what it returns means
// nothing, and it goes no further.
type own struct {
	text   []byte
	pos    int
	failed bool
	known  map[string]string // strings that come again and again
	source string            // of the last kernel
	made   []string          // compilers of the last kernel
}

// peek passes over blanks and returns the next byte, 0 at the end.
func (o *own) peek() byte {
	for o.pos < len(o.text) {
		c := o.text[o.pos]
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c
		}
		o.pos++
	}
	return 0
}

// take passes over a byte that has to be there.
func (o *own) take(c byte) {
	if o.peek() != c {
		o.failed = true
		return
	}
	o.pos++
}

// more reports whether a list or an object goes on behind a value, and passes over
// what says so.
func (o *own) more(closing byte) bool {
	switch c := o.peek(); {
	case o.failed:
	case c == ',':
		o.pos++
		return true
	case c == closing:
		o.pos++
	default:
		o.failed = true
	}
	return false
}

// object calls member for each key, which reads the value. The keys are in ascending
// order, so none is there twice.
func (o *own) object(member func(key []byte)) {
	if o.take('{'); o.failed {
		return
	}
	if o.peek() == '}' {
		o.pos++
		return
	}
	var last []byte
	for first := true; first || o.more('}'); first = false {
		key := o.str()
		if !first && bytes.Compare(key, last) <= 0 {
			o.failed = true
		}
		last = key
		if o.take(':'); o.failed {
			return
		}
		member(key)
	}
}

// array calls element for each value, which reads it.
func (o *own) array(element func()) {
	if o.take('['); o.failed {
		return
	}
	if o.peek() == ']' {
		o.pos++
		return
	}
	for n := 0; n == 0 || o.more(']'); n++ {
		if element(); n > maxListed {
			o.failed = true
		}
	}
}

// str reads a string.
func (o *own) str() []byte {
	if o.take('"'); o.failed {
		return nil
	}
	start := o.pos
	for i := start; i < len(o.text); i++ {
		switch c := o.text[i]; {
		case c == '"':
			o.pos = i + 1
			return o.text[start:i]
		case c == '\\' || c < ' ' || c >= 0x80:
			return o.quoted(start - 1)
		}
	}
	o.failed = true
	return nil
}

// quoted reads a string with escapes or letters beyond ASCII from its quote on.
func (o *own) quoted(start int) []byte {
	for i := start + 1; i < len(o.text); i++ {
		switch o.text[i] {
		case '\\':
			i++
		case '"':
			s, err := jsontext.AppendUnquote(nil, o.text[start:i+1])
			o.pos, o.failed = i+1, o.failed || err != nil
			return s
		}
	}
	o.failed = true
	return nil
}

// often reads a string that is likely to be there more than once.
func (o *own) often() string {
	b := o.str()
	s, ok := o.known[string(b)]
	if !ok {
		s = string(b)
		o.known[s] = s
	}
	return s
}

// optional is often for what may be null.
func (o *own) optional() string {
	if o.null() {
		return ""
	}
	return o.often()
}

func (o *own) null() bool { return o.literal("null") }

func (o *own) literal(word string) bool {
	if o.peek(); !bytes.HasPrefix(o.text[o.pos:], []byte(word)) {
		return false
	}
	o.pos += len(word)
	return true
}

func (o *own) boolean() bool {
	yes := o.literal("true")
	o.failed = o.failed || !yes && !o.literal("false")
	return yes
}

// integer reads plain digits, as many as surely fit.
func (o *own) integer() (n int64) {
	o.peek()
	start := o.pos
	for o.pos < len(o.text) && o.text[o.pos] >= '0' && o.text[o.pos] <= '9' {
		n = 10*n + int64(o.text[o.pos]-'0')
		o.pos++
	}
	digits := o.pos - start
	o.failed = o.failed || digits == 0 || digits > 18 || digits > 1 && o.text[start] == '0'
	return n
}

func (o *own) strings() []string {
	list := []string{}
	o.array(func() { list = append(list, o.often()) })
	return slices.Clip(list)
}

func (o *own) codes() []coded {
	list := []coded{}
	o.array(func() {
		var c coded
		o.object(func(key []byte) {
			switch string(key) {
			case "code":
				c.Code = o.often()
			case "message":
				c.Message = o.often()
			case "file", "kernel", "side":
				o.str()
			case "line":
				o.integer()
			default:
				o.failed = true
			}
		})
		list = append(list, c)
	})
	return slices.Clip(list)
}

func (o *own) kernels(l *kernelList, edition int) {
	if l != nil {
		l.edition = edition
	}
	o.object(func(name []byte) {
		var k kernel
		if o.kernel(&k); l == nil {
			return
		}
		if o.failed = o.failed || !k.Metrics.seen || len(l.records) == maxKernels; o.failed {
			return
		}
		r, err := k.record(string(name), l)
		o.failed = err != nil
		l.records = append(l.records, r)
	})
}

func (o *own) kernel(k *kernel) {
	o.object(func(key []byte) {
		switch string(key) {
		case "arch":
			o.arch(&k.Arch)
		case "compilers":
			if k.Compilers = o.strings(); slices.Equal(k.Compilers, o.made) {
				k.Compilers = o.made
			}
			o.made = k.Compilers
		case "digest":
			k.Digest = string(o.str())
		case "launch":
			o.launch(&k.Launch)
		case "metrics":
			o.metrics(&k.Metrics)
		case "notes":
			k.Notes = o.strings()
		case "occupancy":
			o.occupancy(&k.Occupancy)
		case "origin":
			o.origin(&k.Origin)
		case "problem_codes":
			k.Codes = o.codes()
		case "problems":
			k.Problems = o.strings()
		case "source":
			if s := o.str(); string(s) != o.source {
				o.source = string(s)
			}
			k.Source = o.source
		default:
			o.failed = true
		}
	})
}

func (o *own) arch(a *arch) {
	o.object(func(key []byte) {
		switch string(key) {
		case "features":
			a.Features = o.strings()
		case "gen":
			if !o.null() {
				o.integer()
			}
		case "processor":
			a.Processor = o.optional()
		case "target_id":
			a.TargetID = o.optional()
		default:
			o.failed = true
		}
	})
}

func (o *own) launch(l *launch) {
	o.object(func(key []byte) {
		switch string(key) {
		case "compiler_waves":
			l.CompilerWaves = o.integer()
		case "cu_mode":
			l.CUMode = o.boolean()
		case "dynamic_lds":
			l.DynamicLDS = o.boolean()
		case "dynamic_stack":
			l.DynamicStack = o.boolean()
		case "dynamic_vgpr":
			l.DynamicVGPR = o.boolean()
		case "max_flat_workgroup_size":
			l.MaxFlatWorkgroupSize = o.integer()
		case "next_free_vgpr":
			l.NextFreeVGPR = o.integer()
		case "reqd_workgroup_size":
			o.array(func() { l.ReqdWorkgroupSize = append(l.ReqdWorkgroupSize, o.integer()) })
		case "wavefront_size":
			l.WavefrontSize = o.integer()
		default:
			o.failed = true
		}
	})
}

func (o *own) occupancy(w *occupancy) {
	o.object(func(key []byte) {
		switch string(key) {
		case "launch":
			w.Launch = int(o.integer())
		case "limiter":
			w.Limiter = o.optional()
		case "llvm":
			w.LLVM = int(o.integer())
		case "unlaunchable":
			o.str()
		default:
			o.failed = true
		}
	})
}

func (o *own) origin(from *origin) {
	o.object(func(key []byte) {
		switch string(key) {
		case "digest":
			from.Digest = o.often()
		case "line":
			from.Line = int(o.integer())
		case "path":
			from.Path = o.often()
		case "sources":
			from.Sources = o.often()
		default:
			o.failed = true
		}
	})
}

func (o *own) metrics(m *metrics) {
	m.seen = true
	n := 0 // of the metric that is expected next
	o.object(func(key []byte) {
		for n < len(resource.ByKey) && resource.ByKey[n].String() != string(key) {
			n++
		}
		if n == len(resource.ByKey) {
			o.failed = true
			return
		}
		m.cells[resource.ByKey[n]], m.present[resource.ByKey[n]] = o.cell(), true
		n++
	})
}

func (o *own) cell() (c resource.Cell) {
	state, value := "", false
	o.object(func(key []byte) {
		switch string(key) {
		case "reason":
			c.Reason = o.often()
		case "state":
			state = o.often()
		case "value":
			c.Value, value = o.integer(), true
		default:
			o.failed = true
		}
	})
	switch state {
	case stateValue:
		c.State = resource.Known
	case stateNA:
		c.State = resource.NotApplicable
	case stateUnparsed:
	default:
		o.failed = true
	}
	// A value, or a reason: never both, never none.
	o.failed = o.failed || value != (c.State == resource.Known) || value != (c.Reason == "")
	return c
}
