// Package testfilter selects tests: those that satisfy a filter and belong to a shard.
//
//	Filter  conditions on a test, as command lines write them
//	Facts   the facts about a test that filters use
//	Tests   selects the tests of a sequence
package testfilter

import (
	"fmt"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/src"
)

// Filter is a conjunction of conditions on a test. The zero Filter admits every test.
type Filter struct{ terms []term }

// term is one condition: a number is within bounds, or a word matches a pattern.
type term struct {
	field field
	not   bool
	any   []func(value string) bool
}

// field is a property of tests. If it has several values, a term needs one match, and a term with
// != needs none.
type field struct {
	name    string
	numbers bool
	of      func(*Facts) []string
}

var fields = []field{
	{"name", false, func(f *Facts) []string { return []string{f.Name} }},
	{"family", false, func(f *Facts) []string { return []string{f.Family} }},
	{"arch", false, func(f *Facts) []string { return []string{f.Arch} }},
	{"threads", true, func(f *Facts) []string { return []string{strconv.Itoa(f.Threads)} }},
	{"size", true, func(f *Facts) []string { return []string{strconv.Itoa(f.Size)} }},
	{"instructions", false, func(f *Facts) []string { return f.Instructions }},
	{"scopes", false, func(f *Facts) []string { return f.Scopes }},
}

func fieldNames() []string {
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	return names
}

// Parse reads a filter: terms separated by spaces, all of which must hold. A term is FIELD=VALUES
// or FIELD!=VALUES, where VALUES are alternatives separated by commas; a value is a pattern
// (path.Match), a number, or a range such as 2..4.
func Parse(text string) (Filter, error) {
	var f Filter
	for word := range strings.FieldsSeq(text) {
		name, values, ok := strings.Cut(word, "=")
		name, not := strings.CutSuffix(name, "!")
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		switch {
		case !ok:
			return f,
				fmt.Errorf("filter %q: expected FIELD=VALUE; the fields are %s", word, strings.Join(fieldNames(), ", "))
		case i < 0:
			hint := src.DidYouMean(name, fieldNames())
			if hint == "" {
				hint = "there are " + strings.Join(fieldNames(), ", ")
			}
			return f, fmt.Errorf("filter %q: unknown field %s; %s", word, name, hint)
		}
		t := term{field: fields[i], not: not}
		for value := range strings.SplitSeq(values, ",") {
			matches, err := t.field.matcher(value)
			if err != nil {
				return f, fmt.Errorf("filter %q: %w", word, err)
			}
			t.any = append(t.any, matches)
		}
		f.terms = append(f.terms, t)
	}
	return f, nil
}

// ParseAll reads filters that must all hold.
func ParseAll(texts []string) (all Filter, err error) {
	for _, text := range texts {
		f, err := Parse(text)
		if err != nil {
			return Filter{}, err
		}
		all = all.And(f)
	}
	return all, nil
}

// And returns the conjunction of two filters.
func (f Filter) And(g Filter) Filter { return Filter{append(slices.Clone(f.terms), g.terms...)} }

// matcher returns a predicate that reports whether a value matches a text.
func (f field) matcher(text string) (func(string) bool, error) {
	if !f.numbers {
		_, err := path.Match(text, "")
		if err != nil || text == "" {
			return nil,
				fmt.Errorf("%q is not a pattern: expected * for any letters, ? for one, [ab] for one of these", text)
		}
		return func(value string) bool {
			ok, _ := path.Match(text, value)
			return ok
		}, nil
	}
	low, high, two := strings.Cut(text, "..")
	if !two {
		high = low
	}
	least, err := strconv.Atoi(low)
	most, err2 := strconv.Atoi(high)
	if err != nil || err2 != nil || most < least {
		return nil, fmt.Errorf("%s is a number, or a range such as 2..4, not %q", f.name, text)
	}
	return func(value string) bool {
		n, _ := strconv.Atoi(value)
		return least <= n && n <= most
	}, nil
}

// Admits reports whether a test satisfies the filter.
func (f Filter) Admits(facts *Facts) bool {
	for _, t := range f.terms {
		found := slices.ContainsFunc(t.field.of(facts), func(value string) bool {
			return slices.ContainsFunc(t.any, func(matches func(string) bool) bool { return matches(value) })
		})
		if found == t.not {
			return false
		}
	}
	return true
}

// Shard is a part of all tests, determined by a hash of their content.
type Shard interface{ Has(hash string) bool }

// Tests yields the tests that satisfy a filter and belong to a shard. A test that cannot be parsed
// is passed on in the shard of its text, so that its error is reported once.
func Tests(all iter.Seq[corpus.Test], filter Filter, shard Shard) iter.Seq[corpus.Test] {
	return func(yield func(corpus.Test) bool) {
		for t := range all {
			if t, wanted := read(t, filter, shard); wanted && !yield(t) {
				return
			}
		}
	}
}

// read reads a test, and reports whether it is selected.
func read(t corpus.Test, filter Filter, shard Shard) (read corpus.Test, wanted bool) {
	test, err := t.Parse()
	if err == nil {
		return corpus.Parsed(test), shard.Has(test.Hash()) && (len(filter.terms) == 0 || filter.Admits(FactsOf(test)))
	}
	f, unread := t.Open()
	if unread != nil {
		return t, shard.Has(hashOf(unread.Error()))
	}
	return t, shard.Has(hashOf(f.Text))
}
