package docs_test

import (
	"iter"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/wire"
)

// described are the sections of json.md with the types that they describe, and the sections to which
// they refer for what is the same there.
var described = []struct {
	heading string
	objects []any
	refer   []string
}{
	{"`muster run --json`", []any{wire.Result{}}, nil},
	{"`muster explain --json`", []any{wire.Explanation{}}, []string{"`muster run --json`"}},
	{"`muster check --json`", []any{wire.Checked{}, wire.Count{}, wire.CheckTotals{}}, []string{"`muster run --json`"}},
	{
		"`muster check --observations --json`",
		[]any{wire.Outcome{}, wire.Void{}, wire.Device{}, wire.Family{}, wire.ObservedTotals{}},
		[]string{"`muster explain --json`"},
	},
	{
		"`muster check --observations --against --json`",
		[]any{wire.Contrasted{}, wire.Rate{}, wire.Absent{}, wire.Otherwise{}, wire.ContrastTotals{}},
		nil,
	},
	{"`muster compare --json`", []any{wire.Difference{}, wire.CompareTotals{}}, nil},
	{"`muster compare --json A.log B.log`", []any{wire.LogDifference{}, wire.LogTotals{}}, nil},
	{"`muster gen --json`", []any{wire.Generated{}}, nil},
	{"`muster distinguish --json`", []any{wire.Distinguished{}, wire.DistinguishTotals{}}, nil},
	{"`muster minimize --json`", []any{wire.Minimized{}}, nil},
	{"`muster cover --json`", []any{wire.Mutant{}, wire.CoverTotals{}}, nil},
	{"`muster cat --json`", []any{wire.Summary{}}, nil},
	{"`muster verify --json`", []any{wire.Verification{}}, nil},
	{"`muster hw devices --json`", []any{wire.GPU{}}, nil},
	{"`muster models --json`, `muster tests --json`", []any{wire.Model{}, wire.Test{}}, nil},
}

// TestJSONIsDescribed compares docs/json.md with package wire: every field of an object is named in the
// section about it, and every field that has a row in a table of the section exists.
func TestJSONIsDescribed(t *testing.T) {
	text, err := os.ReadFile("json.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, section := range strings.Split(string(text), "\n## ") {
		heading, body, _ := strings.Cut(section, "\n")
		sections[heading] = body
	}
	for _, d := range described {
		body, ok := sections[d.heading]
		if !ok {
			t.Errorf("json.md has no section %s", d.heading)
			continue
		}
		fields := map[string]bool{}
		for _, object := range d.objects {
			addFields(fields, reflect.TypeOf(object))
		}
		told := body
		for _, other := range d.refer {
			told += sections[other]
		}
		for name := range fields {
			if !regexp.MustCompile("`[^`\n]*\\b" + name + "\\b[^`\n]*`").MatchString(told) {
				t.Errorf("the section %s does not tell of the field %q", d.heading, name)
			}
		}
		for _, row := range regexp.MustCompile("(?m)^ *\\| (`[a-zA-Z]+`(?:, `[a-zA-Z]+`)*) \\|").FindAllStringSubmatch(body, -1) {
			for _, name := range quoted.FindAllStringSubmatch(row[1], -1) {
				if !fields[name[1]] {
					t.Errorf("the section %s has a row for %q, which no object has", d.heading, name[1])
				}
			}
		}
	}
}

// addFields adds the names that the fields of a type have in JSON, and those of the types within it.
func addFields(fields map[string]bool, t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		addFields(fields, t.Elem())
	case reflect.Struct:
		for f := range fieldsOf(t) {
			if !f.Anonymous {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				fields[name] = true
			}
			addFields(fields, f.Type)
		}
	}
}

func fieldsOf(t reflect.Type) iter.Seq[reflect.StructField] {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}
