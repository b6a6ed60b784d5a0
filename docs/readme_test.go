package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeExample: the program in the README is the first example of package muster, which is a test.
func TestReadmeExample(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := os.ReadFile("../example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindSubmatch(readme)
	_, body, _ := strings.Cut(string(examples), "\nfunc Example() {\n")
	body, _, found := strings.Cut(body, "\t// Output:")
	want := regexp.MustCompile("(?m)^\t").ReplaceAllString(body, "")
	if shown == nil || !found || string(shown[1]) != want {
		t.Errorf("the README shows\n%s\nthe example is\n%s", shown, want)
	}
}
