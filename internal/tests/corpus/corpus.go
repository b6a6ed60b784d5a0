// Package corpus finds collections of litmus tests, with the tables that lie beside them, and
// writes them.
//
//	Corpus       the tests of a folder and of its subfolders
//	Tables       facts about them: expected verdicts, devices, counts
//	Expectation  the verdict that a model must have on a test: a row of expected.csv
//	Finder       finds the tests that arguments name: files, folders, lists, streams,
//	             archives, names, patterns
//	Test         a test that was found and can be read
//	Sink         a destination for tests: a stream, an archive, a folder
//	FileNames    the names of their files
//
// Shipped is the collection of package litmus-tests, whose documentation describes the columns of
// the tables. Tables are read on demand, so that running a single test by name does not wait for
// them.
package corpus

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	litmustests "github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/src"
)

// Extension is the extension of files of litmus tests.
const Extension = ".litmus"

// Corpus is a collection of tests.
type Corpus struct {
	Files []string // of the tests, as paths within the collection, sorted

	fsys   fs.FS
	prefix string   // of the names of files in messages
	tables []string // the files of tables
}

// Tables are the facts that tables give about the tests of a corpus.
type Tables struct {
	Devices []observe.Device
	Runs    []observe.Run
	Files   []string // of the tests

	expected map[verdict]Expectation
}

// verdict is the key of an expectation: a test and a model.
type verdict struct{ test, model string }

// Expectation is the verdict that a model must have on a test.
type Expectation struct {
	Test, Model string
	At          src.Span // the row

	Verdict string   // one of verdicts
	Reason  string   // may be empty
	Flags   []string // sorted
	Flagged bool     // whether the table has flags
}

// agrees reports whether two rows do not contradict each other.
func (e Expectation) agrees(f Expectation) bool {
	return e.Verdict == f.Verdict && (!e.Flagged || !f.Flagged || slices.Equal(e.Flags, f.Flags))
}

// verdicts are the verdicts that tables may expect.
var verdicts = []string{"allowed", "forbidden", "undefined"}

// Read walks a file system; prefix stands before the names of files in messages. Errors are
// reported, and the rest is read.
func Read(fsys fs.FS, prefix string, report func(error)) *Corpus {
	c := &Corpus{fsys: fsys, prefix: prefix}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			report(c.placed(name, err))
		case tables[path.Base(name)] != nil:
			c.tables = append(c.tables, name)
		case strings.HasSuffix(name, Extension) && !d.IsDir():
			c.Files = append(c.Files, name)
		}
		return nil
	})
	if err != nil {
		report(err)
	}
	return c
}

// countsTable is the name of tables of what hardware was seen to do.
const countsTable = "observations.csv"

// Counts returns the tables of what hardware was seen to do, as paths within the collection.
func (c *Corpus) Counts() []string {
	var files []string
	for _, name := range c.tables {
		if path.Base(name) == countsTable {
			files = append(files, name)
		}
	}
	return files
}

// tables are the names of tables with the functions that read them.
var tables = map[string]func(*Tables, *src.File) error{
	"expected.csv": (*Tables).readExpected,
	"devices.csv":  (*Tables).readDevices,
	countsTable:    (*Tables).readRuns,
}

// Tables reads the tables. Errors are reported, and the rest is read.
func (c *Corpus) Tables(report func(error)) *Tables {
	t := &Tables{Files: c.Files, expected: map[verdict]Expectation{}}
	for _, name := range c.tables {
		f, err := c.Open(name)
		if err == nil {
			err = tables[path.Base(name)](t, f)
		}
		if err != nil {
			report(err)
		}
	}
	return t
}

// Of returns the tables restricted to the tests of a corpus.
func (t *Tables) Of(c *Corpus) *Tables {
	names := map[string]bool{}
	for _, file := range c.Files {
		names[Name(file)] = true
	}
	part := *t
	part.Files, part.expected = c.Files, maps.Clone(t.expected)
	maps.DeleteFunc(part.expected, func(v verdict, _ Expectation) bool { return !names[v.test] })
	part.Runs = slices.DeleteFunc(slices.Clone(t.Runs), func(r observe.Run) bool { return !names[r.Test] })
	return &part
}

// Shipped returns the corpus that is built in.
var Shipped = sync.OnceValue(func() *Corpus { return Read(litmustests.FS, "", never) })

// ShippedTables returns its tables.
var ShippedTables = sync.OnceValue(func() *Tables { return Shipped().Tables(never) })

// never panics: a test ensures that the shipped corpus has no errors.
func never(err error) { panic(err) }

// Open reads a file of the corpus.
func (c *Corpus) Open(file string) (*src.File, error) {
	read := fs.ReadFile
	if path.Ext(file) == Extension {
		read = readTest
	}
	text, err := read(c.fsys, file)
	if err != nil {
		return nil, c.placed(file, err)
	}
	return src.NewFile(filepath.Join(c.prefix, file), string(text)), nil
}

// MaxTest bounds the bytes of one test. The largest hand-written tests have some thousand.
const MaxTest = 1 << 20

// unfit says why a file cannot be read as one test, given its information: it is too large, or not
// a regular file and hence possibly endless. It returns nil if it can be read.
func unfit(info fs.FileInfo, err error) error {
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("this is not a regular file")
	case info.Size() > MaxTest:
		return ErrTooLarge
	}
	return nil
}

// ErrTooLarge reports that a test has more than MaxTest bytes.
var ErrTooLarge = fmt.Errorf("a test with more than %d bytes", MaxTest)

func readTest(fsys fs.FS, name string) ([]byte, error) {
	if err := unfit(fs.Stat(fsys, name)); err != nil {
		return nil, err
	}
	return fs.ReadFile(fsys, name)
}

// placed adds the name of the file to an error.
func (c *Corpus) placed(file string, err error) error {
	return Placed(filepath.Join(c.prefix, file), err)
}

// Placed adds the name of a file to an error, without repeating it.
func Placed(name string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s: %w", name, err)
}

// Name returns the name of the test in a file.
func Name(file string) string { return strings.TrimSuffix(path.Base(file), Extension) }

// Find returns the file of the test with a name, which may include the folder and the extension.
func (c *Corpus) Find(name string) (file string, ok bool) {
	name = strings.TrimSuffix(name, Extension)
	i := slices.IndexFunc(c.Files, func(f string) bool { return Name(f) == name || f == name+Extension })
	if i < 0 {
		return "", false
	}
	return c.Files[i], true
}

// Names lists the tests, sorted.
func (c *Corpus) Names() []string {
	names := make([]string, len(c.Files))
	for i, f := range c.Files {
		names[i] = Name(f)
	}
	slices.Sort(names)
	return names
}

// Folders lists the folders that hold tests, sorted.
func (c *Corpus) Folders() []string {
	var names []string
	for _, f := range c.Files {
		if dir := path.Dir(f); !slices.Contains(names, dir) {
			names = append(names, dir)
		}
	}
	return names
}

// Expected returns the verdict that a model must have on a test, if the corpus has one.
func (t *Tables) Expected(test, model string) (Expectation, bool) {
	e, ok := t.expected[verdict{test, model}]
	return e, ok
}

// Expectations lists all expectations, in the order of the rows.
func (t *Tables) Expectations() []Expectation {
	return slices.SortedFunc(maps.Values(t.expected), func(d, e Expectation) int {
		return cmp.Or(cmp.Compare(d.At.File.Name, e.At.File.Name), cmp.Compare(d.At.Start, e.At.Start))
	})
}

// Device returns the device with a short name. A device that no table describes has no vendor.
func (t *Tables) Device(name string) observe.Device {
	for _, d := range t.Devices {
		if d.Name == name {
			return d
		}
	}
	return observe.Device{Name: name}
}

// readExpected reads a table with the columns test, model and verdict, and optionally reason and
// flags.
func (t *Tables) readExpected(f *src.File) error {
	return src.ReadTable(f, []string{"test", "model", "verdict"}, func(row src.Row) error {
		e := Expectation{
			Test:    row.Get("test"),
			Model:   row.Get("model"),
			At:      row.At,
			Verdict: row.Get("verdict"),
			Reason:  row.Get("reason"),
			Flagged: row.Has("flags"),
		}
		if !slices.Contains(verdicts, e.Verdict) {
			return src.Errorf(row.At, "expected the verdict allowed, forbidden or undefined, found %q", e.Verdict)
		}
		if e.Flagged {
			e.Flags = strings.Fields(row.Get("flags"))
			slices.Sort(e.Flags)
		}
		v := verdict{e.Test, e.Model}
		if first, twice := t.expected[v]; twice && !first.agrees(e) {
			return src.Errorf(row.At, "this contradicts line %d of %s, which is about %s under %s, too",
				first.At.Pos().Line, first.At.File.Name, e.Test, e.Model)
		}
		t.expected[v] = e
		return nil
	})
}

func (t *Tables) readDevices(f *src.File) error {
	devices, err := observe.ReadDevices(f)
	for _, d := range devices { // two folders may have counts of one device
		if !slices.Contains(t.Devices, d) {
			t.Devices = append(t.Devices, d)
		}
	}
	return err
}

func (t *Tables) readRuns(f *src.File) error {
	runs, err := observe.ReadRuns(f)
	t.Runs = append(t.Runs, runs...)
	return err
}
