package frontend_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/clike"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/frontend"
	"github.com/muster-gpu/muster/litmus"
	"github.com/muster-gpu/muster/ptx"
	"github.com/muster-gpu/muster/src"
	"github.com/muster-gpu/muster/vocab"
)

func registry(t *testing.T, languages ...*frontend.Frontend) *frontend.Registry {
	t.Helper()
	r, err := frontend.NewRegistry(languages...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRegistries: two registries do not know each other's languages.
func TestRegistries(t *testing.T) {
	all, c := registry(t, ptx.Frontend(), clike.Frontend()), registry(t, clike.Frontend())
	const text = "PTX t\n{ x=0; }\nP0 ;\nld.weak r0,x ;\nexists (x=0)\n"
	if _, err := c.Parse(src.NewFile("t", text)); err == nil {
		t.Error("a registry without PTX parses a test in PTX")
	}
	test, err := all.Parse(src.NewFile("t", text))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all.Read(test, frontend.Options{}); err != nil {
		t.Error(err)
	}
	if _, err := c.Read(test, frontend.Options{}); err == nil || !strings.Contains(err.Error(), "PTX") {
		t.Errorf("a registry without PTX reads a test in PTX: %v", err)
	}
	const generic = "GEN" // accesses by the generic proxy
	if all.Vocabulary().Find(generic) == nil || c.Vocabulary().Find(generic) != nil {
		t.Errorf("%s is a name of PTX, and of no other language", generic)
	}
	if registry(t).Vocabulary().Find("po") == nil {
		t.Error("po is a name without any language")
	}
}

// TestLanguagesThatDoNotFit: languages with one header, or with one name for a set and a relation,
// have no registry.
func TestLanguagesThatDoNotFit(t *testing.T) {
	naming := func(n vocab.Name) *frontend.Frontend {
		name := event.Name{Name: n}
		return &frontend.Frontend{Names: []event.Name{name}, Formats: []*litmus.Format{{Arch: n.Name}}}
	}
	for want, languages := range map[string][]*frontend.Frontend{
		"header":   {ptx.Frontend(), ptx.Frontend()},
		"relation": {ptx.Frontend(), naming(vocab.Name{Name: "syncbar", Set: true})},
	} {
		if _, err := frontend.NewRegistry(languages...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error about a %s", err, want)
		}
	}
}
