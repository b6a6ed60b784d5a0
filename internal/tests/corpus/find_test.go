package corpus

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestStreamsAreNotReadToCountThem: the number of tests in a stream is reported as unknown before a
// byte of it is read.
func TestStreamsAreNotReadToCountThem(t *testing.T) {
	wasRead := false
	f := Finder{Stdin: readerFunc(func([]byte) (int, error) {
		wasRead = true
		return 0, io.EOF
	})}
	inputs, total := f.Counted("sb-inter-cta", "-")
	if total != UnknownTotal || wasRead {
		t.Errorf("%d tests, the stream was read: %v", total, wasRead)
	}
	if n := len(slices.Collect(inputs)); n != 2 || !wasRead {
		t.Errorf("%d inputs, the stream was read: %v", n, wasRead)
	}
	if _, total := f.Counted("sb-inter-cta", "asplos15"); total != 99 {
		t.Errorf("%d tests without a stream, want 99", total)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(into []byte) (int, error) { return f(into) }

const twoTests = `C one
{ x=0; }
P0 (int* x) { *x = 1; }
exists (x=1)

C two
{ x=0; }
P0 (int* x) { *x = 2; }
exists (x=2)
`

// TestSeveralTestsInOneFile: a second test in a file is one error, with its place. Errors within
// one test are separate.
func TestSeveralTestsInOneFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "two.litmus")
	parse := func(text string) string {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		tests := slices.Collect(Finder{}.Tests(name))
		if len(tests) != 1 {
			t.Fatalf("%d tests in %q", len(tests), text)
		}
		if _, err := tests[0].Parse(); err != nil {
			return err.Error()
		}
		return ""
	}
	if says := parse(twoTests); !strings.HasPrefix(says,
		name+":6:1: a second test begins here, but a .litmus file has one\n    C two\n    ^^^^^\n") {
		t.Errorf("two tests: %s", says)
	}
	one, _, _ := strings.Cut(twoTests, "\n\n")
	if says := parse(one); says != "" {
		t.Error(says)
	}
	if says := parse(strings.Replace(one, "exists", "exits", 1)); strings.Contains(says, "second test") || says == "" {
		t.Errorf("one test: %s", says)
	}
}

// TestStreamOfManyHeaders: a stream is split at each header of a supported language, and at headers
// of other tools.
func TestStreamOfManyHeaders(t *testing.T) {
	const rest = " t\n{ x=0; }\nP0 (int* x) { *x = 1; }\nexists\n\n(x=1)\n\n"
	headers := []string{"C", "C11", "OpenCL", "X86_64", "c", "CUDA", "PTXX", "C"}
	var text strings.Builder
	for _, h := range headers {
		text.WriteString(h + rest)
	}
	i := 0
	for test := range (Finder{Stdin: strings.NewReader(text.String())}).Tests("-") {
		_, err := test.Parse()
		if want := slices.Contains([]string{"X86_64", "c", "PTXX"}, headers[i]); (err != nil) != want {
			t.Errorf("%s: %v", headers[i], err)
		}
		i++
	}
	if i != len(headers) {
		t.Errorf("%d tests, want %d", i, len(headers))
	}
}

// TestCompressedTests: files compressed by gzip are read like the originals.
func TestCompressedTests(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write([]byte(twoTests))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "two.litmus.gz")
	names := func(text []byte) (names []string) {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		for test := range (Finder{}).Tests(name) {
			parsed, err := test.Parse()
			if err != nil {
				return append(names, err.Error())
			}
			names = append(names, parsed.Name.Text)
		}
		return names
	}
	if got := names(packed.Bytes()); !slices.Equal(got, []string{"one", "two"}) {
		t.Errorf("%q", got)
	}
	for _, cut := range []int{5, packed.Len() - 4} {
		if got := names(packed.Bytes()[:cut]); len(got) == 0 || !strings.HasPrefix(got[len(got)-1], name+":") ||
			!strings.HasSuffix(got[len(got)-1], "unexpected EOF") {
			t.Errorf("cut off after %d bytes: %q", cut, got)
		}
	}
}
