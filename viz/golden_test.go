package viz

import (
	"bytes"
	"flag"
	"io"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestGolden(t *testing.T) {
	writers := map[string]func(*Graph, io.Writer) error{
		"svg": func(g *Graph, w io.Writer) error { return g.SVG(w, Style{}) },
		"dot": (*Graph).DOT,
		"txt": (*Graph).Text,
	}
	for name, s := range scenarios {
		for ext, write := range writers {
			t.Run(name+"."+ext, func(t *testing.T) {
				var b bytes.Buffer
				if err := write(s.graph(t), &b); err != nil {
					t.Fatal(err)
				}
				golden(t, "testdata/"+name+"."+ext, b.Bytes())
			})
		}
	}
}

// golden compares with a file or, with -update, writes it.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}
