package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/corpus"
	"github.com/muster-gpu/muster/src"
)

// input is a test to be read, or why there is none.
type input struct {
	open func() (*src.File, error)
}

// inputs finds the tests that arguments mean, in order: files, folders (all tests in
// them, sorted), files and tar archives of many tests, @lists of arguments, "-" for standard input, names of shipped
// tests and of shipped folders.
func (a *app) inputs(args []string) iter.Seq[input] {
	return func(yield func(input) bool) {
		for _, arg := range args {
			if !a.expand(arg, 0, yield) {
				return
			}
		}
	}
}

// maxListDepth bounds lists in lists: a list may name itself.
const maxListDepth = 8

func (a *app) expand(arg string, depth int, yield func(input) bool) bool {
	if list, ok := strings.CutPrefix(arg, "@"); ok {
		return a.expandList(list, depth, yield)
	}
	if arg == "-" {
		return expandStream(arg, a.in, yield)
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return expandFolder(arg, yield)
	case err == nil && filepath.Ext(arg) == corpus.Extension:
		return yield(fileInput(arg, os.ReadFile))
	case err == nil:
		return expandFile(arg, yield)
	}
	if file, ok := corpus.Shipped().Find(arg); ok {
		return yield(corpusInput(corpus.Shipped(), file))
	}
	if slices.Contains(corpus.Shipped().Folders(), arg) {
		for _, file := range corpus.Shipped().Files {
			if path.Dir(file) == arg && !yield(corpusInput(corpus.Shipped(), file)) {
				return false
			}
		}
		return true
	}
	return yield(failed(noSuchTest(arg, err)))
}

func failed(err error) input {
	return input{func() (*src.File, error) { return nil, err }}
}

// noSuchTest explains why an argument is no test.
func noSuchTest(arg string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	hint := src.DidYouMean(arg, corpus.Shipped().Names())
	if hint == "" {
		hint = "`muster tests` lists the shipped ones"
	}
	return fmt.Errorf("%s: no such file or folder, and no shipped test of that name; %s", arg, hint)
}

func fileInput(name string, read func(string) ([]byte, error)) input {
	return input{func() (*src.File, error) {
		text, err := read(name)
		if err != nil {
			return nil, unwrapPath(name, err)
		}
		return src.NewFile(name, string(text)), nil
	}}
}

// unwrapPath says which file an error is about, once.
func unwrapPath(name string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// expandFolder yields the tests in a folder and the folders in it.
func expandFolder(dir string, yield func(input) bool) bool {
	found, more := false, true
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			more = yield(failed(unwrapPath(name, err)))
		case !d.IsDir() && strings.HasSuffix(name, corpus.Extension):
			found = true
			more = yield(fileInput(name, os.ReadFile))
		}
		if !more {
			return filepath.SkipAll
		}
		return nil
	})
	if err != nil {
		return yield(failed(err))
	}
	if !found && more {
		return yield(failed(fmt.Errorf("%s: no %s files in this folder", dir, corpus.Extension)))
	}
	return more
}

// expandList yields what the lines of a list file mean; # begins a comment.
func (a *app) expandList(name string, depth int, yield func(input) bool) bool {
	if depth == maxListDepth {
		return yield(failed(fmt.Errorf("@%s: lists within lists more than %d deep", name, maxListDepth)))
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return yield(failed(unwrapPath("@"+name, err)))
	}
	lines := bufio.NewScanner(strings.NewReader(string(text)))
	for lines.Scan() {
		line, _, _ := strings.Cut(lines.Text(), "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if !filepath.IsAbs(line) && line != "-" && line[0] != '@' {
			if beside := filepath.Join(filepath.Dir(name), line); exists(beside) {
				line = beside
			}
		}
		if !a.expand(line, depth+1, yield) {
			return false
		}
	}
	return true
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
