package cat

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/testkit/expect"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/vocab"
)

// herdSets and herdRels are the names that most models use.
var (
	herdSets = strings.Fields("M R W F IW FW A RMW")
	herdRels = strings.Fields(
		"id po addr data ctrl rmw loc int ext rf co fr rfe rfi coe coi fre fri po-loc co0 cta amo lxsx")
)

// TestLanguageErrors checks the files of testdata/language/errors, whose comments state their
// errors and warnings.
func TestLanguageErrors(t *testing.T) {
	expect.Files(t, "testdata/language/errors/*.cat", func(t *testing.T, f *src.File) {
		expect.Errors(t, f, problems(f, NamesOf(herdSets, herdRels)))
	})
}

// problems returns the errors and warnings of a model.
func problems(f *src.File, v *vocab.Vocabulary) src.Diagnostics {
	m, loadErr := Load(f, Config{Find: texts{}.find})
	summary, checkErr := m.Check(v)
	found := slices.Clone(summary.Warnings)
	for _, err := range []error{loadErr, checkErr} {
		var diags src.Diagnostics
		errors.As(err, &diags)
		found = append(found, diags...)
	}
	return found
}
