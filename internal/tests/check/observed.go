package check

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/litmus-tests/recorded"
	"github.com/muster-gpu/muster/observe"
)

// Observed names the sources of observations.
type Observed struct {
	Files     []string       // "-" for standard input; empty for the counts that lie beside the tests
	Against   []string       // others, for Contrast
	Anonymous observe.Device // the device of runs that do not name one; "unknown" without a name
	Stdin     io.Reader
	Only      bool // restricts Contrast to the tests given
}

// Ledger reads the observations. Without files it reads the counts that lie beside the tests in the
// first of the folders, or else beside the shipped tests. Errors are reported, and the rest is
// read.
func (o *Observed) Ledger(folders []string, report func(error)) (*observe.Ledger, error) {
	ledger := observe.NewLedger()
	ledger.Anonymous = o.Anonymous
	ledger.Anonymous.Name = cmp.Or(o.Anonymous.Name, "unknown")
	for _, name := range o.Files {
		if err := o.read(ledger, name); err != nil {
			report(err)
		}
	}
	ledger.Describe(corpus.ShippedTables().Devices)
	if len(o.Files) > 0 {
		return ledger, nil
	}
	tests, where := corpus.Shipped(), ""
	if len(folders) > 0 {
		where = folders[0]
		tests = corpus.Read(os.DirFS(where), where, report)
		ledger.Describe(tests.Tables(report).Devices)
	}
	if !ReadCounts(ledger, tests, report) {
		return nil, fmt.Errorf("%s: no counts lie beside these tests: --observations FILE says what was seen", where)
	}
	return ledger, nil
}

func (o *Observed) read(ledger *observe.Ledger, name string) error {
	if name == "-" {
		return ledger.Read(name, o.Stdin)
	}
	f, err := recorded.Records(name)
	if err != nil {
		return corpus.Placed(name, err)
	}
	defer f.Close()
	return ledger.Read(name, f)
}

// Collection opens the shipped tests, or those of an argument: a folder on disk; a file or standard
// input (-) with many tests, which has no tables; or some of the shipped tests. It returns what is
// to be checked, the tests, and their number.
func Collection(
	args []string, finder corpus.Finder, report func(error),
) (*Verdicts, iter.Seq[corpus.Test], int, error) {
	if len(args) == 0 {
		tests := corpus.Shipped()
		return NewVerdicts(corpus.ShippedTables()), slices.Values(tests.Tests()), len(tests.Files), nil
	}
	arg := args[0]
	info, err := os.Stat(arg)
	switch {
	case arg == "-" || err == nil && !info.IsDir():
		tests, total := finder.Counted(arg)
		return NewVerdicts(new(corpus.Tables)), tests, total, nil
	case errors.Is(err, fs.ErrNotExist):
		return someShipped(arg)
	case err != nil:
		return nil, nil, 0, corpus.Placed(arg, err)
	}
	tests := corpus.Read(os.DirFS(arg), arg, report)
	if len(tests.Files) == 0 {
		return nil, nil, 0, fmt.Errorf("%s: no %s files in this folder", arg, corpus.Extension)
	}
	return NewVerdicts(tests.Tables(report)), slices.Values(tests.Tests()), len(tests.Files), nil
}

// someShipped returns the shipped tests that a folder, a pattern or a name selects, with their
// tables.
func someShipped(arg string) (*Verdicts, iter.Seq[corpus.Test], int, error) {
	some, err := corpus.Shipped().Some(arg)
	switch {
	case err != nil:
		return nil, nil, 0, err
	case len(some.Files) == 0:
		hint := corpus.Shipped().DidYouMean(arg,
			"expected a folder with litmus tests, or one of "+strings.Join(corpus.Shipped().Folders(), ", "))
		return nil, nil, 0, fmt.Errorf("%s: no such file or folder; %s", arg, hint)
	}
	return NewVerdicts(corpus.ShippedTables().Of(some)), slices.Values(some.Tests()), len(some.Files), nil
}
