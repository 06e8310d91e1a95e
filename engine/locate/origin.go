package locate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"slices"
)

// A Module is the content of a 00_origin.mlir: the text of the module that the DSL
// gave to the compiler.
type Module struct {
	Kernels []ModuleKernel // in the order of the text
	Digest  string         // hash of the module up to locations and paths; "" if Cut
	Cut     bool           // the text ends before the module does: it is still being written
}

// A ModuleKernel is one gpu.func of a module.
type ModuleKernel struct {
	Symbol     string
	Locations  []Location // where it is defined, the innermost call first; nearly always one, none if no file is named
	StaticLDS  int64      // bytes of its static allocations in LDS
	DynamicLDS int64      // bytes of LDS that its launches give it, the largest; -1 if that is no constant
	Digest     string     // hash of its text and of what all kernels of its module share, up to its symbol, locations and paths
}

// Kernel returns the kernel of a symbol, or nil.
func (m *Module) Kernel(symbol string) *ModuleKernel {
	if m == nil {
		return nil
	}
	for i := range m.Kernels {
		if m.Kernels[i].Symbol == symbol {
			return &m.Kernels[i]
		}
	}
	return nil
}

// An OriginParser reads texts one after the other and reuses its memory. The zero
// value is ready to use.
type OriginParser struct{ s originScanner }

// Parse reads the text of a 00_origin.mlir in one pass. It never fails: it skips
// what it does not understand, and Cut says if the text is cut short. The module
// keeps nothing of the text.
//
// Measured on FlyDSL 0.4.2: a function's own location stands behind the closing
// brace of its gpu.func, as an alias that is defined anywhere in the text. The
// locations of the arguments on the gpu.func line are the launcher's.
func (p *OriginParser) Parse(text []byte) *Module {
	s := &p.s
	*s = originScanner{
		text: text, module: &Module{}, moduleHash: s.moduleHash, kernelHash: s.kernelHash,
		aliases: aliases{list: s.aliases.list[:0]}, bodies: s.bodies[:0], launches: s.launches[:0],
		shared: s.shared, device: -1,
	}
	if s.moduleHash == nil {
		s.moduleHash, s.kernelHash = sha256.New(), sha256.New()
	}
	s.moduleHash.Reset()
	s.shared.Reset()
	s.hash = s.moduleHash
	s.scan()
	s.finish()
	return s.module
}

// An originScanner holds the state of one pass.
type originScanner struct {
	text   []byte
	module *Module
	braces int
	parens int

	aliases  aliases
	bodies   [][]byte      // of the kernels' own locations, beside module.Kernels; nil if none
	kernel   *ModuleKernel // the gpu.func that the scan is in
	outer    [2]int        // braces and parens outside of it
	launches []launch
	searches int // constants that were looked up

	moduleHash, kernelHash hash.Hash
	hash                   io.Writer    // the one that the text goes to now
	hashed                 int          // the text up to here has gone to it
	shared                 bytes.Buffer // what is neither a kernel's nor the host's: aliases, the gpu.module and its globals
	device                 int          // braces outside of the gpu.module that the scan is in; -1 outside of any

	opened bool // a brace was seen
	broken bool // a string or location is not closed
}

// A launch is one gpu.launch_func.
type launch struct {
	symbol string
	lds    int64 // bytes; -1 if unknown
}

// interesting marks the bytes at which the scan stops.
var interesting = func() (t [256]bool) {
	for _, c := range []byte("\"{}()/\nlga") {
		t[c] = true
	}
	return t
}()

func (s *originScanner) scan() {
	text := s.text
	for i := s.alias(0); i < len(text); {
		c := text[i]
		if !interesting[c] {
			i++
			continue
		}
		switch c {
		case '"':
			i = s.quoted(i)
		case '{':
			s.braces++
			s.opened = true
			i++
		case '}':
			s.braces--
			s.leave(i)
			i = s.close(i)
		case '(':
			s.parens++
			i++
		case ')':
			s.parens--
			i++
		case '/':
			i = s.comment(i)
		case '\n':
			i = s.alias(i + 1)
		default:
			i = s.word(i)
		}
	}
}

// word looks at the start of a word that may be one of ours.
func (s *originScanner) word(i int) int {
	rest := s.text[i:]
	if i > 0 && isWord(s.text[i-1]) {
		return i + 1
	}
	switch {
	case rest[0] == 'l' && bytes.HasPrefix(rest, []byte("loc(")):
		_, end := s.location(i)
		return end
	case rest[0] == 'g' && bytes.HasPrefix(rest, []byte("gpu.func ")):
		return s.open(i)
	case rest[0] == 'g' && bytes.HasPrefix(rest, []byte("gpu.module ")):
		return s.enter(i)
	case rest[0] == 'g' && bytes.HasPrefix(rest, []byte("gpu.launch_func ")):
		s.launch(i)
		return i + len("gpu.launch_func ")
	case rest[0] == 'a' && bytes.HasPrefix(rest, []byte("allocBytes = ")):
		s.allocation(i + len("allocBytes = "))
	}
	return i + 1
}

// quoted skips a string; the digest takes an absolute path for any other.
func (s *originScanner) quoted(i int) int {
	end, ok := stringEnd(s.text, i)
	s.broken = s.broken || !ok
	if isAbsolute(s.text[i+1 : end]) {
		s.flush(i)
		s.hash.Write([]byte(`"path`))
		s.hashed = max(i+1, end-1)
	}
	return end
}

// comment skips "// …" up to the end of the line.
func (s *originScanner) comment(i int) int {
	if i+1 >= len(s.text) || s.text[i+1] != '/' {
		return i + 1
	}
	return lineEnd(s.text, i)
}

// alias records the aliases "#loc1 = loc(…)" that the lines from offset i on
// hold, keeps them out of the digest and returns the offset behind them. Other
// aliases ("#map = …") are text like any other.
func (s *originScanner) alias(i int) int {
	if i < len(s.text) && s.text[i] == '!' { // of a type
		s.shared.Write(s.text[i:lineEnd(s.text, i)])
	}
	for i < len(s.text) && s.text[i] == '#' {
		line := s.text[i:lineEnd(s.text, i)]
		name, _, ok := bytes.Cut(line, []byte(" = loc("))
		if !ok || bytes.ContainsAny(name, " \"") {
			s.shared.Write(line)
			break
		}
		s.flush(i)
		s.hashed = i + len(name) + len(" = ")
		body, end := s.location(s.hashed)
		s.aliases.add(name, body)
		i = min(lineEnd(s.text, end)+1, len(s.text))
		s.hashed = i
	}
	return i
}

// location skips "loc(…)" at i, keeps it out of the digest, and returns what
// stands between the brackets.
func (s *originScanner) location(i int) (body []byte, end int) {
	s.flush(i)
	depth := 0
	for j := i + len("loc"); j < len(s.text); {
		switch s.text[j] {
		case '"':
			var ok bool
			if j, ok = stringEnd(s.text, j); !ok {
				s.broken = true
			}
			continue
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				s.hashed = j + 1
				return s.text[i+len("loc(") : j], j + 1
			}
		case '\n':
			// A location never spans lines: what is not closed is damaged.
			s.broken = true
			s.hashed = j
			return nil, j
		}
		j++
	}
	s.broken = true
	s.hashed = len(s.text)
	return nil, len(s.text)
}

// enter begins the code of the device at "gpu.module @symbol".
func (s *originScanner) enter(i int) int {
	at := i + len("gpu.module ")
	_, end, ok := symbolAt(s.text, at)
	if !ok || s.device >= 0 || s.kernel != nil {
		return at
	}
	s.flush(end)
	s.device = s.braces
	s.hash = s.outside()
	return end
}

// leave ends it at its closing brace.
func (s *originScanner) leave(i int) {
	if s.device >= 0 && s.kernel == nil && s.braces <= s.device {
		s.flush(i)
		s.device = -1
		s.hash = s.outside()
	}
}

// outside is where the text goes that is no kernel's.
func (s *originScanner) outside() io.Writer {
	if s.device < 0 {
		return s.moduleHash
	}
	return io.MultiWriter(s.moduleHash, &s.shared)
}

// open begins a kernel at "gpu.func @symbol".
func (s *originScanner) open(i int) int {
	at := i + len("gpu.func ")
	symbol, end, ok := symbolAt(s.text, at)
	if !ok || s.kernel != nil {
		return at
	}
	s.flush(at)
	s.hash, s.hashed = s.kernelHash, end
	s.kernelHash.Reset()
	s.kernel = &ModuleKernel{Symbol: symbol}
	s.outer = [2]int{s.braces, s.parens}
	return end
}

// close looks at what follows a closing brace: the last one of a kernel is
// followed by the kernel's location, or by the end of the line.
func (s *originScanner) close(i int) int {
	if s.kernel == nil || s.braces > s.outer[0] || s.parens != s.outer[1] {
		return i + 1
	}
	at := i + 1
	for at < len(s.text) && (s.text[at] == ' ' || s.text[at] == '\t' || s.text[at] == '\r') {
		at++
	}
	switch {
	case bytes.HasPrefix(s.text[at:], []byte("loc(")):
		body, end := s.location(at)
		s.end(body)
		return end
	case at >= len(s.text):
		return at // cut right here: whether a location follows is unknown
	case s.text[at] == '\n', s.text[at] == '}', s.braces < s.outer[0]:
		s.flush(i + 1)
		s.end(nil)
	}
	return i + 1
}

// end completes the kernel that the scan is in.
func (s *originScanner) end(location []byte) {
	s.kernel.Digest = sum(s.kernelHash)
	s.moduleHash.Write([]byte(s.kernel.Symbol))
	s.moduleHash.Write([]byte(s.kernel.Digest))
	s.hash = s.outside()
	s.module.Kernels = append(s.module.Kernels, *s.kernel)
	s.bodies = append(s.bodies, location)
	s.kernel = nil
}

// allocation adds a static allocation in LDS: "allocBytes = 4224 : i64 … shared".
func (s *originScanner) allocation(i int) {
	if s.kernel == nil {
		return
	}
	rest := s.text[i:lineEnd(s.text, i)]
	if n, ok := leadingInt(rest); ok && bytes.Contains(rest, []byte(", shared")) {
		s.kernel.StaticLDS += n
	}
}

// launch records what "gpu.launch_func … @kernels::@symbol …
// dynamic_shared_memory_size %c4224_i32 …" gives to its kernel.
func (s *originScanner) launch(i int) {
	line := s.text[i:lineEnd(s.text, i)]
	at := bytes.Index(line, []byte("::@"))
	if at < 0 {
		return
	}
	symbol, _, ok := symbolAt(line, at+len("::"))
	if !ok {
		return
	}
	l := launch{symbol: symbol}
	if _, operand, ok := bytes.Cut(line, []byte(" dynamic_shared_memory_size ")); ok {
		name, _, _ := bytes.Cut(operand, []byte(" "))
		l.lds = s.constant(name, i)
	}
	s.launches = append(s.launches, l)
}

// maxSearches bounds the work for operands of launches in a text that is not
// FlyDSL's; its modules have a handful of launches.
const maxSearches = 256

// constant returns the value of an SSA name that is defined before offset i by
// "%name = arith.constant 4224 : i32", or -1.
func (s *originScanner) constant(name []byte, i int) int64 {
	if s.searches++; s.searches > maxSearches || len(name) < 2 || name[0] != '%' {
		return -1
	}
	definition := append(bytes.Clone(name), " = arith.constant "...)
	at := bytes.LastIndex(s.text[:i], definition)
	if at < 0 || at > 0 && isWord(s.text[at-1]) {
		return -1
	}
	if n, ok := leadingInt(s.text[at+len(definition) : i]); ok {
		return n
	}
	return -1
}

// flush sends the text up to offset i to the current digest. Blanks at its end
// go with the location that follows.
func (s *originScanner) flush(i int) {
	if i > s.hashed {
		s.hash.Write(bytes.TrimRight(s.text[s.hashed:i], " \t\r"))
		s.hashed = i
	}
}

// finish resolves the locations and completes the module.
func (s *originScanner) finish() {
	s.flush(len(s.text))
	m := s.module
	shared := s.digestShared()
	m.Cut = s.kernel != nil || s.braces != 0 || s.broken || !s.opened
	if !m.Cut {
		m.Digest = sum(s.moduleHash)
	}
	byName := make(map[string]int, len(m.Kernels))
	for i := range m.Kernels {
		k := &m.Kernels[i]
		k.Digest = shared(k.Digest)
		if body := s.bodies[i]; len(body) > 0 {
			k.Locations = resolveLocation(body, &s.aliases)
			if _, defined := s.aliases.find(body); body[0] == '#' && !defined {
				m.Cut, m.Digest = true, "" // its definition at the end of the text is not there yet
			}
		}
		if first, ok := byName[k.Symbol]; ok {
			// Two functions of one name: which of them a dump holds is unknown.
			m.Kernels[first].Locations, k.Locations = nil, nil
			continue
		}
		byName[k.Symbol] = i
	}
	for _, l := range s.launches {
		if i, ok := byName[l.symbol]; ok {
			if k := &m.Kernels[i]; l.lds < 0 || k.DynamicLDS < 0 {
				k.DynamicLDS = -1
			} else {
				k.DynamicLDS = max(k.DynamicLDS, l.lds)
			}
		}
	}
}

// digestShared returns what makes of the digest of a kernel's text one that what
// its module shares is part of. Mostly that is nothing.
func (s *originScanner) digestShared() func(string) string {
	words := bytes.Fields(bytes.ReplaceAll(s.shared.Bytes(), []byte("gpu.func"), nil))
	words = slices.DeleteFunc(words, func(w []byte) bool { return len(bytes.Trim(w, "{}@")) == 0 })
	if len(words) == 0 {
		return func(digest string) string { return digest }
	}
	text := bytes.Join(words, []byte(" "))
	return func(digest string) string {
		h := sha256.New()
		h.Write(text)
		h.Write([]byte(digest))
		return sum(h)
	}
}

// isAbsolute reports whether a string holds an absolute path, and not code that
// begins with a comment.
func isAbsolute(content []byte) bool {
	if len(content) > 2 && content[0] == '/' {
		return content[1] != '/' && content[1] != '*'
	}
	return len(content) > 3 && Drive(string(content[:3]))
}

func sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:16]) }
