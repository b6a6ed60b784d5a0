package clike_test

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/muster-gpu/muster/clike"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

var update = flag.Bool("update", false, "rewrite the golden messages")

const malformedFile = "testdata/malformed.txtar"

// TestMalformed reads tests with mistakes. Each is followed by what muster says of it.
//
//	go test ./clike -run Malformed -update
func TestMalformed(t *testing.T) {
	archive, err := txtar.ParseFile(malformedFile)
	if err != nil {
		t.Fatal(err)
	}
	tests := 0
	for i := 0; i+1 < len(archive.Files); i += 2 {
		file, golden := archive.Files[i], &archive.Files[i+1]
		if golden.Name != file.Name+" says" {
			t.Fatalf("%s is not followed by what muster says of it", file.Name)
		}
		tests++
		_, err := read(file.Name, string(file.Data))
		if err == nil {
			t.Errorf("%s is read without complaint", file.Name)
			continue
		}
		says := err.Error() + "\n"
		if *update {
			golden.Data = []byte(says)
			continue
		}
		if diff := cmp.Diff(string(golden.Data), says); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file.Name, diff)
		}
	}
	if tests < 40 {
		t.Errorf("%d malformed tests, want 40 at least", tests)
	}
	if *update {
		if err := os.WriteFile(malformedFile, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// read reads a test and its program.
func read(name, text string) (*clike.Program, error) {
	test, err := litmus.Parse(src.NewFile(name, text), clike.Frontend().Formats)
	if err != nil {
		return nil, err
	}
	return clike.New(test, frontend.Options{Unroll: frontend.DefaultUnroll})
}
