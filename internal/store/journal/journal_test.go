package journal_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/internal/store/journal"
)

// open opens a file with the given text.
func open(t *testing.T, text string) (string, *journal.Journal) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "lines.jsonl")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return name, j
}

// TestMend cuts a file within its last line, after each byte: the incomplete line is removed,
// complete ones stay, and the next line begins a line.
func TestMend(t *testing.T) {
	const first = `{"a":1}` + "\n"
	last := `{"b":"` + strings.Repeat("long", 40_000) + `"}`
	for _, end := range []int{0, 1, 5, 1 << 16, 1<<16 + 1, len(last) - 1, len(last)} {
		name, j := open(t, first+last[:end])
		piece, err := j.Mend()
		if err != nil {
			t.Fatal(err)
		}
		want, kept := last[:end], first
		if end == len(last) {
			want, kept = "", first+last+"\n"
		}
		if piece != want {
			t.Errorf("cut at %d: %d bytes were removed, want %d", end, len(piece), len(want))
		}
		if err := j.Append([]byte(`{"c":3}`)); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(name); string(got) != kept+`{"c":3}`+"\n" {
			t.Errorf("cut at %d: the file has %d bytes, want %d", end, len(got), len(kept)+8)
		}
	}
}

// TestMendOnlyLine: a file may be empty, or consist of an incomplete line only.
func TestMendOnlyLine(t *testing.T) {
	for _, text := range []string{"", `{"a":`} {
		name, j := open(t, text)
		if piece, err := j.Mend(); piece != text || err != nil {
			t.Errorf("%q was removed, %v; want %q", piece, err, text)
		}
		if got, _ := os.ReadFile(name); len(got) != 0 {
			t.Errorf("%q is left", got)
		}
	}
}

// TestDevice: a device is refused, because it could not be read back.
func TestDevice(t *testing.T) {
	if _, err := journal.Open(os.DevNull); err == nil {
		t.Error("a device was opened")
	}
}

// TestLines reads lines of all kinds, and checks their places.
func TestLines(t *testing.T) {
	const text = "{\"a\":1}\r\n\n  \n{\"a\":\n{\"a\":\"x\"}\nnoise\n{\"a\":2}"
	type read struct {
		Number, A int
		Offset    int64
		Ended     bool
		Error     string
	}
	var got []read
	lines := journal.NewLines(strings.NewReader(text))
	for {
		line, err := lines.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		r := read{Number: lines.Number(), Offset: lines.Offset(), Ended: lines.Ended()}
		var object struct{ A int }
		if d := lines.Decode("f", line, &object); d != nil {
			r.Error, _, _ = strings.Cut(d.Error(), "\n")
		}
		r.A = object.A
		got = append(got, r)
	}
	want := []read{
		{1, 1, 9, true, ""},
		{4, 0, 19, true, "f:4:6: this record is cut short"},
		{5, 0, 29, true, "f:5:8: A: expected an integer, found string"},
		{6, 0, 35, true, "f:6:2: not a record: invalid character 'o' in literal null (expecting 'u')"},
		{7, 2, 42, false, ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
