package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	litmustests "github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

// corpus is a folder of tests with the tables beside them.
type corpus struct {
	files    []input
	expected map[testModel]expectation
	devices  []observe.Device
	runs     []observe.Run
}

// testModel names a verdict: a test under a model.
type testModel struct{ test, model string }

// expectation is a row of expected.csv.
type expectation struct {
	Verdict string // "allowed" or "forbidden"
	Reason  string
	Flags   []string // sorted
	flagged bool     // whether the table tells flags
}

// unmet says in what a result is not as expected; "" if it is.
func (e *expectation) unmet(r *sim.Result) string {
	switch got := r.Outcome(); {
	case got == sim.Unknown:
		return ""
	case got.String() != e.Verdict:
		return fmt.Sprintf("is %s, expected %s: %s", got, e.Verdict, e.Reason)
	case e.flagged && !slices.Equal(e.Flags, r.Flags):
		return fmt.Sprintf("has %s, expected %s", listFlags(r.Flags), listFlags(e.Flags))
	}
	return ""
}

func listFlags(flags []string) string {
	switch len(flags) {
	case 0:
		return "no flag"
	case 1:
		return "the flag " + flags[0]
	}
	return "the flags " + strings.Join(flags, " ")
}

// shippedCorpus opens the embedded corpus.
func (a *app) shippedCorpus() *corpus { return a.readCorpus(litmustests.FS, "") }

// openCorpus opens a folder on disk, or a file or standard input (-) with many tests, which has no
// tables beside it.
func (a *app) openCorpus(dir string) (*corpus, error) {
	info, err := os.Stat(dir)
	switch {
	case dir == "-" || err == nil && !info.IsDir():
		return &corpus{files: slices.Collect(a.inputs([]string{dir}))}, nil
	case err != nil:
		return nil, fmt.Errorf("%s: expected a folder with litmus tests: %w", dir, unwrapOnly(err))
	}
	c := a.readCorpus(os.DirFS(dir), dir)
	if len(c.files) == 0 {
		return nil, fmt.Errorf("%s: no %s files in this folder", dir, extension)
	}
	return c, nil
}

func unwrapOnly(err error) error {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err
	}
	return err
}

// readCorpus walks a file system; prefix is put before the names of files in
// messages. What cannot be read is reported, the rest goes on.
func (a *app) readCorpus(fsys fs.FS, prefix string) *corpus {
	c := &corpus{expected: map[testModel]expectation{}}
	read := func(name string) (*src.File, error) {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, unwrapPath(filepath.Join(prefix, name), err)
		}
		return src.NewFile(filepath.Join(prefix, name), string(text)), nil
	}
	tables := map[string]func(*src.File) error{
		"expected.csv": c.readExpected,
		"devices.csv": func(f *src.File) error {
			devices, err := observe.ReadDevices(f)
			c.devices = append(c.devices, devices...)
			return err
		},
		"observations.csv": func(f *src.File) error {
			runs, err := observe.ReadRuns(f)
			c.runs = append(c.runs, runs...)
			return err
		},
	}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			a.fail(unwrapPath(filepath.Join(prefix, name), err))
			return nil
		}
		if strings.HasSuffix(name, extension) && !d.IsDir() {
			c.files = append(c.files, input{func() (*src.File, error) { return read(name) }})
		}
		if table, ok := tables[path.Base(name)]; ok {
			f, err := read(name)
			if err == nil {
				err = table(f)
			}
			if err != nil {
				a.fail(err)
			}
		}
		return nil
	})
	if err != nil {
		a.fail(err)
	}
	return c
}

// readExpected reads a table with the columns test, model, verdict and reason, and
// perhaps flags.
func (c *corpus) readExpected(f *src.File) error {
	return src.ReadTable(f, []string{"test", "model", "verdict", "reason"}, func(row src.Row) error {
		verdict := row.Get("verdict")
		if verdict != sim.Allowed.String() && verdict != sim.Forbidden.String() {
			return src.Errorf(row.At, "expected the verdict allowed or forbidden, found %q", verdict)
		}
		e := expectation{Verdict: verdict, Reason: row.Get("reason"), flagged: row.Has("flags")}
		if e.flagged {
			e.Flags = strings.Fields(row.Get("flags"))
			slices.Sort(e.Flags)
		}
		c.expected[testModel{row.Get("test"), row.Get("model")}] = e
		return nil
	})
}

// device finds a device by its short name; a device that no table describes has no
// vendor.
func (c *corpus) device(name string) observe.Device {
	for _, d := range c.devices {
		if d.Name == name {
			return d
		}
	}
	return observe.Device{Name: name}
}
