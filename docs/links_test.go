package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var (
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
	linked  = regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]*))?\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
)

// TestLinks: links between documents, and to files of the tree, lead to a file and a heading that exist.
func TestLinks(t *testing.T) {
	var documents []string
	for _, pattern := range []string{"../*.md", "*.md", "design/*.md", "lessons/*.md", "../litmus-tests/*/*.md", "../verify/few/*.md", "../verify/testdata/loops/*.md", "../internal/kernels/assume/*.md"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no documents %s, %v", pattern, err)
		}
		documents = append(documents, found...)
	}
	anchors := map[string][]string{}
	links := 0
	for _, document := range documents {
		for _, link := range linked.FindAllStringSubmatch(prose(t, document), -1) {
			path, anchor := link[1], link[2]
			if strings.Contains(path, "://") {
				continue
			}
			links++
			target := document
			if path != "" {
				target = filepath.Join(filepath.Dir(document), path)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which does not exist", document, target)
				continue
			}
			if anchor == "" || filepath.Ext(target) != ".md" {
				continue // lessons say behind the # of other files what these should show (package lessons)
			}
			if anchors[target] == nil {
				anchors[target] = anchorsOf(prose(t, target))
			}
			if !slices.Contains(anchors[target], anchor) {
				t.Errorf("%s links to %s#%s, and there is no such heading", document, target, anchor)
			}
		}
	}
	if links < 100 {
		t.Errorf("the documents have %d links", links)
	}
}

// prose returns a document without its blocks of code.
func prose(t *testing.T, document string) string {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	return fenced.ReplaceAllString(string(text), "")
}

// anchorsOf returns the anchors that GitHub gives to the headings of a document: lower case, hyphens for
// blanks, no punctuation.
func anchorsOf(text string) (all []string) {
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, h[1]))
	}
	return all
}
