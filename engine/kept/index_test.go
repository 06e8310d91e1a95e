package kept

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"isadiff/engine/resource"
)

const someSum = "0000000000000000000000000000000000000000000000000000000000000001"

// newFrame returns what packs a text into one frame.
func newFrame(t testing.TB) func(text string) []byte {
	t.Helper()
	e, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window))
	if err != nil {
		t.Fatal(err)
	}
	return func(text string) []byte { return e.EncodeAll([]byte(text), nil) }
}

// archiveOf puts an archive together of the text of an index that may be anything.
func archiveOf(pack func(string) []byte, frames []byte, text string) []byte {
	last := pack(text)
	data := append(begin(), frames...)
	data = append(append(data, head(len(last)+tailSize)...), last...)
	return append(binary.LittleEndian.AppendUint32(data, uint32(len(last))), endMark...)
}

// try opens an archive and reads every kernel of it.
func try(data []byte) (texts map[string]string, err error) {
	r := bytes.NewReader(data)
	x, err := readIndex(r, int64(len(data)))
	if err != nil {
		return nil, err
	}
	a := &Archive{data: r, index: x, held: -1}
	texts = map[string]string{}
	for key, n := range x.Kernels {
		text, err := a.Text(&resource.Record{Key: key, Source: x.Files[n].Source})
		if err != nil {
			return texts, err
		}
		texts[key] = string(text)
	}
	return texts, nil
}

// What an index names outside of the archive, or of a frame, is not read.
func TestIndex(t *testing.T) {
	pack := newFrame(t)
	frame := pack("one, two")
	at := fmt.Sprintf(`{"at": %d, "size": %d}`, firstFrame, len(frame))
	for _, tt := range []struct{ frames, files, want string }{
		{at, `{"at": 5, "size": 3, "frame": 0, "source": "k.s"}`, "two"},
		{at, `{"at": 5, "size": 4, "frame": 0, "source": "k.s"}`, "its text is damaged"},
		{at, `{"at": -1, "size": 3, "frame": 0}`, "its index is damaged"},
		{at, `{"at": 9223372036854775807, "size": 3, "frame": 0}`, "its index is damaged"},
		{at, `{"at": 1, "size": 9223372036854775807, "frame": 0}`, "its index is damaged"},
		{at, `{"at": 1, "size": -3, "frame": 0}`, "its index is damaged"},
		{at, `{"at": 0, "size": 3, "frame": 1}`, "its index is damaged"},
		{at, ``, "its index is damaged"},
		{`{"at": 0, "size": 4}`, `{"size": 3, "frame": 0}`, "its index is damaged"},
		{fmt.Sprintf(`{"at": %d, "size": 4000}`, firstFrame), `{"size": 3, "frame": 0}`, "its index is damaged"},
		{fmt.Sprintf(`{"at": %d, "size": 9223372036854775807}`, firstFrame), `{"size": 3, "frame": 0}`, "its index is damaged"},
		{fmt.Sprintf(`{"at": %d, "size": %d}`, firstFrame, len(frame)-1), `{"size": 3, "frame": 0}`, "its text is damaged"},
		{at, `{"size": 3, "frame": 0` + strings.Repeat(`, "x": 0`, maxValues) + `}`, "more than an archive does"},
	} {
		text := fmt.Sprintf(`{"snapshot": %q, "frames": [%s], "files": [%s], "kernels": {"k": 0}}`, someSum, tt.frames, tt.files)
		texts, err := try(archiveOf(pack, frame, text))
		if got := fmt.Sprint(texts["k"], err); !strings.Contains(got, tt.want) {
			t.Errorf("frames %s, files %.80s: %s, want %s", tt.frames, tt.files, got, tt.want)
		}
	}
	if _, err := try(archiveOf(pack, nil, `{"snapshot": "short"}`)); err == nil {
		t.Error("the sum of a snapshot may be anything")
	}
}

// A small archive that unpacks to very much is given up at a limit.
func TestBomb(t *testing.T) {
	pack := newFrame(t)
	const limit = 1000
	for size, want := range map[int]error{limit: nil, limit + 1: errLarge, 10 << 20: errLarge} {
		text, err := unpack(bytes.NewReader(pack(strings.Repeat(" ", size))), limit)
		if err != want || len(text) > limit+1 {
			t.Errorf("%d bytes: %d were unpacked, %v", size, len(text), err)
		}
	}
	e, err := zstd.NewWriter(nil, zstd.WithWindowSize(2*maxWindow))
	if err != nil {
		t.Fatal(err)
	}
	var far bytes.Buffer
	e.Reset(&far)
	if _, err := e.Write(make([]byte, 3*maxWindow)); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := unpack(&far, 4*maxWindow); err == nil {
		t.Error("a window of any size is made room for")
	}
}

// No archive makes anything but an error of it: no crash, and no text without end.
func FuzzOpen(f *testing.F) {
	pack := newFrame(f)
	frame := pack("one, two")
	text := fmt.Sprintf(`{"snapshot":%q,"frames":[{"at":%d,"size":%d}],"files":[{"at":5,"size":3,"frame":0,"source":"k.s"}],"kernels":{"k":0}}`, someSum, firstFrame, len(frame))
	f.Add(archiveOf(pack, frame, text))
	f.Add([]byte(endMark))
	f.Fuzz(func(t *testing.T, data []byte) {
		texts, err := try(data)
		for key, text := range texts {
			if int64(len(text)) > maxText {
				t.Errorf("%s: %d bytes, %v", key, len(text), err)
			}
		}
	})
}

// Nor does any index.
func FuzzIndex(f *testing.F) {
	pack := newFrame(f)
	frame := pack("one, two")
	f.Add(fmt.Sprintf(`{"snapshot":%q,"frames":[{"at":%d,"size":%d}],"files":[{"at":5,"size":3,"frame":0,"source":"k.s"}],"kernels":{"k":0}}`, someSum, firstFrame, len(frame)))
	f.Fuzz(func(t *testing.T, text string) {
		texts, err := try(archiveOf(pack, frame, text))
		for key, text := range texts {
			if !strings.Contains("one, two", text) {
				t.Errorf("%s: %q, %v", key, text, err)
			}
		}
	})
}
