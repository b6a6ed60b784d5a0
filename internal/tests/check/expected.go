package check

import (
	"path/filepath"
	"strings"

	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/src"
)

// checkExpected reports the rows of the tables of expected verdicts whose test does not exist, and
// warns about those whose model is neither shipped nor asked. A test that is not asked, or cannot
// be read, is known by its file.
func (v *Verdicts) checkExpected(report func(error), warn func(format string, args ...any)) {
	files := map[string]string{} // by file: the name of its test, or "" if unknown
	for _, file := range v.Tables.Files {
		files[corpus.Name(file)] = ""
	}
	var names []string
	for _, t := range v.Tests {
		names = append(names, t.Name())
		files[corpus.Name(filepath.ToSlash(t.Test.Name.File.Name))] = t.Name()
	}
	known := map[string]bool{}
	for _, info := range models.List() {
		known[info.Name] = true
	}
	for _, m := range v.Models() {
		known[m.Name] = true
	}
	for _, e := range v.Tables.Expectations() {
		test, isFile := files[e.Test]
		switch {
		case v.byName[e.Test] != nil:
		case test != "":
			report(src.Errorf(e.At, "no test is called %s: the file of that name has the test %s", e.Test, test))
		case !isFile:
			d := src.Errorf(e.At, "no test %s lies beside this table", e.Test)
			if hint := src.DidYouMean(e.Test, names); hint != "" {
				d = d.WithHint("%s", hint)
			}
			report(d)
		}
		name, _, _ := strings.Cut(e.Model, ":")
		if !known[e.Model] && !known[name] {
			known[name] = true // report it once
			warn("%s:%d: no model %s is shipped, and it is not asked: what is expected of it is not checked",
				e.At.File.Name, e.At.Pos().Line, e.Model)
		}
	}
}
