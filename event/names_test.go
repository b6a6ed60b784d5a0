package event

import (
	"slices"
	"testing"

	"github.com/muster-gpu/muster/rel"
	"github.com/muster-gpu/muster/vocab"
)

func TestSets(t *testing.T) {
	x := sample()
	want := map[string]string{
		"M":   "0 1 2 4 5 6 7 8 9 10 11",
		"R":   "5 6 8 10",
		"W":   "0 1 2 4 7 9 11",
		"F":   "3",
		"IW":  "0 1",
		"FW":  "4 7",
		"A":   "8 9",
		"RMW": "8 9",
		"X":   "8 9",
		"VOL": "4 5",
		"B":   "", "AGENT": "", "emptyset": "",
		"WEAK": "2 6 7 10 11", "RLX": "4 5 8 9", "ACQ": "", "REL": "", "ACQ_REL": "", "SC": "3",
	}
	for _, name := range x.Vocab().Sets() {
		got, ok := x.Set(name)
		expected, listed := want[name]
		if !ok || !listed || !got.Equal(events(x.N(), expected)) {
			t.Errorf("%s = %v, %v, want {%s}", name, got, ok, expected)
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("%s is no set of the vocabulary", name)
	}
}

func TestRels(t *testing.T) {
	x := sample()
	n := x.N()
	threads := classes(n, "0,1 2,3,4 5,6,7 8,9,10,11")
	want := map[string]rel.Rel{
		"id":   classes(n, "0 1 2 3 4 5 6 7 8 9 10 11"),
		"sm":   classes(n, "0 1 2 3 4 5 6 7 8 9 10 11"),
		"si":   classes(n, "0 1 2 3 4 5 6 7 8 9 10 11"),
		"po":   pairs(n, "2-3 2-4 3-4 5-6 5-7 6-7 8-9 8-10 8-11 9-10 9-11 10-11"),
		"addr": pairs(n, "8-10"),
		"data": pairs(n, "8-9"),
		"ctrl": pairs(n, "5-6 5-7"),
		"rmw":  pairs(n, "8-9"),
		"amo":  pairs(n, "8-9"),
		"lxsx": rel.New(n),

		"issue": rel.New(n), "within": rel.New(n), "complete": rel.New(n),

		"int": threads,
		"ext": rel.Full(n).Diff(threads),

		"rf":     pairs(n, "4-5 0-6 2-8 9-10"),
		"rfe":    pairs(n, "4-5 0-6 2-8"),
		"rfi":    pairs(n, "9-10"),
		"co0":    pairs(n, "0-2 0-7 0-9 0-11 1-4"),
		"pco":    pairs(n, "0-2 0-7 0-9 0-11 1-4"),
		"co":     pairs(n, "0-2 0-9 0-11 0-7 2-9 2-11 2-7 9-11 9-7 11-7 1-4"),
		"coe":    pairs(n, "0-2 0-9 0-11 0-7 2-9 2-11 2-7 9-7 11-7 1-4"),
		"coi":    pairs(n, "9-11"),
		"fr":     pairs(n, "6-2 6-9 6-11 6-7 8-9 8-11 8-7 10-11 10-7"),
		"fre":    pairs(n, "6-2 6-9 6-11 8-7 10-7"),
		"fri":    pairs(n, "6-7 8-9 8-11 10-11"),
		"loc":    classes(n, "0,2,6,7,8,9,10,11 1,4,5"),
		"po-loc": pairs(n, "6-7 8-9 8-10 8-11 9-10 9-11 10-11"),

		"same-value": classes(n, "0,1,6 2,4,5,8 7 9,10 11"),

		"vloc": classes(n, "0,2,6,7,8,9,10,11 1,4,5"),

		"awaited": rel.New(n), // added to the structure
		"syncbar": pairs(n, "2-5"),
	}
	for _, name := range x.Vocab().Rels() {
		got, ok := x.Rel(name)
		expected, listed := want[name]
		if !ok || !listed || !got.Equal(expected) {
			t.Errorf("%s = %v, %v, want %v", name, got, ok, expected)
		}
		delete(want, name)
	}
	for name := range want {
		t.Errorf("%s is no relation of the vocabulary", name)
	}
}

func TestUnknownNames(t *testing.T) {
	x := sample()
	if s, ok := x.Set("po"); ok {
		t.Errorf("the set po is %v", s)
	}
	if r, ok := x.Rel("W"); ok {
		t.Errorf("the relation W is %v", r)
	}
	if _, ok := x.Rel("sw"); ok || x.Vocab().Find("sw") == nil {
		t.Error("sw is a relation of executions, or nothing is known of it")
	}
}

// TestRows: rows of words are the relations, those that are defined word by word, too.
func TestRows(t *testing.T) {
	x := sample()
	for _, n := range shared {
		if n.Set || n.Is == nil {
			continue
		}
		rows := make([]uint64, x.N())
		x.Rows(n.Name.Name, n.Is, rows)
		if want, _ := x.Rel(n.Name.Name); want.N() > 0 && !slices.Equal(rows, want.Words()) {
			t.Errorf("rows of %s are %x, want %x", n.Name.Name, rows, want.Words())
		}
	}
}

// TestVocabulary: what a front end adds is there, and of what another adds there is nothing.
func TestVocabulary(t *testing.T) {
	const marked Tags = 1
	own := []Name{
		{vocab.Name{Name: "MARKED", Set: true}, Members(func(e *Event) bool { return e.Tags&marked != 0 })},
		{vocab.Name{Name: "fenced", Family: vocab.Fence}, Separation(func(e *Event) bool { return e.Scope == ScopeCTA })},
	}
	others := []vocab.Name{{Name: "OTHERS", Set: true}, {Name: "other"}, {Name: "usual", Chosen: true}, {Name: "fenced"}}
	x := sample()
	x.Events[5].Tags = marked
	x.Vocabulary = NewVocabulary(own, others, func(*Event) string { return ".mark" })
	for name, want := range map[string]string{"MARKED": "5", "OTHERS": ""} {
		if got, ok := x.Set(name); !ok || !got.Equal(events(x.N(), want)) {
			t.Errorf("%s = %v, %v, want {%s}", name, got, ok, want)
		}
	}
	for name, want := range map[string]string{"fenced": "2-4", "other": ""} {
		if got, ok := x.Rel(name); !ok || !got.Equal(pairs(x.N(), want)) {
			t.Errorf("%s = %v, %v, want {%s}", name, got, ok, want)
		}
	}
	if n := x.Vocab().Get("fenced"); n.Family != vocab.Fence {
		t.Errorf("fenced is of the family %v: the front end's record counts", n.Family)
	}
	if _, ok := x.Rel("usual"); ok {
		t.Error("executions have a relation that models choose")
	}
	if got := x.Label(5); got != "R.mark [y]=1" {
		t.Errorf("Label = %s", got)
	}
}

// TestPlaces: threads share places, and locations regions, by their numbers. Initial writes are in
// no place.
func TestPlaces(t *testing.T) {
	x := sample()
	x.Vocabulary = NewVocabulary([]Name{
		{vocab.Name{Name: "wide"}, Together(0)},
		{vocab.Name{Name: "narrow"}, Together(1)},
		{vocab.Name{Name: "Second", Set: true}, InRegion(1)},
	}, nil, nil)
	for name, want := range map[string]string{"wide": "2,3,4,5,6,7,8,9,10,11", "narrow": "2,3,4,5,6,7 8,9,10,11"} {
		if got, ok := x.Rel(name); !ok || !got.Equal(classes(x.N(), want)) {
			t.Errorf("%s = %v, want the classes %s", name, got, want)
		}
	}
	if got, ok := x.Set("Second"); !ok || !got.Equal(events(x.N(), "1 4 5")) {
		t.Errorf("Second = %v", got)
	}
}

// TestSharedNames: each record agrees with its definition, and none is there twice.
func TestSharedNames(t *testing.T) {
	seen := map[string]bool{}
	for _, n := range shared {
		if err := n.Validate(); err != nil || seen[n.Name.Name] {
			t.Errorf("%v; twice: %v", err, seen[n.Name.Name])
		}
		seen[n.Name.Name] = true
	}
}

// TestValidateName: a record that disagrees with its definition is told.
func TestValidateName(t *testing.T) {
	po := Fixed(func(s *Structure, to rel.Rel) { to.AddAll(s.Po) })
	for _, n := range []Name{
		{vocab.Name{Name: "undefined", Meaning: "nothing"}, nil},
		{vocab.Name{Name: "sort", Meaning: "a relation", Set: true}, po},
		{vocab.Name{Name: "stage", Meaning: "what rf decides", Depends: vocab.Rf}, po},
		{vocab.Name{Name: "meaning"}, po},
		{vocab.Name{Name: "sentence", Meaning: "po", Pair: "%s only"}, po},
	} {
		if n.Validate() == nil {
			t.Errorf("%s passes", n.Name.Name)
		}
	}
}
