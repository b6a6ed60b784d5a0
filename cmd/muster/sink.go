package main

import (
	"archive/tar"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/muster-gpu/muster/gen"
	"github.com/muster-gpu/muster/internal/corpus"
)

// sink is where generated tests go.
type sink interface {
	write(*gen.Test) error
	close() error
}

// sink opens what --out, --list and --json ask for.
func (g *generation) sink() (sink, error) {
	switch {
	case g.json:
		return &printSink{print: g.app.printTestJSON}, nil
	case g.list:
		return &printSink{print: func(t *gen.Test) { fmt.Fprintf(g.app.out, "%-40s %s\n", t.Name.Text, t.Cycle) }}, nil
	case g.out == "-":
		return &textSink{out: g.app.out}, nil
	case g.out == "tar":
		return &tarSink{tar.NewWriter(g.app.out), io.NopCloser(nil)}, nil
	case strings.HasSuffix(g.out, ".tar"):
		f, err := os.Create(g.out)
		if err != nil {
			return nil, err
		}
		return &tarSink{tar.NewWriter(f), f}, nil
	}
	return &folderSink{dir: g.out, most: g.files}, nil
}

// printSink prints something about each test.
type printSink struct{ print func(*gen.Test) }

func (s *printSink) write(t *gen.Test) error { s.print(t); return nil }
func (s *printSink) close() error            { return nil }

// textSink writes tests one after the other, with blank lines between.
type textSink struct {
	out  io.Writer
	some bool
}

func (s *textSink) write(t *gen.Test) error {
	between := ""
	if s.some {
		between = "\n"
	}
	s.some = true
	_, err := io.WriteString(s.out, between+t.String())
	return err
}

func (s *textSink) close() error { return nil }

// tarSink writes an archive. It has no times in it, so equal tests make equal archives.
type tarSink struct {
	archive *tar.Writer
	file    io.Closer
}

func (s *tarSink) write(t *gen.Test) error {
	text := t.String()
	err := s.archive.WriteHeader(&tar.Header{Name: t.Name.Text + corpus.Extension, Mode: 0o644, Size: int64(len(text))})
	if err == nil {
		_, err = io.WriteString(s.archive, text)
	}
	return err
}

func (s *tarSink) close() error {
	if err := s.archive.Close(); err != nil {
		return err
	}
	return s.file.Close()
}

// folderSink writes a file for each test, and a list of them all, @all, as diy does. It keeps
// them back until it knows that they are not too many.
type folderSink struct {
	dir   string
	most  int // files; 0 for any number
	held  []testFile
	names []string
}

// testFile is the file of a test, in a folder.
type testFile struct{ name, text string }

const listName = "@all"

func (s *folderSink) write(t *gen.Test) error {
	f := testFile{t.Name.Text + corpus.Extension, t.String()}
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

func (s *folderSink) put(f testFile) error {
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, f.name), []byte(f.text), 0o666)
}

func (s *folderSink) close() error {
	if s.most > 0 && len(s.names) > s.most {
		return fmt.Errorf("%d tests would be as many files in %s, and nothing is written: --files 0 writes them, -o %s.tar makes one file of them",
			len(s.names), s.dir, filepath.Clean(s.dir))
	}
	for _, f := range s.held {
		if err := s.put(f); err != nil {
			return err
		}
	}
	return s.put(testFile{listName, strings.Join(append(s.names, ""), "\n")})
}

// generatedJSON is a test in the output of --json (docs/json.md).
type generatedJSON struct {
	Name  string `json:"name"`
	Arch  string `json:"arch"`
	Cycle string `json:"cycle"`
	Hash  string `json:"hash"`
	Text  string `json:"text"`
}

func (a *app) printTestJSON(t *gen.Test) {
	a.printJSON(generatedJSON{t.Name.Text, t.Arch, t.Cycle.String(), t.Hash(), t.String()})
}
