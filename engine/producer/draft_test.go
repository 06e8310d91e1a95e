package producer

import "testing"

// However many edits come before anything looks at them, an open file keeps no
// more than the last version that was scanned and the newest.
func TestEditsKeepTwoTexts(t *testing.T) {
	text := "import flydsl.compiler as flyc\n\n@flyc.kernel\ndef k(x):\n    pass\n"
	d := NewDraft("k.py", text)
	if n := len(d.Scan(nil).Definitions); n != 1 {
		t.Fatalf("%d definitions", n)
	}
	for range 1000 {
		d = d.Edit("k.py", "\"\"\""+d.Text())
		if d.before == nil || d.before.text != text || d.before.before != nil {
			t.Fatalf("kept %+v", d.before)
		}
	}
	if f := d.Scan(nil).Definitions; len(f) != 1 || f[0].Function != "k" || d.before != nil {
		t.Errorf("definitions %+v, kept %v", f, d.before)
	}
}
