package corpus

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/src"
)

// expandStream yields the tests of a stream, which may be compressed by gzip: a tar archive, or the
// text of tests one after the other, as `muster gen` prints them. Tests are read on demand.
func expandStream(name string, from io.Reader, yield func(Test) bool) bool {
	if !yield(Test{}) {
		return false
	}
	r := bufio.NewReaderSize(from, streamBuffer)
	if isGzip(r) {
		unpacked, err := gzip.NewReader(r)
		if err != nil {
			return yield(failed(Placed(name, err)))
		}
		r = bufio.NewReaderSize(unpacked, streamBuffer)
	}
	if isTar(r) {
		return expandTar(name, r, yield)
	}
	s := splitter{name: name, lines: r}
	for {
		test, err := s.next()
		if test != nil && !yield(TestIn(test)) {
			return false
		}
		switch {
		case err == io.EOF && s.found == 0:
			return yield(TestIn(src.NewFile(name, "")))
		case err == io.EOF:
			return true
		case err != nil:
			return yield(failed(fmt.Errorf("%s:%d: %w", name, s.first, err)))
		}
	}
}

const streamBuffer = 1 << 16

// secondTest says where a second test begins in a file, or returns nil.
func secondTest(f *src.File) *src.Diagnostic {
	s := splitter{name: f.Name, lines: bufio.NewReader(strings.NewReader(f.Text))}
	first, err := s.next()
	if err != nil || s.ahead == "" {
		return nil
	}
	second, err := s.next()
	if err != nil && err != io.EOF || !testCondition.MatchString(first.Text) ||
		!testCondition.MatchString(second.Text) {
		return nil
	}
	at := len(first.Text)
	header, _, _ := strings.Cut(second.Text, "\n")
	return src.Errorf(f.Span(at, at+len(strings.TrimSpace(header))),
		"a second test begins here, but a %s file has one", Extension).
		WithHint("give it another name, tests.txt, or to standard input: these may have many")
}

// splitter splits a text of many tests. Because a stream may be endless, it holds at most one test,
// and stops if the stream does not begin with a test.
type splitter struct {
	name    string
	lines   *bufio.Reader
	read    int    // lines read
	first   int    // the line where the present test begins
	ahead   string // the header of the next test
	opening opening
	found   int

	text, buffer []byte // of the present test and the present line, reused
}

var (
	headers       = strings.Join(frontends.Shipped().Headers(), "|")
	testHeader    = regexp.MustCompile(`^(` + headers + `)[ \t]+\S`)
	likeHeader    = regexp.MustCompile(`^[A-Za-z]\w*[ \t]+[^\s=<>;{}()]+\s*$`)
	anyHeader     = regexp.MustCompile(`^(` + headers + `)\b`)
	testCondition = regexp.MustCompile(`(?m)^\s*(exists|~|!|not|forall|final)\b`)
)

// next reads the next test. A test ends before the header of another one, which follows its
// condition or, without a condition, a blank line. After either, every line that resembles a header
// counts as one, so that a test that cannot be read does not spoil the one before it. Lines count
// from the beginning of the stream.
func (s *splitter) next() (*src.File, error) {
	s.text = append(s.text[:0], s.ahead...)
	s.first = s.read + 1
	some := s.ahead != ""
	if some {
		s.first = s.read
	}
	s.ahead = ""
	condition, blank := false, false
	for {
		line, err := s.line(MaxTest - len(s.text))
		if some && (condition || blank) && testHeader.Match(line) || condition && blank && likeHeader.Match(line) {
			s.ahead = string(line)
			break
		}
		blank = len(bytes.TrimSpace(line)) == 0
		condition = condition || isCondition(line)
		some = some || !blank
		s.text = append(s.text, line...)
		if err == nil && !s.opening.passed && !s.opening.admits(string(line)) {
			err = io.EOF // the parser reports what is wrong with the header
		}
		if err == io.EOF && some {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	if s.opening.failed { // the rest may tell what this is
		rest, _ := s.lines.Peek(s.lines.Buffered())
		s.text = append(s.text, rest...)
	}
	s.found++
	return src.NewFileAt(s.name, string(s.text), s.first), s.ended()
}

// isCondition reports whether a line begins the condition of a test. Checking the first letter is
// cheaper than the regular expression.
func isCondition(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 0 && strings.IndexByte("e~!nf", line[0]) >= 0 && testCondition.Match(line)
}

// ended returns io.EOF if the text read so far does not begin with a test.
func (s *splitter) ended() error {
	if s.opening.failed {
		return io.EOF
	}
	return nil
}

// line reads a line of at most the given number of bytes. It is valid until the next call.
func (s *splitter) line(most int) ([]byte, error) {
	s.buffer = s.buffer[:0]
	for {
		part, err := s.lines.ReadSlice('\n')
		if s.buffer = append(s.buffer, part...); len(s.buffer) > most {
			return nil, ErrTooLarge
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if len(s.buffer) > 0 {
			s.read++
		}
		return s.buffer, err
	}
}

// opening is the beginning of a stream: comments and blank lines, then the header of a test.
type opening struct {
	comments       int // nesting depth of open comments
	passed, failed bool
}

// admits reports whether a line may stand before the header, or is the header.
func (o *opening) admits(line string) bool {
	for {
		line = strings.TrimLeft(line, " \t\r\n\ufeff")
		switch {
		case o.comments > 0:
			i := strings.IndexAny(line, "(*")
			if i < 0 {
				return true
			}
			line = line[i:]
			switch {
			case strings.HasPrefix(line, "(*"):
				o.comments, line = o.comments+1, line[2:]
			case strings.HasPrefix(line, "*)"):
				o.comments, line = o.comments-1, line[2:]
			default:
				line = line[1:]
			}
		case line == "" || strings.HasPrefix(line, "//"):
			return true
		case strings.HasPrefix(line, "(*"):
			o.comments, line = 1, line[2:]
		default:
			o.passed = true
			o.failed = !anyHeader.MatchString(line)
			return !o.failed
		}
	}
}

// isGzip reports whether a stream is compressed, by its magic number (RFC 1952).
func isGzip(r *bufio.Reader) bool {
	const magic = "\x1f\x8b"
	head, _ := r.Peek(len(magic))
	return string(head) == magic
}

// isTar reports whether a stream is a tar archive, by its magic (POSIX ustar, offset 257).
func isTar(r *bufio.Reader) bool {
	const offset, magic = 257, "ustar"
	head, _ := r.Peek(offset + len(magic))
	return len(head) == offset+len(magic) && string(head[offset:]) == magic
}

// expandTar yields the tests of an archive.
func expandTar(name string, from io.Reader, yield func(Test) bool) bool {
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
		if header.Typeflag != tar.TypeReg || !strings.HasSuffix(header.Name, Extension) {
			continue
		}
		text, err := io.ReadAll(io.LimitReader(archive, MaxTest+1))
		if err == nil && len(text) > MaxTest {
			err = ErrTooLarge
		}
		if err != nil {
			return yield(failed(fmt.Errorf("%s: %s: %w", name, header.Name, err)))
		}
		found = true
		file := src.NewFile(header.Name, string(text))
		if !yield(TestIn(file)) {
			return false
		}
	}
	return found || yield(failed(fmt.Errorf("%s: no %s files in this archive", name, Extension)))
}

// expandFile yields the tests of a file that may have many. It refuses devices, which may be
// endless.
func expandFile(name string, info fs.FileInfo, yield func(Test) bool) bool {
	if !info.Mode().IsRegular() && info.Mode()&fs.ModeNamedPipe == 0 {
		return yield(
			failed(fmt.Errorf(
				"%s: this is neither a file nor a folder nor a pipe; tests of a stream are read from "+
					"standard input (-)", name)))
	}
	f, err := os.Open(name)
	if err != nil {
		return yield(failed(Placed(name, err)))
	}
	defer f.Close()
	return expandStream(name, f, yield)
}
