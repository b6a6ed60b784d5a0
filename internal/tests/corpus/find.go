package corpus

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/internal/language/inputs"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/src"
)

// Test is a test that can be read, or an error. The zero Test is not a test: it announces a stream
// with an unknown number of tests.
type Test struct {
	open   func() (*src.File, error)
	parsed *litmus.Test // nil for a test that is still text
}

// Open reads the text of the test.
func (t Test) Open() (*src.File, error) { return t.open() }

// Parse parses the test, but not its program.
func (t Test) Parse() (*litmus.Test, error) {
	if t.parsed != nil {
		return t.parsed, nil
	}
	f, err := t.Open()
	if err != nil {
		return nil, err
	}
	test, err := frontends.Shipped().Parse(f)
	if err != nil {
		if second := secondTest(f); second != nil {
			return nil, src.Diagnostics{second}
		}
	}
	return test, err
}

// Parsed returns a parsed test as a Test. It is not modified.
func Parsed(t *litmus.Test) Test {
	return Test{open: func() (*src.File, error) { return t.File, nil }, parsed: t}
}

// TestIn returns the test in a file that has been read.
func TestIn(f *src.File) Test { return TestBy(func() (*src.File, error) { return f, nil }) }

// TestBy returns a test whose text the function reads.
func TestBy(open func() (*src.File, error)) Test { return Test{open: open} }

// Made returns generated tests, each made on demand. As with other sources, it is an error if it
// yields no test.
func Made[T any](all iter.Seq2[T, error], test func(T) *litmus.Test) iter.Seq[Test] {
	return func(yield func(Test) bool) {
		none := true
		for t, err := range all {
			var made Test
			if err == nil {
				made = Parsed(test(t))
			} else {
				made = failed(err)
			}
			if none = false; !yield(made) {
				return
			}
		}
		if none {
			yield(failed(errors.New("no test was made (docs/generate.md)")))
		}
	}
}

func failed(err error) Test {
	return TestBy(func() (*src.File, error) { return nil, err })
}

// Tests lists the tests of the corpus.
func (c *Corpus) Tests() []Test {
	all := make([]Test, len(c.Files))
	for i, file := range c.Files {
		all[i] = c.test(file)
	}
	return all
}

func (c *Corpus) test(file string) Test {
	return TestBy(func() (*src.File, error) { return c.Open(file) })
}

// Finder finds the tests that the arguments of a command line name.
type Finder struct {
	Stdin io.Reader
	Made  iter.Seq[Test] // replaces standard input, unless nil
}

// Tests yields the tests that the arguments name, in order: files, folders (all tests in them,
// sorted), files and tar archives of many tests, perhaps compressed by gzip, @lists of arguments,
// "-" for standard input, names of shipped tests and folders, patterns of names.
func (f Finder) Tests(args ...string) iter.Seq[Test] { return withoutMarks(f.arguments(args)) }

// First returns the first n of some tests.
func First(n int, tests iter.Seq[Test]) (first []Test) {
	for t := range tests {
		if first = append(first, t); len(first) == n {
			break
		}
	}
	return first
}

// Check returns an error if the first test of an argument cannot be read, for example because there
// is no such file.
func (f Finder) Check(args ...string) error {
	for _, arg := range args {
		first := First(1, f.Tests(arg))
		if len(first) == 0 {
			return fmt.Errorf("%s: no test", arg)
		}
		if _, err := first[0].Open(); err != nil {
			return err
		}
	}
	return nil
}

// UnknownTotal stands for an unknown number of tests.
const UnknownTotal = -1

// Counted returns the tests that the arguments name and their number. The number is UnknownTotal if
// some come from a stream, which is read on demand.
func (f Finder) Counted(args ...string) (iter.Seq[Test], int) {
	next, stop := iter.Pull(f.arguments(args))
	var known []Test
	for {
		t, ok := next()
		if !ok {
			return slices.Values(known), len(known)
		}
		if t.open == nil {
			break
		}
		known = append(known, t)
	}
	return withoutMarks(func(yield func(Test) bool) {
		defer stop()
		for _, t := range known {
			if !yield(t) {
				return
			}
		}
		for t, ok := next(); ok && yield(t); t, ok = next() {
		}
	}), UnknownTotal
}

// CountedOr is Counted, but without arguments it returns the shipped tests.
func (f Finder) CountedOr(args ...string) (iter.Seq[Test], int) {
	if len(args) == 0 {
		all := Shipped().Tests()
		return slices.Values(all), len(all)
	}
	return f.Counted(args...)
}

// withoutMarks drops the zero Tests, which announce streams.
func withoutMarks(tests iter.Seq[Test]) iter.Seq[Test] {
	return func(yield func(Test) bool) {
		for t := range tests {
			if t.open != nil && !yield(t) {
				return
			}
		}
	}
}

// arguments yields the tests that the arguments name, with a zero Test before each stream.
func (f Finder) arguments(args []string) iter.Seq[Test] {
	return func(yield func(Test) bool) {
		for _, arg := range args {
			if !f.expand(arg, 0, yield) {
				return
			}
		}
	}
}

// maxListDepth bounds lists in lists: a list may name itself.
const maxListDepth = 8

func (f Finder) expand(arg string, depth int, yield func(Test) bool) bool {
	if list, ok := strings.CutPrefix(arg, "@"); ok {
		return f.expandList(list, depth, yield)
	}
	if arg == "-" && f.Made != nil {
		return yield(Test{}) && each(f.Made, yield)
	}
	if arg == "-" {
		return expandStream(arg, f.Stdin, yield)
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return expandFolder(arg, yield)
	case err == nil && filepath.Ext(arg) == Extension && info.Mode().IsRegular():
		return yield(testFile(arg, true))
	case err == nil:
		return expandFile(arg, info, yield)
	}
	found, err := shippedTests(arg, err)
	if err != nil {
		return yield(failed(err))
	}
	for _, t := range found {
		if !yield(t) {
			return false
		}
	}
	return true
}

// each yields tests, and reports whether more are wanted.
func each(tests iter.Seq[Test], yield func(Test) bool) bool {
	for t := range tests {
		if !yield(t) {
			return false
		}
	}
	return true
}

func testFile(name string, regular bool) Test {
	return TestBy(func() (*src.File, error) {
		text, err := readText(name, regular)
		if err != nil {
			return nil, Placed(name, err)
		}
		return src.NewFile(name, text), nil
	})
}

// readText reads a file with one test, unless it is unfit. regular says that the file is known to
// be regular, which saves a system call.
func readText(name string, regular bool) (string, error) {
	if !regular {
		if err := unfit(os.Stat(name)); err != nil {
			return "", err
		}
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text := texts.Get().(*bytes.Buffer)
	defer texts.Put(text)
	text.Reset()
	switch n, err := text.ReadFrom(io.LimitReader(f, MaxTest+1)); {
	case err != nil:
		return "", err
	case n > MaxTest:
		return "", ErrTooLarge
	}
	return text.String(), nil
}

// texts are buffers into which files are read.
var texts = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// expandFolder yields the tests in a folder and its subfolders.
func expandFolder(dir string, yield func(Test) bool) bool {
	found, more := false, true
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			more = yield(failed(Placed(name, err)))
		case !d.IsDir() && strings.HasSuffix(name, Extension):
			found = true
			more = yield(testFile(name, d.Type().IsRegular()))
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
		return yield(
			failed(fmt.Errorf("%s: no %s files in this folder%s", dir, Extension, inputs.Inside(dir, inputs.Test))))
	}
	return more
}

// maxList bounds the bytes of a list: a million names.
const maxList = 64 << 20

// expandList yields the tests that the lines of a list file name; # begins a comment.
func (f Finder) expandList(name string, depth int, yield func(Test) bool) bool {
	if depth == maxListDepth {
		return yield(failed(fmt.Errorf("@%s: lists within lists more than %d deep", name, maxListDepth)))
	}
	text, err := src.ReadFile(name, maxList)
	if err != nil {
		return yield(failed(Placed("@"+name, err)))
	}
	lines := bufio.NewScanner(strings.NewReader(text))
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
		if !f.expand(line, depth+1, yield) {
			return false
		}
	}
	return true
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
