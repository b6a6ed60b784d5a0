package muster_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"

	litmustests "github.com/muster-gpu/muster/litmus-tests"
)

var (
	catExample = regexp.MustCompile("(?s)```cat\n(.*?)```")
	catVerdict = regexp.MustCompile(`(?m)^// (\S+): (allowed|forbidden)$`)
)

// TestCatManual runs the examples of docs/cat.md.
func TestCatManual(t *testing.T) {
	text, err := os.ReadFile("docs/cat.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := catExample.FindAllStringSubmatch(string(text), -1)
	if len(examples) == 0 {
		t.Fatal("docs/cat.md has no examples")
	}
	for i, e := range examples {
		t.Run(fmt.Sprint(i+1), func(t *testing.T) { runExample(t, e[1]) })
	}
}

// runExample compares the verdicts of a model with what its comments say.
func runExample(t *testing.T, text string) {
	t.Helper()
	file := t.TempDir() + "/example.cat"
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	m, err := models.Load(file)
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, text)
	}
	if _, err := m.Check(sim.Vocabulary()); err != nil {
		t.Fatalf("%v\nin\n%s", err, text)
	}
	verdicts := catVerdict.FindAllStringSubmatch(text, -1)
	if len(verdicts) == 0 {
		t.Errorf("this example says nothing of any test:\n%s", text)
	}
	for _, v := range verdicts {
		if got := outcome(t, m.Model, v[1]); got != v[2] {
			t.Errorf("%s is %s, not %s, under\n%s", v[1], got, v[2], text)
		}
	}
}

// outcome is what a model says of a shipped test.
func outcome(t *testing.T, m *cat.Model, test string) string {
	t.Helper()
	name := "asplos15/" + test + ".litmus"
	text, err := litmustests.FS.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := sim.Load(src.NewFile(name, string(text)), sim.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	r, err := loaded.Run(context.Background(), m)
	if err != nil {
		t.Fatal(err)
	}
	return r.Outcome().String()
}
