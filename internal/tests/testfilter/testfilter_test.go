package testfilter_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/muster-gpu/muster/internal/language/frontends"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/internal/tests/testfilter"
	"github.com/muster-gpu/muster/src"
)

const (
	mp = `PTX MP+rel+acq
{ x=0; y=0; }
 P0@cta 0,gpu 0       | P1@cta 1,gpu 0           ;
 st.weak [x],1        | L: ld.acquire.gpu r0,[y] ;
 st.release.gpu [y],1 | @p0 ld.weak r1,[x]       ;
                      | membar.cta               ;
exists (1:r0=1 /\ 1:r1=0)
`
	sb = `GPU_PTX SB
{ x; y; }
 P0         | P1         ;
 st.cg [x],1 | st.cg [y],1 ;
 ld.cg r0,[y] | ld.cg r0,[x] ;
(cta P0 P1)
exists (0:r0=0 /\ 1:r0=0)
`
	broken = "PTX broken\nnothing"
)

func facts(t *testing.T, text string) *testfilter.Facts {
	t.Helper()
	test, err := frontends.Shipped().Parse(src.NewFile("t", text))
	if err != nil {
		t.Fatal(err)
	}
	return testfilter.FactsOf(test)
}

func TestFacts(t *testing.T) {
	want := &testfilter.Facts{
		Name: "MP+rel+acq", Family: "MP", Arch: "PTX", Threads: 2, Size: 5,
		Instructions: []string{"ld.acquire.gpu", "ld.weak", "membar.cta", "st.release.gpu", "st.weak"},
		Scopes:       []string{"cta", "gpu"},
	}
	if diff := cmp.Diff(want, facts(t, mp)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestFilter(t *testing.T) {
	tests := []struct {
		filter string
		want   string // the tests that it admits
	}{
		{"", "MP+rel+acq SB"},
		{"family=MP", "MP+rel+acq"},
		{"family!=MP", "SB"},
		{"family=LB,S*", "SB"},
		{"threads=2 size=5..9", "MP+rel+acq"},
		{"size=4", "SB"},
		{"threads=3", ""},
		{"instructions=*.acquire.*", "MP+rel+acq"},
		{"instructions!=ld.cg", "MP+rel+acq"},
		{"scopes=cta", "MP+rel+acq"},
		{"scopes!=gpu,cta", "SB"},
		{"arch=GPU_PTX name=S?", "SB"},
	}
	for _, tt := range tests {
		f, err := testfilter.Parse(tt.filter)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, text := range []string{mp, sb} {
			if facts := facts(t, text); f.Admits(facts) {
				got = append(got, facts.Name)
			}
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("%q admits %q, want %q", tt.filter, got, tt.want)
		}
	}
}

func TestFilterErrors(t *testing.T) {
	tests := map[string]string{
		"mp":         `filter "mp": expected FIELD=VALUE; the fields are name, family, arch, threads, size, instructions, scopes`,
		"scope=cta":  `filter "scope=cta": unknown field scope; did you mean scopes?`,
		"threads=x":  `filter "threads=x": threads is a number, or a range such as 2..4, not "x"`,
		"size=4..2":  `filter "size=4..2": size is a number, or a range such as 2..4, not "4..2"`,
		"family=[":   `filter "family=[": "[" is not a pattern: expected * for any letters, ? for one, [ab] for one of these`,
		"family=":    `filter "family=": "" is not a pattern: expected * for any letters, ? for one, [ab] for one of these`,
		"size=2 a=1": `filter "a=1": unknown field a; there are name, family, arch, threads, size, instructions, scopes`,
	}
	for text, want := range tests {
		if _, err := testfilter.Parse(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// half is a shard: the tests whose hashes begin with one of these digits.
type half string

func (h half) Has(hash string) bool { return strings.ContainsRune(string(h), rune(hash[0])) }

// TestTests splits tests, one of which cannot be read: each is in one half, whatever the filter.
func TestTests(t *testing.T) {
	all := []corpus.Test{
		corpus.TestIn(src.NewFile("mp", mp)), corpus.TestIn(src.NewFile("broken", broken)),
		corpus.TestIn(src.NewFile("sb", sb)),
	}
	f, err := testfilter.Parse("threads=2")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range []half{"01234567", "89abcdef"} {
		for test := range testfilter.Tests(slices.Values(all), f, h) {
			file, _ := test.Open()
			got = append(got, file.Name)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"broken", "mp", "sb"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
