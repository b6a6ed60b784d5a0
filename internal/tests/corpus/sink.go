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

// Sink is where tests are written.
type Sink interface {
	// Write takes the test of a name and a text. Files have the names that FileNames gives.
	Write(name, text string) error
	// Close ends a collection. What is not closed may lack some tests.
	Close() error
}

// ManyFiles is how many files nobody wants in a folder by mistake.
const ManyFiles = 50_000

// SinkFor is what a word means: "-" standard output as text, "tar" as an archive; NAME.tar an archive in a file; anything
// else a folder, which takes so many files.
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

// NewText is a sink of tests one after the other, with blank lines between.
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

// NewTar is a sink that is an archive. It has no times in it, so equal tests make equal archives.
func NewTar(out io.Writer) Sink {
	return &tarSink{archive: tar.NewWriter(out), file: io.NopCloser(nil)}
}

// CreateTar is a sink that is an archive in a file.
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

// NewFolder is a sink with a file for each test, and a list of them all, @all, as diy makes it. It keeps
// them back until it knows that they are no more files than most; 0 is any number.
func NewFolder(dir string, most int) Sink { return &folderSink{dir: dir, most: most} }

type folderSink struct {
	dir   string
	most  int
	held  []heldFile
	names []string
	given FileNames
}

// heldFile is the file of a test, in a folder.
type heldFile struct{ name, text string }

const listName = "@all"

func (s *folderSink) Write(name, text string) error {
	f := heldFile{s.given.Of(name) + Extension, text}
	s.names = append(s.names, f.name)
	switch {
	case s.most == 0:
		return s.put(f)
	case len(s.names) > s.most:
		s.held = nil // what is left is to say how many they are
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

// ManyError says that a folder would have more files than anybody wants.
type ManyError struct {
	Tests int
	More  bool // there are others: they were not counted to the end
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

// Ended is how a collection has ended: err is what closing its sink said, and cause, unless it is nil, what cut the
// collection short.
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
