package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/corpus"
	"github.com/muster-gpu/muster/src"
)

// input is a test to be read, or why there is none. The zero input is no test: it says that a stream
// follows, and nobody knows how many tests that has.
type input struct {
	open func() (*src.File, error)
}

func (in *input) isTest() bool { return in.open != nil }

// inputs finds the tests that arguments mean, in order: files, folders (all tests in
// them, sorted), files and tar archives of many tests, @lists of arguments, "-" for standard input, names of shipped
// tests and of shipped folders, patterns of names.
func (a *app) inputs(args []string) iter.Seq[input] { return tests(a.arguments(args)) }

// tests leaves out what is no test.
func tests(inputs iter.Seq[input]) iter.Seq[input] {
	return func(yield func(input) bool) {
		for in := range inputs {
			if in.isTest() && !yield(in) {
				return
			}
		}
	}
}

// arguments is the inputs that arguments mean, with the beginnings of streams.
func (a *app) arguments(args []string) iter.Seq[input] {
	return func(yield func(input) bool) {
		for _, arg := range args {
			if !a.expand(arg, 0, yield) {
				return
			}
		}
	}
}

// argumentsOr is the inputs that arguments mean, or without any the shipped tests.
func (a *app) argumentsOr(args []string) iter.Seq[input] {
	if len(args) == 0 {
		return slices.Values(shippedInputs())
	}
	return a.arguments(args)
}

// counted is the tests among inputs, and how many there are: unknownTotal if some are of a stream, which
// is read as it is wanted.
func counted(inputs iter.Seq[input]) (iter.Seq[input], int) {
	next, stop := iter.Pull(inputs)
	var known []input
	for {
		in, ok := next()
		if !ok {
			return slices.Values(known), len(known)
		}
		if !in.isTest() {
			break
		}
		known = append(known, in)
	}
	return tests(func(yield func(input) bool) {
		defer stop()
		for _, in := range known {
			if !yield(in) {
				return
			}
		}
		for in, ok := next(); ok && yield(in); in, ok = next() {
		}
	}), unknownTotal
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
	case err == nil && filepath.Ext(arg) == corpus.Extension && info.Mode().IsRegular():
		return yield(fileInput(arg))
	case err == nil:
		return expandFile(arg, info, yield)
	}
	found, err := shippedTests(arg, err)
	if err != nil {
		return yield(failed(err))
	}
	for _, file := range found {
		if !yield(corpusInput(corpus.Shipped(), file)) {
			return false
		}
	}
	return true
}

func failed(err error) input {
	return input{open: func() (*src.File, error) { return nil, err }}
}

func fileInput(name string) input {
	return input{open: func() (*src.File, error) {
		text, err := corpus.ReadTest(name, os.Stat, os.ReadFile)
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
			more = yield(fileInput(name))
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
