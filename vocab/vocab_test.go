package vocab

import (
	"slices"
	"testing"
)

func TestVocabulary(t *testing.T) {
	v := New(
		Name{Name: "rf", Family: ReadsFrom}, Name{Name: "R", Set: true}, Name{Name: "sw", Chosen: true},
		Name{Name: "co", Depends: Co}, Name{Name: "rf"},
	)
	if got := v.Rels(); !slices.Equal(got, []string{"co", "rf"}) {
		t.Errorf("Rels() = %v", got)
	}
	if got := v.Sets(); !slices.Equal(got, []string{"R"}) {
		t.Errorf("Sets() = %v", got)
	}
	if got := v.Get("rf").Family; got != ReadsFrom {
		t.Errorf("rf is %v: the first record of a name counts", got)
	}
	if v.Find("po") != nil || (*Vocabulary)(nil).Find("po") != nil {
		t.Error("a name is found that nobody gave")
	}
	if got := v.Get("unknown"); got != (Name{Name: "unknown"}) {
		t.Errorf("Get of an unknown name = %+v", got)
	}
}

func TestFamilies(t *testing.T) {
	all := []Family{Other, Rmw, Coherence, ProgramOrder, Sync}
	slices.SortFunc(all, Family.Compare)
	if want := []Family{ProgramOrder, Coherence, Sync, Rmw, Other}; !slices.Equal(all, want) {
		t.Errorf("sorted: %v, want %v", all, want)
	}
}
