package observedreport_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/store/observedreport"
	"github.com/muster-gpu/muster/observe"
	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/viz"
)

// evil is a name that is markup.
const evil = `<img src=x onerror="alert(1)">`

// samplePage returns a page with everything that a page can have.
func samplePage(t testing.TB) *observedreport.Page {
	t.Helper()
	paper := model(t, "ptx-asplos15")
	l := observe.NewLedger()
	named := a
	named.Name, named.UUID, named.Driver = evil, evil, evil
	texts := []string{mp, sb, volatile, strings.Replace(mp, "MP+membar.gls", evil, 1)}
	results := map[string]*sim.Result{}
	for _, text := range texts {
		result := simulate(t, text, paper, sim.Defaults())
		name := result.Test.Name.Text
		results[name] = result
		state := []any{"1:r0=1 1:r1=0", 12345, "1:r0=1 1:r1=1", 1000000}
		switch name {
		case "SB":
			state = []any{"0:r0=1 1:r0=1", 3}
		case "vol":
			state = []any{"1:r0=1", 5}
		}
		for _, rec := range []*observe.Record{
			record(result, named, passed, state...), record(result, a, observe.Optcheck{}, state[len(state)-2:]...),
			record(result, b, observe.Optcheck{Verdict: observe.Failed, Why: evil}, state...),
		} {
			rec.Hash += name // distinguishes the two tests of one content
			if err := l.Add(rec); err != nil {
				t.Fatal(err)
			}
		}
	}
	r := observedreport.New(l.Devices)
	for _, tested := range l.Tests {
		if err := r.Add(paper, results[tested.Name], []*observe.Tested{tested}); err != nil {
			t.Fatal(err)
		}
	}
	page := &observedreport.Page{Report: r, Muster: "v0.5.0", Examples: map[string]*observedreport.Example{}}
	for _, o := range r.Unsound() {
		f, err := o.Question()
		if err != nil {
			t.Fatal(err)
		}
		if o.Explanation, err = load(t, f, sim.Defaults()).Explain(t.Context(), paper.Model); err != nil {
			t.Fatal(err)
		}
		reason := o.Explanation.Outcomes[0].Reasons[0]
		o.Picture = viz.New(reason.Execution, viz.Options{Title: o.Test.Name, Show: map[string]rel.Rel{}})
		page.Examples[o.Test.Family] = &observedreport.Example{
			Caption: "An execution of " + o.Test.Name,
			Picture: o.Picture,
		}
	}
	return page
}

// element is an element of a page.
type element struct {
	name  string
	attrs map[string]string
}

// parsePage parses a page and checks that elements are closed in order.
func parsePage(t *testing.T, page string) (elements []element, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict = false
	d.AutoClose = []string{"meta", "br"}
	d.Entity = xml.HTMLEntity
	var open []string
	var b strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v, within %v", err, open)
		}
		switch x := token.(type) {
		case xml.StartElement:
			e := element{x.Name.Local, map[string]string{}}
			for _, attr := range x.Attr {
				e.attrs[attr.Name.Local] = attr.Value
			}
			elements = append(elements, e)
			open = append(open, e.name)
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != x.Name.Local {
				t.Fatalf("</%s> within %v", x.Name.Local, open)
			}
			open = open[:len(open)-1]
		case xml.CharData:
			b.Write(x)
		}
	}
	if len(open) > 0 {
		t.Errorf("not closed: %v", open)
	}
	return elements, b.String()
}

// checkElements checks that a page loads nothing, runs nothing and has no links to other pages. It
// counts the elements by name.
func checkElements(t *testing.T, elements []element, page string) map[string]int {
	t.Helper()
	ids, names := map[string]bool{}, map[string]int{}
	for _, e := range elements {
		names[e.name]++
		if id, ok := e.attrs["id"]; ok {
			if ids[id] {
				t.Errorf("two elements have the id %s", id)
			}
			ids[id] = true
		}
		for attr := range e.attrs {
			if strings.HasPrefix(attr, "on") || attr == "src" || attr == "href" && e.name != "a" {
				t.Errorf("<%s %s=%q>", e.name, attr, e.attrs[attr])
			}
		}
	}
	for _, e := range elements {
		if to, ok := e.attrs["href"]; ok && (!strings.HasPrefix(to, "#") || !ids[to[1:]]) {
			t.Errorf("a link to %s, which is nowhere in the page", to)
		}
	}
	for _, bad := range []string{"script", "link", "img", "iframe", "base", "object"} {
		if names[bad] > 0 {
			t.Errorf("the page has <%s>", bad)
		}
	}
	if outside := regexp.MustCompile(`@import|@font-face|url\(|javascript:`).FindString(page); outside != "" {
		t.Errorf("the page has %s", outside)
	}
	return names
}

func TestPage(t *testing.T) {
	page := samplePage(t)
	var b bytes.Buffer
	if err := page.HTML(&b); err != nil {
		t.Fatal(err)
	}
	elements, text := parsePage(t, b.String())
	names := checkElements(t, elements, b.String())
	outcomes := 0
	for _, test := range page.Tests {
		outcomes += len(test.Outcomes)
	}
	unsound := len(page.Unsound())
	if unsound != 2 || names["article"] != unsound || names["svg"] != unsound+len(page.Examples) {
		t.Errorf("%d UNSOUND, %d articles, %d pictures, %d examples", unsound, names["article"],
			names["svg"], len(page.Examples))
	}
	const heads = 3 // of tables, besides those of families
	if want := outcomes + len(page.Devices) + len(page.Voids) + 2*len(page.Families()) + heads; names["tr"] != want {
		t.Errorf("%d rows, want %d", names["tr"], want)
	}
	for _, want := range []string{
		evil, "12\u202f345 UNSOUND", "5 ~", "1:r0=1; 1:r1=0; ◆", "acyclic rmo-gl as gl-constraint", "0.39",
		"Made by muster v0.5.0",
		"Of the runs, 4 have machine code that was not checked",
		"ptx-asplos15 forbids 2 of the 5 outcomes that chips showed",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %s", want)
		}
	}
	for _, media := range []string{
		"prefers-color-scheme: dark", `name="color-scheme" content="light dark"`, `name="viewport"`,
	} {
		if !strings.Contains(b.String(), media) {
			t.Errorf("the page has no %s", media)
		}
	}
}

// TestPageSame: the same observations give the same page.
func TestPageSame(t *testing.T) {
	var pages []string
	for range 3 {
		var b bytes.Buffer
		if err := samplePage(t).HTML(&b); err != nil {
			t.Fatal(err)
		}
		pages = append(pages, b.String())
	}
	if len(slices.Compact(pages)) != 1 {
		t.Error("the same report makes different pages")
	}
}

// TestEmptyPage: a report without observations gives a page.
func TestEmptyPage(t *testing.T) {
	var b bytes.Buffer
	if err := (&observedreport.Page{Report: observedreport.New(nil)}).HTML(&b); err != nil {
		t.Fatal(err)
	}
	if _, text := parsePage(t, b.String()); !strings.Contains(text, "0 tests") {
		t.Errorf("the page says\n%s", text)
	}
}
