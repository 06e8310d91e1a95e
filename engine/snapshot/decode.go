package snapshot

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"isadiff/engine/problem"
	"isadiff/engine/resource"
)

// A document is the outermost object: its members as slices of the text. They
// stay raw until the schema is known to be ours, as another schema may have
// other types.
type document map[string]jsontext.Value

// parse splits a text into its members. It refuses what is no JSON, all the way
// down.
func parse(data []byte) (document, error) {
	if bytes.Count(data, []byte(",")) > maxValues {
		return nil, errMany
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(data))
	if dec.PeekKind() != '{' {
		if _, err := dec.ReadValue(); err == io.EOF {
			return nil, errEmpty
		} else if err != nil {
			return nil, err
		}
		return nil, errNoObject
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	doc := make(document, 8)
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		end := dec.InputOffset()
		doc[key] = data[end-int64(len(value)) : end]
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, cmp.Or(err, errMore)
	}
	return doc, nil
}

// What a text may hold: a value of few bytes takes many in memory. A kernel has some
// forty values.
const (
	maxKernels = 200_000
	maxValues  = 40 * maxKernels
	maxListed  = 100_000 // in a member beside the kernels
)

var (
	errMany     = fmt.Errorf("holds more than %d values, as no snapshot does", maxValues)
	errKernels  = fmt.Errorf("holds more than %d kernels", maxKernels)
	errEmpty    = errors.New("is no JSON: there is nothing in it")
	errNoObject = errors.New("is no JSON object")
	errMore     = errors.New("is no JSON: something follows the object")
)

// Decode reads the text of a snapshot; path is how the user named it. As with
// [Load], the side is never nil.
//
// Keys that are given twice, bytes that are no UTF-8, numbers that are no plain
// non-negative integers of 63 bits and nesting without end are refused.
func Decode(path string, data []byte) (*resource.Side, Meta) {
	side, meta := decode(path, data)
	side.Sum = sha256.Sum256(data)
	return side, meta
}

func decode(path string, data []byte) (*resource.Side, Meta) {
	data = spellBytes(trimMark(data))
	if head, kernels, ok := readOwn(data); ok {
		return assemble(path, head, kernels)
	}
	return decodeAny(path, data)
}

// decodeAny decodes a text of any form, whose bytes are UTF-8.
func decodeAny(path string, data []byte) (*resource.Side, Meta) {
	invalid := func(format string, args ...any) *resource.Side {
		return refuse(path, problem.New(problem.SnapshotInvalid, path+": "+format, args...))
	}
	doc, err := parse(data)
	if err != nil {
		p := problem.New(problem.SnapshotInvalid, "%s: %s", path, describe(err, ""))
		return refuse(path, p.At(lineOf(data, err))), Meta{}
	}
	if p, ok := checkSchema(path, doc); !ok {
		return refuse(path, p), Meta{}
	}
	if doc["kernels"].Kind() != '{' {
		if doc["verdict"] != nil {
			return invalid("is the report of a comparison, not a snapshot"), Meta{}
		}
		return invalid("has no object \"kernels\""), Meta{}
	}
	var head header
	for name, to := range map[string]any{
		"trustworthy": &head.trustworthy, "warnings": &head.warnings, "problems": &head.problems, "problem_codes": &head.codes,
		"written": &head.written, "revision": &head.revision, "edition": &head.edition,
	} {
		if raw := doc[name]; raw != nil {
			if bytes.Count(raw, []byte(",")) > maxListed {
				return invalid("%s holds more than %d values", name, maxListed), Meta{}
			}
			if err := json.Unmarshal(raw, to); err != nil {
				return invalid("%s", describe(err, name)), Meta{}
			}
		}
	}
	kernels := kernelList{edition: head.edition}
	if err := json.Unmarshal(doc["kernels"], &kernels); errors.Is(err, errKernels) {
		return invalid("%v", errKernels), Meta{}
	} else if err != nil {
		return invalid("%s", describe(err, "kernels")), Meta{}
	}
	if len(kernels.bad) > 0 {
		return refuse(path, badCells(path, kernels.bad)...), Meta{}
	}
	return assemble(path, head, kernels)
}

// assemble makes a side of what was decoded.
func assemble(path string, head header, kernels kernelList) (*resource.Side, Meta) {
	side := &resource.Side{Origin: path, Snapshot: true, Warnings: head.warnings, Records: kernels.records}
	byKey := func(a, b *resource.Record) int { return strings.Compare(a.Key, b.Key) }
	if !slices.IsSortedFunc(side.Records, byKey) {
		slices.SortFunc(side.Records, byKey)
	}
	for m, lacks := range kernels.lacking {
		if lacks {
			side.Warnings = append(side.Warnings, fmt.Sprintf("%s has no %s, which isadiff did not have when it was written, so it is not compared; take a new one", path, resource.Metric(m)))
		}
	}
	switch {
	case head.trustworthy == nil:
		side.Problems = append(side.Problems, problem.New(problem.SnapshotUntrustworthy, "%s does not say whether its data could be trusted", path).In(path))
	case !*head.trustworthy || len(head.problems)+len(head.codes) > 0:
		side.Problems = append(side.Problems, untrustworthy(path, both(head.problems, head.codes)))
	}
	if len(side.Records) == 0 {
		side.Problems = append(side.Problems, problem.New(problem.NoKernels, "%s holds no kernel", path).In(path))
	}
	meta := Meta{Revision: head.revision}
	if t, err := time.Parse(time.RFC3339, head.written); err == nil {
		meta.Written = t // a time that cannot be read is one that is not told
	}
	side.Revision, side.Written = meta.Revision, meta.Written
	return side, meta
}

func checkSchema(path string, doc document) (problem.Problem, bool) {
	schema, tool := doc["schema"], doc["tool"]
	switch {
	case schema == nil:
		return problem.New(problem.SnapshotSchema, "%s names no schema; %d is expected", path, Schema), false
	case !isSchema(schema):
		return problem.New(problem.SnapshotSchema, "%s has schema %s; %d is expected", path, shorten(schema), Schema), false
	case tool != nil && !is(tool, Tool):
		return problem.New(problem.SnapshotSchema, "%s was written by tool %s; %q is expected", path, shorten(tool), Tool), false
	}
	return problem.Problem{}, true
}

// isSchema reports whether v is the number of our schema; 2.0 is 2. No number of
// so few digits is rounded to another.
func isSchema(v jsontext.Value) bool {
	if v.Kind() != '0' || len(v) > 16 {
		return false
	}
	n, err := strconv.ParseFloat(string(v), 64)
	return err == nil && n == Schema
}

// A coded is one of the problem_codes, which say once more, with a code, what the
// problems beside them say.
type coded struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// both returns the problems, and of the problem_codes those that have none beside
// them: a snapshot that was edited is not believed more than it says of itself.
func both(problems []string, codes []coded) []string {
	for _, c := range codes[min(len(problems), len(codes)):] {
		problems = append(problems[:len(problems):len(problems)], cmp.Or(c.Message, c.Code, "a problem without a code"))
	}
	return problems
}

func untrustworthy(path string, problems []string) problem.Problem {
	because := ""
	switch n := len(problems); n {
	case 0:
	case 1:
		because = ": " + problems[0]
	default:
		because = fmt.Sprintf(": %s (and %d more)", problems[0], n-1)
	}
	return problem.New(problem.SnapshotUntrustworthy, "%s was written from untrustworthy data%s", path, because).In(path)
}

// maxBad bounds how many bad cells of one snapshot are listed.
const maxBad = 20

func badCells(path string, bad []badCell) []problem.Problem {
	var ps []problem.Problem
	for i, b := range bad {
		if i == maxBad {
			ps = append(ps, problem.New(problem.SnapshotInvalid, "%s: %d more bad cells", path, len(bad)-maxBad))
			break
		}
		ps = append(ps, problem.New(problem.SnapshotInvalid, "%s: %s: %s", path, place(append([]string{"kernels", b.key}, b.path...)...), b.what).Of(b.key))
	}
	return ps
}

// describe says in one line what is wrong with JSON that could not be decoded,
// and where. The member is the one that was being decoded; "" for the document.
func describe(err error, member string) string {
	var path []string
	if member != "" {
		path = []string{member}
	}
	var syntax *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &syntax):
		if where := place(append(path, tokens(syntax.JSONPointer)...)...); where != "" {
			return fmt.Sprintf("%s: %v", where, syntax.Err)
		}
		return fmt.Sprintf("is no JSON: %v", syntax.Err)
	case errors.As(err, &semantic):
		where := place(append(path, tokens(semantic.JSONPointer)...)...)
		if where == "" {
			return "is no JSON object"
		}
		what := kindWord(semantic.JSONKind)
		if len(semantic.JSONValue) > 0 {
			what = shorten(semantic.JSONValue)
		}
		return fmt.Sprintf("%s: %s is of the wrong type", where, what)
	default:
		return err.Error()
	}
}

func kindWord(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "a list"
	default:
		return "the value"
	}
}

func tokens(p jsontext.Pointer) []string { return slices.Collect(p.Tokens()) }

// maxPlace bounds how many steps of a path are spelled; our own have seven at most.
const maxPlace = 12

// place spells a path within the document: kernels["k::plain"].metrics.vgpr.
func place(path ...string) string {
	var b strings.Builder
	for i, t := range path {
		if i == maxPlace {
			b.WriteString("...")
			break
		}
		switch {
		case t != "" && strings.Trim(t, "0123456789") == "":
			fmt.Fprintf(&b, "[%s]", t)
		case strings.Trim(t, "abcdefghijklmnopqrstuvwxyz_") != "":
			fmt.Fprintf(&b, "[%s]", strconv.Quote(t))
		case b.Len() > 0:
			b.WriteString("." + t)
		default:
			b.WriteString(t)
		}
	}
	return b.String()
}

// shorten returns a JSON value as it stands, or its beginning.
func shorten(v jsontext.Value) string {
	const limit = 40
	if len(v) <= limit {
		return string(v)
	}
	return strings.ToValidUTF8(string(v[:limit]), "") + "..."
}

// lineOf returns the 1-based line of a syntax error, or 0.
func lineOf(data []byte, err error) int {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) || syntax.ByteOffset < 0 || syntax.ByteOffset > int64(len(data)) {
		return 0
	}
	return 1 + bytes.Count(data[:syntax.ByteOffset], []byte("\n"))
}
