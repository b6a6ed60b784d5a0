package docs_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/muster-gpu/muster"
)

// TestVersions: the newest version in CHANGELOG.md, and the one that people cite, are that of the program.
func TestVersions(t *testing.T) {
	for file, pattern := range map[string]string{
		"../CHANGELOG.md": `(?m)^## (\d+\.\d+\.\d+)`,
		"../CITATION.cff": `(?m)^version: (.*)$`,
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if newest := regexp.MustCompile(pattern).FindSubmatch(text); newest == nil || string(newest[1]) != muster.Version {
			t.Errorf("the version in %s is %q, and that of muster %s", file, newest, muster.Version)
		}
	}
}
