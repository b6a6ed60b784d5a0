package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestFindings(t *testing.T) {
	found, err := inPackages([]string{"./testdata/a"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range found {
		got = append(got, fmt.Sprintf("%s:%d %s: %s", f.where, f.at.Line, f.check, f.text))
	}
	want := []string{
		"testdata/a:10 width: the comment is wider than 100 columns",
		"testdata/a:21 promotion: outer.run hides the run of the embedded inner: give the field a name, or one of them another name",
		"testdata/a:31 size: large has 16 fields: more than 15",
		"testdata/a:4 words: “nobody”: name the thread, the caller, the user",
		"testdata/a:7 words: “of which”: name what the clause is about",
		"testdata/a:7 words: “so many”: give the number a name: n threads",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestDocuments(t *testing.T) {
	folder := t.TempDir()
	text := "# Races\n\nA race that nobody sees is none.\n"
	if err := os.WriteFile(filepath.Join(folder, "races.md"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := inDocuments(folder)
	if err != nil || len(found) != 2 || found[0].at.Line != 3 || found[0].check != "words" {
		t.Errorf("got %v, %v, want two words in line 3", found, err)
	}
}

func TestKnownIsWhatWasWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "known.txt")
	want := map[place]int{{"sim", "words"}: 3, {"docs/cat.md", "words"}: 1}
	if err := writeKnown(file, want); err != nil {
		t.Fatal(err)
	}
	if got, err := readKnown(file); err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}
