package picture_test

import (
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/render/picture"
	"github.com/muster-gpu/muster/internal/tests/corpus"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// drawn returns the drawing of a shipped test as text.
func drawn(t *testing.T, name string) string {
	t.Helper()
	file, ok := corpus.Shipped().Find(name)
	if !ok {
		t.Fatalf("no test %s", name)
	}
	f, err := corpus.Shipped().Open(file)
	if err != nil {
		t.Fatal(err)
	}
	test, err := sim.Load(f, sim.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	m, err := models.Load(test.Format.Model, models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := test.Explain(t.Context(), m.Model)
	if err != nil {
		t.Fatal(err)
	}
	g, err := picture.Telling(e, m.Name, "", m.Model, nil)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := g.Text(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestFramesAreThoseOfTheLanguage: frames have the names of the test's language; a test in C that
// does not place its threads has none.
func TestFramesAreThoseOfTheLanguage(t *testing.T) {
	all := []string{"CTA 0", "work-group 0", "grid", "kernel", "sub-group", "device", "warp"}
	for name, wants := range map[string]string{
		"isa-LB+datas":                     "CTA 0, grid",
		"c-mp+sc+sc":                       "",
		"cl-mp-all_svm_devices-two-groups": "work-group 0, kernel",
		"cpp-mp-std":                       "CTA 0, grid, device",
	} {
		text, _, _ := strings.Cut(drawn(t, name), "P0") // the frames are above the threads
		_, text, _ = strings.Cut(text, "\n\n")
		var found []string
		for _, word := range all {
			if strings.Contains(text, word) {
				found = append(found, word)
			}
		}
		if got := strings.Join(found, ", "); got != wants {
			t.Errorf("%s: frames of %q, want %q:\n%s", name, got, wants, text)
		}
	}
}
