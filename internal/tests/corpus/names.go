package corpus

import (
	"fmt"
	"strings"
)

// FileNames gives each test a file name that is valid on any system and unique. The zero FileNames
// has given none.
type FileNames struct {
	given map[string]bool
	again map[string]int // number of requests for a name
}

// Of returns a file name, without extension, for a test: the name of the test, with a number if it
// is taken.
func (n *FileNames) Of(test string) string {
	if n.given == nil {
		n.given, n.again = map[string]bool{}, map[string]int{}
	}
	name := safeName(test)
	for free := name; ; free = fmt.Sprintf("%s-%d", name, n.again[key(name)]+1) {
		if !n.given[key(free)] {
			n.given[key(free)] = true
			return free
		}
		n.again[key(name)]++
	}
}

// key returns the form of a name that file systems compare: some ignore case.
func key(name string) string { return strings.ToLower(name) }

// safeName turns the name of a test into a file name. Characters that are not allowed in file
// names, or lead out of a folder, and a leading dot become _.
func safeName(test string) string {
	name := strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, test)
	if name == "" || strings.HasPrefix(name, ".") {
		name = "_" + strings.TrimPrefix(name, ".")
	}
	return name
}
