package snapshot_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"isadiff/engine/problem"
	"isadiff/engine/resource"
	"isadiff/engine/snapshot"
)

// cells returns the members of a kernel's "metrics", all of value 1, with some
// replaced: "vgpr" to `{"state": …}`, or to "" to leave it out.
func cells(replaced map[string]string) string {
	var members []string
	for _, m := range resource.Metrics {
		cell, ok := replaced[m.Key]
		if !ok {
			cell = `{"state":"value","value":1}`
		}
		if cell != "" {
			members = append(members, fmt.Sprintf("%q:%s", m.Key, cell))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

// one returns a snapshot of the kernel k::plain with the given members.
func one(members string) string {
	return `{"schema":2,"tool":"isa_resource_table","trustworthy":true,"warnings":[],"kernels":{"k::plain":{` + members + `}}}`
}

const archOK = `"arch":{"features":[],"gen":9,"processor":"gfx942","target_id":"amdgcn-amd-amdhsa--gfx942"}`

func cell(metric, text string) string {
	return one(archOK + `,"metrics":` + cells(map[string]string{metric: text}))
}

func TestDecodeRefuses(t *testing.T) {
	tests := []struct {
		name, text string
		code       problem.Code
		message    string // of the first problem, after "s.json"
	}{
		{"empty", ``, problem.SnapshotInvalid, ": is no JSON: there is nothing in it"},
		{"null", `null`, problem.SnapshotInvalid, ": is no JSON object"},
		{"a list", `[]`, problem.SnapshotInvalid, ": is no JSON object"},
		{"a word", `hello`, problem.SnapshotInvalid, ": is no JSON: invalid character 'h' at start of value"},
		{"cut short", `{"schema":2,"kernels":{`, problem.SnapshotInvalid, ": kernels: unexpected EOF"},
		{"blanks", " \n", problem.SnapshotInvalid, ": is no JSON: there is nothing in it"},
		{"two documents", `{"schema":2}{}`, problem.SnapshotInvalid, ": is no JSON: something follows the object"},
		{"no UTF-8", "{\"schema\":2,\"kernels\":{\"\xff\":{}}}", problem.SnapshotInvalid, ": kernels: invalid UTF-8"},
		{"half a surrogate", `{"schema":2,"kernels":{"\ud800":{}}}`, problem.SnapshotInvalid, ""},
		{"half a surrogate that is no byte", `{"schema":2,"kernels":{"\udc7f":{}}}`, problem.SnapshotInvalid, ""},
		{"a key twice, once with an escape", one(archOK + `,"metrics":` + strings.Replace(cells(nil), "{", `{"v\u0067pr":{"state":"value","value":1},`, 1)), problem.SnapshotInvalid, `: kernels["k::plain"].metrics.vgpr: duplicate object member name`},
		{"a key twice, in two spellings", `{"schema":2,"kernels":{"\udcff::k":{},"\\xff::k":{}}}`, problem.SnapshotInvalid, `: kernels["\\xff::k"]: duplicate object member name`},
		{"a key twice", `{"schema":2,"kernels":{"a::k":{},"a::k":{}}}`, problem.SnapshotInvalid, `: kernels["a::k"]: duplicate object member name`},
		{"schema twice", `{"schema":1,"schema":2}`, problem.SnapshotInvalid, ": schema: duplicate object member name"},
		{"nested without end", strings.Repeat("[", 20_000), problem.SnapshotInvalid, ""},
		{"nested in a kernel", `{"schema":2,"kernels":{"k":{"future":` + strings.Repeat("[", 20_000), problem.SnapshotInvalid, ""},

		{"no schema", `{"kernels":{}}`, problem.SnapshotSchema, " names no schema; 2 is expected"},
		{"schema 1", `{"schema":1}`, problem.SnapshotSchema, " has schema 1; 2 is expected"},
		{"schema 3 of another form", `{"schema":3,"kernels":[1]}`, problem.SnapshotSchema, " has schema 3; 2 is expected"},
		{"schema 2.5", `{"schema":2.5}`, problem.SnapshotSchema, " has schema 2.5; 2 is expected"},
		{"schema a little more", `{"schema":2.00000000000000000001}`, problem.SnapshotSchema, " has schema 2.00000000000000000001; 2 is expected"},
		{"schema without end", `{"schema":1e999999999}`, problem.SnapshotSchema, " has schema 1e999999999; 2 is expected"},
		{"schema in quotes", `{"schema":"2"}`, problem.SnapshotSchema, ` has schema "2"; 2 is expected`},
		{"schema true", `{"schema":true}`, problem.SnapshotSchema, ` has schema true; 2 is expected`},
		{"another tool", `{"schema":2,"tool":"other"}`, problem.SnapshotSchema, ` was written by tool "other"; "isa_resource_table" is expected`},

		{"no kernels", `{"schema":2}`, problem.SnapshotInvalid, `: has no object "kernels"`},
		{"kernels null", `{"schema":2,"kernels":null}`, problem.SnapshotInvalid, `: has no object "kernels"`},
		{"kernels in a list", `{"schema":2,"kernels":[]}`, problem.SnapshotInvalid, `: has no object "kernels"`},
		{"a comparison", `{"schema":2,"tool":"isa_resource_table","verdict":"RESULT: OK","rows":[]}`, problem.SnapshotInvalid, ": is the report of a comparison, not a snapshot"},
		{"trustworthy is no boolean", `{"schema":2,"trustworthy":"true","kernels":{}}`, problem.SnapshotInvalid, `: trustworthy: a string is of the wrong type`},
		{"warnings are no list", `{"schema":2,"warnings":"w","kernels":{}}`, problem.SnapshotInvalid, `: warnings: a string is of the wrong type`},

		{"a kernel is a list", `{"schema":2,"kernels":{"k::plain":[]}}`, problem.SnapshotInvalid, `: kernels["k::plain"]: a list is of the wrong type`},
		{"no metrics", one(archOK), problem.SnapshotInvalid, `: kernels["k::plain"]: the kernel has no metrics`},
		{"metrics null", one(`"metrics":null`), problem.SnapshotInvalid, `: kernels["k::plain"]: the kernel has no metrics`},
		{"metrics in a list", one(`"metrics":[]`), problem.SnapshotInvalid, `: kernels["k::plain"]: the kernel has no metrics`},
		{"notes are no strings", one(archOK + `,"notes":[1],"metrics":` + cells(nil)), problem.SnapshotInvalid, `: kernels["k::plain"].notes[0]: a number is of the wrong type`},
		{"problems are no list", one(archOK + `,"problems":"odd","metrics":` + cells(nil)), problem.SnapshotInvalid, `: kernels["k::plain"].problems: a string is of the wrong type`},

		{"a bare number", cell("vgpr", `3`), problem.SnapshotInvalid, `: kernels["k::plain"].metrics.vgpr: 3 is no cell`},
		{"null", cell("vgpr", `null`), problem.SnapshotInvalid, `: kernels["k::plain"].metrics.vgpr: null is no cell`},
		{"no state", cell("vgpr", `{"value":3}`), problem.SnapshotInvalid, `: kernels["k::plain"].metrics.vgpr: the state "" is none of value, n/a and unparsed`},
		{"an unknown state", cell("vgpr", `{"state":"maybe"}`), problem.SnapshotInvalid, `: kernels["k::plain"].metrics.vgpr: the state "maybe" is none of value, n/a and unparsed`},
		{"no value", cell("vgpr", `{"state":"value"}`), problem.SnapshotInvalid, `: kernels["k::plain"].metrics.vgpr: a cell of state value has no value`},
		{"value null", cell("vgpr", `{"state":"value","value":null}`), problem.SnapshotInvalid, `: kernels["k::plain"].metrics.vgpr: the value null is no non-negative integer`},
		{"value true", cell("vgpr", `{"state":"value","value":true}`), problem.SnapshotInvalid, `: kernels["k::plain"].metrics.vgpr: the value true is no non-negative integer`},
		{"value in quotes", cell("vgpr", `{"state":"value","value":"3"}`), problem.SnapshotInvalid, `: kernels["k::plain"].metrics.vgpr: the value "3" is no non-negative integer`},
		{"value 3.5", cell("vgpr", `{"state":"value","value":3.5}`), problem.SnapshotInvalid, `: kernels["k::plain"].metrics.vgpr: the value 3.5 is no non-negative integer`},
		{"value 3.0", cell("vgpr", `{"state":"value","value":3.0}`), problem.SnapshotInvalid, `: kernels["k::plain"].metrics.vgpr: the value 3.0 is no non-negative integer`},
		{"value 3e0", cell("vgpr", `{"state":"value","value":3e0}`), problem.SnapshotInvalid, `: kernels["k::plain"].metrics.vgpr: the value 3e0 is no non-negative integer`},
		{"value -1", cell("vgpr", `{"state":"value","value":-1}`), problem.SnapshotInvalid, `: kernels["k::plain"].metrics.vgpr: the value -1 is no non-negative integer`},
		{"value -0", cell("vgpr", `{"state":"value","value":-0}`), problem.SnapshotInvalid, `: kernels["k::plain"].metrics.vgpr: the value -0 is no non-negative integer`},
		{"value NaN", cell("vgpr", `{"state":"value","value":NaN}`), problem.SnapshotInvalid, `: kernels["k::plain"].metrics.vgpr.value: invalid character 'N' at start of value`},
		{"value of 64 bits", cell("vgpr", `{"state":"value","value":9223372036854775808}`), problem.SnapshotInvalid, `: kernels["k::plain"].metrics.vgpr: the value 9223372036854775808 is beyond all counts`},
		{"value without end", cell("vgpr", `{"state":"value","value":1`+strings.Repeat("0", 100)+`}`), problem.SnapshotInvalid, `: kernels["k::plain"].metrics.vgpr: the value 1000000000000000000000000000000000000000... is beyond all counts`},
		{"an informational one too", cell("matrix_ops", `{"state":"value","value":1.5}`), problem.SnapshotInvalid, `: kernels["k::plain"].metrics.matrix_ops: the value 1.5 is no non-negative integer`},

		{"nesting without end", `{"schema":2,"x":` + strings.Repeat("[", 20_000), problem.SnapshotInvalid, ": x" + strings.Repeat("[0]", 11) + "...: exceeded max depth"},
		{"a processor that was edited", one(`"arch":{"processor":"gfx950","target_id":"amdgcn-amd-amdhsa--gfx942"},"metrics":` + cells(nil)), problem.SnapshotInvalid, `: kernels["k::plain"].arch: processor "gfx950" contradicts target_id "amdgcn-amd-amdhsa--gfx942"`},
		{"features that were edited", one(`"arch":{"features":["xnack+"],"processor":"gfx942","target_id":"amdgcn-amd-amdhsa--gfx942"},"metrics":` + cells(nil)), problem.SnapshotInvalid, `: kernels["k::plain"].arch: features ["xnack+"] contradict target_id "amdgcn-amd-amdhsa--gfx942"`},
	}
	for _, tt := range tests {
		side, _ := snapshot.Decode("s.json", []byte(tt.text))
		if len(side.Records) != 0 || len(side.Problems) == 0 {
			t.Errorf("%s: %d kernels are believed; problems %v", tt.name, len(side.Records), side.Problems)
			continue
		}
		p := side.Problems[0]
		if p.Code != tt.code || p.File != "s.json" || !strings.HasPrefix(p.Message, "s.json") {
			t.Errorf("%s: got %v in %q, want %s", tt.name, p, p.File, tt.code)
		}
		if got := strings.TrimPrefix(p.Message, "s.json"); tt.message != "" && got != tt.message {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.message)
		}
	}
}

func TestDecodeNamesTheLine(t *testing.T) {
	side, _ := snapshot.Decode("s.json", []byte("{\n\"schema\": 2,\n\"kernels\": {,}\n}"))
	if got := side.Problems[0].Line; got != 3 {
		t.Errorf("line %d, want 3", got)
	}
}

func TestDecodeListsBadCells(t *testing.T) {
	bad := map[string]string{}
	for _, m := range resource.Metrics {
		bad[m.Key] = `{"state":"value","value":-1}`
	}
	kernel := `{` + archOK + `,"metrics":` + cells(bad) + `}`
	side, _ := snapshot.Decode("s.json", []byte(`{"schema":2,"trustworthy":true,"kernels":{"a::k":`+kernel+`,"b::k":`+kernel+`}}`))
	if got := len(side.Problems); got != 21 {
		t.Fatalf("%d problems are listed, want 20 and one that counts the others", got)
	}
	if p := side.Problems[resource.NumMetrics]; p.Kernel != "b::k" {
		t.Errorf("the kernel of the first that is not of a::k is %q", p.Kernel)
	}
	if got, want := side.Problems[20].Message, fmt.Sprintf("s.json: %d more bad cells", 2*resource.NumMetrics-20); got != want {
		t.Errorf("the last says %q, want %q", got, want)
	}
}

func TestDecodeTolerates(t *testing.T) {
	tests := []struct{ name, text string }{
		{"as the helper writes it", one(archOK + `,"notes":[],"problems":[],"source":"k/21_final_isa.s","metrics":` + cells(nil))},
		{"no features", one(`"arch":{"gen":9,"processor":"gfx942","target_id":"amdgcn-amd-amdhsa--gfx942"},"metrics":` + cells(nil))},
		{"no processor", one(`"arch":{"features":[],"processor":null,"target_id":"amdgcn-amd-amdhsa--gfx942"},"metrics":` + cells(nil))},
		{"no target_id", one(`"arch":{"processor":"gfx942","target_id":null},"metrics":` + cells(nil))},
		{"no notes, problems, source", one(archOK + `,"metrics":` + cells(nil))},
		{"keys of a later release", one(archOK + `,"future":{"a":[1]},"metrics":` + strings.Replace(cells(nil), "{", `{"new_metric":{"state":"odd"},`, 1))},
		{"a cell with more keys", cell("vgpr", `{"state":"value","value":1,"unit":"registers","reason":null}`)},
		{"names with escapes", strings.NewReplacer(`"vgpr"`, `"v\u0067pr"`, `"state"`, `"st\u0061te"`, `"value":1`, `"v\u0061lue":1`, `:"value"`, `:"v\u0061lue"`, `"isa_resource_table"`, `"isa\u005fresource_table"`, `"kernels"`, `"kernel\u0073"`).Replace(one(archOK + `,"metrics":` + cells(nil)))},
		{"schema 2.0", strings.Replace(one(archOK+`,"metrics":`+cells(nil)), `"schema":2`, `"schema":2.0`, 1)},
		{"schema 2e0", strings.Replace(one(archOK+`,"metrics":`+cells(nil)), `"schema":2`, `"schema":2e0`, 1)},
		{"no tool", strings.Replace(one(archOK+`,"metrics":`+cells(nil)), `"tool":"isa_resource_table",`, "", 1)},
	}
	for _, tt := range tests {
		side, _ := snapshot.Decode("s.json", []byte(tt.text))
		if !side.Trustworthy() || len(side.Records) != 1 {
			t.Errorf("%s: %d kernels, problems %v", tt.name, len(side.Records), side.Doubts())
			continue
		}
		r := side.Records[0]
		if r.Key != "k::plain" || r.Name != "plain" || r.Target.Processor != "gfx942" || r.Target.Features != nil || r.Cells[resource.VGPR] != resource.Value(1) {
			t.Errorf("%s: %+v", tt.name, r)
		}
	}
}

// TestDecodeNames holds that a snapshot and the tree it was made of name kernels
// alike: a comparison pairs them by these names.
func TestDecodeNames(t *testing.T) {
	for _, tt := range []struct{ key, source, wantKey, wantName, wantSource string }{
		{`a::ns1::k`, `a/21_final_isa.s`, `a::ns1::k`, `ns1::k`, `a/21_final_isa.s`},
		{`::ns1::k`, `21_final_isa.s`, `::ns1::k`, `ns1::k`, `21_final_isa.s`},
		{`a::b::k`, `a::b/21_final_isa.s`, `a::b::k`, `k`, `a::b/21_final_isa.s`},
		{`a::ns1::k`, ``, `a::ns1::k`, `ns1::k`, ``},
		// A byte that is no UTF-8, as Python spells it in JSON, is spelled as we do.
		{`k\udcff::plain`, `k\uDCFF/21_final_isa.s`, `k\xff::plain`, `plain`, `k\xff/21_final_isa.s`},
		{`\ud83d\udc80::plain`, `\ud83d\udc80/21_final_isa.s`, `💀::plain`, `plain`, `💀/21_final_isa.s`},
		{`\\udcff::plain`, ``, `\udcff::plain`, `plain`, ``},
		{`\\\udc80::plain`, ``, `\\x80::plain`, `plain`, ``},
	} {
		text := strings.Replace(one(archOK+`,"source":"`+tt.source+`","metrics":`+cells(nil)), "k::plain", tt.key, 1)
		side, _ := snapshot.Decode("s.json", []byte(text))
		if !side.Trustworthy() || len(side.Records) != 1 {
			t.Errorf("%s: %v", tt.key, side.Doubts())
			continue
		}
		if r := side.Records[0]; r.Key != tt.wantKey || r.Name != tt.wantName || r.Source != tt.wantSource {
			t.Errorf("%s: key %s, name %s, source %s", tt.key, r.Key, r.Name, r.Source)
		}
	}
}

func TestDecodeFeatures(t *testing.T) {
	tests := []struct{ name, arch, want string }{
		{"from both", `{"features":["xnack-","sramecc+"],"processor":"gfx942","target_id":"amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"}`, "[sramecc+ xnack-]"},
		{"from before features existed", `{"processor":"gfx942","target_id":"amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"}`, "[sramecc+ xnack-]"},
		{"without a target_id", `{"features":["xnack-","sramecc+"],"processor":"gfx942"}`, "[sramecc+ xnack-]"},
	}
	for _, tt := range tests {
		side, _ := snapshot.Decode("s.json", []byte(one(`"arch":`+tt.arch+`,"metrics":`+cells(nil))))
		if len(side.Records) != 1 {
			t.Errorf("%s: %v", tt.name, side.Problems)
			continue
		}
		if got := fmt.Sprint(side.Records[0].Target.Features); got != tt.want {
			t.Errorf("%s: features %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestDecodeDistrusts(t *testing.T) {
	good := archOK + `,"metrics":` + cells(nil)
	tests := []struct {
		name, text string
		kernels    int
		code       problem.Code
		message    string
	}{
		{"the whole", strings.Replace(one(good), `"trustworthy":true`, `"trustworthy":false`, 1), 1, problem.SnapshotUntrustworthy, "s.json was written from untrustworthy data"},
		{"the whole, with its reason", strings.Replace(one(good), `"trustworthy":true`, `"trustworthy":false,"problems":["a file was cut","another"]`, 1), 1, problem.SnapshotUntrustworthy, "s.json was written from untrustworthy data: a file was cut (and 1 more)"},
		{"problems beside a flag that says otherwise", strings.Replace(one(good), `"trustworthy":true`, `"trustworthy":true,"problems":["a file was cut"]`, 1), 1, problem.SnapshotUntrustworthy, "s.json was written from untrustworthy data: a file was cut"},
		{"no flag", strings.Replace(one(good), `"trustworthy":true,`, ``, 1), 1, problem.SnapshotUntrustworthy, "s.json does not say whether its data could be trusted"},
		{"a kernel", one(good + `,"problems":["odd"]`), 1, problem.SnapshotUntrustworthy, "k::plain: not trustworthy when the snapshot was written: odd"},
		{"a cell", cell("agpr", `{"state":"unparsed","reason":"x"}`), 1, problem.SnapshotUntrustworthy, "k::plain: agpr could not be read when the snapshot was written: x"},
		{"a cell without a reason", cell("agpr", `{"state":"unparsed"}`), 1, problem.SnapshotUntrustworthy, "k::plain: agpr could not be read when the snapshot was written: no reason given"},
		{"a metric that is missing", cell("agpr", ""), 1, problem.CountMissing, "k::plain: the snapshot has no agpr"},
		{"nothing in it", `{"schema":2,"trustworthy":true,"kernels":{}}`, 0, problem.NoKernels, "s.json holds no kernel"},
	}
	for _, tt := range tests {
		side, _ := snapshot.Decode("s.json", []byte(tt.text))
		doubts := side.Doubts()
		if len(doubts) != 1 || doubts[0].Code != tt.code || doubts[0].Message != tt.message || len(side.Records) != tt.kernels {
			t.Errorf("%s: %d kernels, %v; want %d, [%s] %s", tt.name, len(side.Records), doubts, tt.kernels, tt.code, tt.message)
		}
		for _, r := range side.Records {
			for m, c := range r.Cells {
				if c.State != resource.Known && c.Reason == "" {
					t.Errorf("%s: %s has neither value nor reason", tt.name, resource.Metric(m))
				}
			}
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	dir := t.TempDir()
	if side, _ := snapshot.Load(filepath.Join(dir, "no.json")); problem.Codes(side.Problems)[0] != problem.InputNotFound {
		t.Errorf("a missing file: %v", side.Problems)
	}
	if side, _ := snapshot.Load(dir); problem.Codes(side.Problems)[0] != problem.InputKind {
		t.Errorf("a directory: %v", side.Problems)
	}
	secret := filepath.Join(dir, "secret.json")
	if err := os.WriteFile(secret, []byte("{}"), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(secret); err == nil {
		t.Skip("this user may read everything")
	}
	if side, _ := snapshot.Load(secret); problem.Codes(side.Problems)[0] != problem.InputUnreadable {
		t.Errorf("an unreadable file: %v", side.Problems)
	}
}

func FuzzSnapshot(f *testing.F) {
	f.Add([]byte(one(archOK + `,"metrics":` + cells(nil))))
	f.Add([]byte(cell("vgpr", `{"state":"n/a","reason":"r"}`)))
	f.Add([]byte(cell("vgpr", "")))
	f.Add([]byte(`{"schema":2,"trustworthy":true,"kernels":{"\u0000":{"metrics":{"vgpr":{"state":"value","value":18446744073709551616}}}}}`))
	f.Add([]byte(strings.Replace(one(archOK+`,"metrics":`+cells(nil)), "k::plain", `k\udcff\ud83d\udc80::ns::\\udc80`, 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		side, meta := snapshot.Decode("s.json", data)
		if len(side.Records) == 0 {
			if side.Trustworthy() {
				t.Fatal("a side without kernels is trusted")
			}
			return
		}
		// What was believed is written and read back as it was.
		text, err := snapshot.Encode(side, meta)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := snapshot.Decode("s.json", text)
		if len(again.Records) != len(side.Records) || again.Trustworthy() != side.Trustworthy() {
			t.Fatalf("%d kernels, trustworthy %v; read back %d, %v: %v", len(side.Records), side.Trustworthy(), len(again.Records), again.Trustworthy(), again.Doubts())
		}
		for i, r := range side.Records {
			if again.Records[i].Key != r.Key || again.Records[i].Cells != r.Cells || again.Records[i].Target.Processor != r.Target.Processor {
				t.Fatalf("%+v became %+v", r, again.Records[i])
			}
		}
	})
}

// A kernel that stayed when a part of an older baseline was replaced lacks a new metric,
// though the snapshot is as new as the metric.
func TestDecodeStayedOlder(t *testing.T) {
	stayed := `{"state":"n/a","reason":` + fmt.Sprintf("%q", resource.Older().Reason) + `}`
	side, _ := snapshot.Decode("s.json", []byte(cell("lds_write", stayed)))
	if len(side.Warnings) != 1 || !strings.Contains(side.Warnings[0], "has no lds_write, which isadiff did not have") || !side.Trustworthy() {
		t.Errorf("warnings %q, problems %v", side.Warnings, side.Problems)
	}
	side, _ = snapshot.Decode("s.json", []byte(cell("lds_write", `{"state":"n/a","reason":"none here"}`)))
	if len(side.Warnings) > 0 {
		t.Errorf("warnings %q", side.Warnings)
	}
}
