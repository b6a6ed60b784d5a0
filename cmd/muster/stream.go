package main

import (
	"archive/tar"
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/muster-gpu/muster/corpus"
	"github.com/muster-gpu/muster/src"
)

// expandStream yields the tests of a stream: a tar archive, or the text of one test or more,
// one after the other, as `muster gen` prints them. They are read as they are wanted.
func expandStream(name string, from io.Reader, yield func(input) bool) bool {
	r := bufio.NewReaderSize(from, streamBuffer)
	if isTar(r) {
		return expandTar(name, r, yield)
	}
	s := splitter{name: name, lines: bufio.NewReader(r)}
	for {
		test, err := s.next()
		if test != nil && !yield(input{func() (*src.File, error) { return test, nil }}) {
			return false
		}
		switch {
		case err == io.EOF && s.found == 0:
			return yield(input{func() (*src.File, error) { return src.NewFile(name, ""), nil }})
		case err == io.EOF:
			return true
		case err != nil:
			return yield(failed(fmt.Errorf("%s: %w", name, err)))
		}
	}
}

const streamBuffer = 1 << 16

// splitter cuts the text of many tests.
type splitter struct {
	name  string
	lines *bufio.Reader
	read  int    // lines
	ahead string // the header of the next test
	found int
}

var (
	testHeader    = regexp.MustCompile(`^(GPU_PTX|PTX)[ \t]+\S`)
	testCondition = regexp.MustCompile(`^\s*(exists|~|not|forall|final)\b`)
)

// next reads the next test. It goes up to the header of another, which stands after the
// condition of this one or, if it has none, after a blank line. Lines count from the beginning
// of the stream.
func (s *splitter) next() (*src.File, error) {
	var text strings.Builder
	text.WriteString(s.ahead)
	first, some := s.read+1, s.ahead != ""
	if some {
		first = s.read
	}
	s.ahead = ""
	condition, blank := false, false
	for {
		line, err := s.lines.ReadString('\n')
		if line != "" {
			s.read++
		}
		if some && (condition || blank) && testHeader.MatchString(line) {
			s.ahead = line
			break
		}
		blank = strings.TrimSpace(line) == ""
		condition = condition || testCondition.MatchString(line)
		some = some || !blank
		text.WriteString(line)
		if err == io.EOF && some {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	s.found++
	return src.NewFileAt(s.name, text.String(), first), nil
}

// isTar reports that a stream is a tar archive, by its magic (POSIX ustar, offset 257).
func isTar(r *bufio.Reader) bool {
	const offset, magic = 257, "ustar"
	head, _ := r.Peek(offset + len(magic))
	return len(head) == offset+len(magic) && string(head[offset:]) == magic
}

// expandTar yields the tests of an archive.
func expandTar(name string, from io.Reader, yield func(input) bool) bool {
	archive := tar.NewReader(from)
	found := false
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return yield(failed(fmt.Errorf("%s: %w", name, err)))
		}
		if header.Typeflag != tar.TypeReg || !strings.HasSuffix(header.Name, corpus.Extension) {
			continue
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			return yield(failed(fmt.Errorf("%s: %s: %w", name, header.Name, err)))
		}
		found = true
		file := src.NewFile(header.Name, string(text))
		if !yield(input{func() (*src.File, error) { return file, nil }}) {
			return false
		}
	}
	return found || yield(failed(fmt.Errorf("%s: no %s files in this archive", name, corpus.Extension)))
}

// expandFile yields the tests of a file that may have many.
func expandFile(name string, yield func(input) bool) bool {
	f, err := os.Open(name)
	if err != nil {
		return yield(failed(unwrapPath(name, err)))
	}
	defer f.Close()
	return expandStream(name, f, yield)
}
