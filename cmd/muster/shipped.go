package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/corpus"
	"github.com/muster-gpu/muster/src"
)

// shippedTests finds the files of the shipped tests that an argument means: the name of a test,
// of a folder, or a pattern of names. missing says why the argument is no file.
func shippedTests(arg string, missing error) ([]string, error) {
	shipped := corpus.Shipped()
	if file, ok := shipped.Find(arg); ok {
		return []string{file}, nil
	}
	if isPattern(arg) {
		return matching(arg)
	}
	if slices.Contains(shipped.Folders(), arg) {
		return filesIn(arg), nil
	}
	if !errors.Is(missing, fs.ErrNotExist) {
		return nil, missing
	}
	hint := src.DidYouMean(arg, append(shipped.Folders(), shipped.Names()...))
	if hint == "" {
		hint = "`muster tests` lists the shipped ones"
	}
	return nil, fmt.Errorf("%s: no such file or folder, and no shipped test of that name; %s", arg, hint)
}

// filesIn lists the files of the shipped tests of a folder.
func filesIn(folder string) []string {
	return filesWhere(func(file string) bool { return path.Dir(file) == folder })
}

func filesWhere(meant func(file string) bool) []string {
	var files []string
	for _, file := range corpus.Shipped().Files {
		if meant(file) {
			files = append(files, file)
		}
	}
	return files
}

// isPattern reports that an argument is a pattern of names (path.Match).
func isPattern(arg string) bool { return strings.ContainsAny(arg, "*?[") }

// matching lists the files of the shipped tests whose names match a pattern: mp-* or, with the
// folder, ptx/MP*.
func matching(pattern string) ([]string, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, fmt.Errorf("%s: a bad pattern: expected * for any letters, ? for one, [ab] for one of these", pattern)
	}
	match := func(pattern, file string) bool {
		name := corpus.Name(file)
		if strings.Contains(pattern, "/") {
			name = path.Join(path.Dir(file), name)
		}
		ok, _ := path.Match(strings.TrimSuffix(pattern, corpus.Extension), name)
		return ok
	}
	if files := filesWhere(func(file string) bool { return match(pattern, file) }); len(files) > 0 {
		return files, nil
	}
	return nil, fmt.Errorf("%s: no shipped test has such a name; %s", pattern, nearMisses(pattern, match))
}

// nearMisses is a hint for a pattern that matches nothing: the names that match it in other case,
// those that begin as it does, or the pattern with a beginning that names have.
func nearMisses(pattern string, match func(pattern, file string) bool) string {
	start := pattern[strings.LastIndexByte(pattern, '/')+1:]
	start, rest := start[:strings.IndexAny(start+"*", "*?[")], start[strings.IndexAny(start+"*", "*?["):]
	var near, beginnings []string
	for _, file := range corpus.Shipped().Files {
		name := corpus.Name(file)
		if match(strings.ToLower(pattern), strings.ToLower(file)) || start != "" && strings.HasPrefix(name, start) {
			near = append(near, name)
		}
		for n := len(start) - 1; n <= len(start)+1; n++ {
			beginnings = append(beginnings, name[:max(0, min(n, len(name)))])
		}
	}
	if len(near) > 0 {
		return "did you mean " + someOf(near) + "?"
	}
	if start := src.Nearest(start, beginnings); start != "" {
		return "did you mean " + start + rest + "?"
	}
	return "`muster tests` lists the shipped ones"
}
