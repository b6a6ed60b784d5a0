package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/src"
)

// shippedTests returns the shipped tests that an argument names: a test, a folder, or a pattern of
// names. missing says why the argument is not a file.
func shippedTests(arg string, missing error) ([]Test, error) {
	shipped := Shipped()
	files, err := shipped.Match(arg)
	switch {
	case err != nil:
		return nil, err
	case files != nil:
	case !errors.Is(missing, fs.ErrNotExist):
		return nil, missing
	default:
		hint := shipped.DidYouMean(arg, "`muster tests` lists the shipped ones")
		return nil, fmt.Errorf("%s: no such file or folder, and no shipped test of that name; %s", arg, hint)
	}
	tests := make([]Test, len(files))
	for i, file := range files {
		tests[i] = shipped.test(file)
	}
	return tests, nil
}

// Meant lists the files of the shipped tests that a name selects (Match). It is an error if the
// name selects none.
func (c *Corpus) Meant(name string) ([]string, error) {
	files, err := c.Match(name)
	if err == nil && files == nil {
		err = NoSuchTest(name)
	}
	return files, err
}

// NoSuchTest returns the error that no shipped test has a name.
func NoSuchTest(name string) error {
	shipped := Shipped()
	return fmt.Errorf("no shipped test %s; %s", name,
		shipped.DidYouMean(name, "the folders are "+strings.Join(shipped.Folders(), ", ")))
}

// DidYouMean returns a hint: a test or folder with a similar name, a pattern if names begin like
// this one, or the other hint.
func (c *Corpus) DidYouMean(name, otherwise string) string {
	names := c.Names()
	if hint := src.DidYouMean(name, append(c.Folders(), names...)); hint != "" {
		return hint
	}
	begins := func(longer string) bool { return strings.HasPrefix(longer, name) }
	if name != "" && slices.ContainsFunc(names, begins) {
		return "did you mean " + name + "*?"
	}
	return otherwise
}

// Match lists the files of the tests that a name selects. The name is that of a test, with or
// without extension; a pattern of names (path.Match) such as mp-* or, with the folder, ptx/MP*; or
// a folder. Match returns nil if the name selects nothing. A pattern that matches nothing is an
// error.
func (c *Corpus) Match(name string) ([]string, error) {
	if file, ok := c.Find(name); ok {
		return []string{file}, nil
	}
	if strings.ContainsAny(name, "*?[") {
		return c.matching(name)
	}
	return c.where(func(file string) bool { return path.Dir(file) == name }), nil
}

// Some returns the part of the corpus that a name selects (Match), without tables.
func (c *Corpus) Some(name string) (*Corpus, error) {
	files, err := c.Match(name)
	return &Corpus{fsys: c.fsys, prefix: c.prefix, Files: files}, err
}

func (c *Corpus) where(meant func(file string) bool) []string {
	var files []string
	for _, file := range c.Files {
		if meant(file) {
			files = append(files, file)
		}
	}
	return files
}

// matching lists the files of the tests whose names match a pattern.
func (c *Corpus) matching(pattern string) ([]string, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return nil,
			fmt.Errorf("%s: a bad pattern: expected * for any letters, ? for one, [ab] for one of these", pattern)
	}
	match := func(pattern, file string) bool {
		name := Name(file)
		if strings.Contains(pattern, "/") {
			name = path.Join(path.Dir(file), name)
		}
		ok, _ := path.Match(strings.TrimSuffix(pattern, Extension), name)
		return ok
	}
	if files := c.where(func(file string) bool { return match(pattern, file) }); files != nil {
		return files, nil
	}
	return nil, fmt.Errorf("%s: no shipped test has such a name; %s", pattern, c.nearMisses(pattern, match))
}

// nearMisses returns a hint for a pattern that matches nothing: names that match it in other case,
// names that begin alike, or the pattern with another beginning.
func (c *Corpus) nearMisses(pattern string, match func(pattern, file string) bool) string {
	start := pattern[strings.LastIndexByte(pattern, '/')+1:]
	start, rest := start[:strings.IndexAny(start+"*", "*?[")], start[strings.IndexAny(start+"*", "*?["):]
	var near, beginnings []string
	for _, file := range c.Files {
		name := Name(file)
		if match(strings.ToLower(pattern), strings.ToLower(file)) || start != "" && strings.HasPrefix(name, start) {
			near = append(near, name)
		}
		for n := len(start) - 1; n <= len(start)+1; n++ {
			beginnings = append(beginnings, name[:max(0, min(n, len(name)))])
		}
	}
	if len(near) > 0 {
		return "did you mean " + SomeOf(near) + "?"
	}
	if start := src.Nearest(start, beginnings); start != "" {
		return "did you mean " + start + rest + "?"
	}
	return "`muster tests` lists the shipped ones"
}

// SomeOf lists the first few of many names.
func SomeOf(names []string) string {
	const some = 5
	if len(names) > some {
		names = append(names[:some:some], "…")
	}
	return strings.Join(names, ", ")
}
