package corpus

import (
	"fmt"
	"strings"
)

// FileNames gives tests the names of files: safe anywhere, and no two the same. The zero FileNames has given none.
type FileNames struct {
	given map[string]bool
	again map[string]int // how often a name was wanted
}

// Of is a name, without extension, for the file of a test: that of the test, with a number if it is given already.
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

// key is what file systems compare: some do not tell a from A.
func key(name string) string { return strings.ToLower(name) }

// safeName is the name of a test as that of a file: what leads out of a folder, hides a file
// or is no character of file names becomes _.
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
