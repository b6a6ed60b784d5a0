package corpus

import (
	"archive/tar"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Sink is a destination for tests.
type Sink interface {
	// Write writes a test, given its name and text. Files get the names that FileNames gives.
	Write(name, text string) error
	// Close ends the collection. Without it, some tests may not be written.
	Close() error
}

// ManyFiles bounds the files that are written into a folder unless more are asked for.
const ManyFiles = 50_000

// SinkFor returns the sink that a word names: "-" is standard output as text, "tar" standard output
// as an archive, NAME.tar an archive in a file, and any other word a folder for at most the given
// number of files.
func SinkFor(word string, stdout io.Writer, files int) (Sink, error) {
	switch {
	case word == "-":
		return NewText(stdout), nil
	case word == "tar":
		return NewTar(stdout), nil
	case strings.HasSuffix(word, ".tar"):
		return CreateTar(word)
	}
	return NewFolder(word, files), nil
}

// NewText returns a sink that writes tests one after the other, separated by blank lines.
func NewText(out io.Writer) Sink { return &textSink{out: out} }

type textSink struct {
	out  io.Writer
	some bool
}

func (s *textSink) Write(_, text string) error {
	if s.some {
		text = "\n" + text
	}
	s.some = true
	_, err := io.WriteString(s.out, text)
	return err
}

func (s *textSink) Close() error { return nil }

// NewTar returns a sink that writes an archive. The archive has no times, so that equal tests make
// equal archives.
func NewTar(out io.Writer) Sink {
	return &tarSink{archive: tar.NewWriter(out), file: io.NopCloser(nil)}
}

// CreateTar returns a sink that writes an archive into a file.
func CreateTar(name string) (Sink, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	return &tarSink{archive: tar.NewWriter(f), file: f}, nil
}

type tarSink struct {
	archive *tar.Writer
	file    io.Closer
	given   FileNames
}

func (s *tarSink) Write(name, text string) error {
	err := s.archive.WriteHeader(&tar.Header{Name: s.given.Of(name) + Extension, Mode: 0o644, Size: int64(len(text))})
	if err == nil {
		_, err = io.WriteString(s.archive, text)
	}
	return err
}

func (s *tarSink) Close() error {
	if err := s.archive.Close(); err != nil {
		return err
	}
	return s.file.Close()
}

// NewFolder returns a sink that writes a file for each test, and a list of them all, @all, as diy
// does. With a bound most, it holds the files back until Close, and Close fails if there are more;
// 0 is no bound.
func NewFolder(dir string, most int) Sink { return &folderSink{dir: dir, most: most} }

type folderSink struct {
	dir   string
	most  int
	held  []heldFile
	names []string
	given FileNames
}

// heldFile is the file of a test in a folder.
type heldFile struct{ name, text string }

const listName = "@all"

func (s *folderSink) Write(name, text string) error {
	f := heldFile{s.given.Of(name) + Extension, text}
	s.names = append(s.names, f.name)
	switch {
	case s.most == 0:
		return s.put(f)
	case len(s.names) > s.most:
		s.held = nil // from here on only their number matters
	default:
		s.held = append(s.held, f)
	}
	return nil
}

func (s *folderSink) put(f heldFile) error {
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, f.name), []byte(f.text), 0o666)
}

// ManyError reports that a folder would get too many files.
type ManyError struct {
	Tests int
	More  bool // there are further tests: the count is incomplete
	dir   string
}

func (e *ManyError) Error() string {
	number := fmt.Sprint(e.Tests)
	if e.More {
		number = "more than " + number
	}
	return fmt.Sprintf(
		"%s tests would be as many files in %s, and nothing is written: --files 0 writes them, -o "+
			"%s.tar makes one file of them",
		number, e.dir, filepath.Clean(e.dir))
}

// Ended returns the error of a collection: err is the error of closing its sink, and cause, unless
// nil, what cut the collection short.
func Ended(err, cause error) error {
	var many *ManyError
	if errors.As(err, &many) && cause != nil {
		many.More = true
		return errors.Join(cause, many)
	}
	return cmp.Or(err, cause)
}

func (s *folderSink) Close() error {
	if s.most > 0 && len(s.names) > s.most {
		return &ManyError{Tests: len(s.names), dir: s.dir}
	}
	for _, f := range s.held {
		if err := s.put(f); err != nil {
			return err
		}
	}
	return s.put(heldFile{listName, strings.Join(append(s.names, ""), "\n")})
}
