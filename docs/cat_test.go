package docs_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	litmustests "github.com/muster-gpu/muster/litmus-tests"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
	"github.com/muster-gpu/muster/src"
)

const manual = "cat.md"

var (
	catBlock = regexp.MustCompile("(?ms)^```cat\n(.*?)^```$")
	verdict  = regexp.MustCompile(`(?m)^// (\S+)(?: --variant (\S+))?: (allowed|forbidden|undefined)((?:, flag \S+)*)$`)
)

// TestManual runs the models in docs/cat.md on the tests that their last lines name.
func TestManual(t *testing.T) {
	text, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	f := src.NewFile(manual, string(text))
	for _, at := range catBlock.FindAllStringSubmatchIndex(f.Text, -1) {
		example := f.Span(at[2], at[3])
		lines := verdict.FindAllStringSubmatch(example.Text(), -1)
		if len(lines) == 0 {
			t.Error(src.Errorf(example, "no test is named at the end"))
		}
		for _, line := range lines {
			got, err := sayOf(example.Text(), line[1], line[2], t.TempDir())
			if err != nil {
				t.Error(src.Errorf(example, "%v", err))
			} else if want := line[3] + line[4]; got != want {
				t.Error(src.Errorf(example, "%s is %s, not %s", line[0], got, want))
			}
		}
	}
}

// sayOf is what a model says of a shipped test: whether it allows the outcome, and the
// flags.
func sayOf(model, test, variant, dir string) (string, error) {
	file := filepath.Join(dir, "example.cat")
	if err := os.WriteFile(file, []byte(model), 0o666); err != nil {
		return "", err
	}
	m, err := models.Load(file, models.Config{Variants: []string{variant}})
	if err != nil {
		return "", err
	}
	if _, err := m.Check(sim.Vocabulary()); err != nil {
		return "", err
	}
	text, err := litmustests.FS.ReadFile("asplos15/" + test + ".litmus")
	if err != nil {
		return "", err
	}
	loaded, err := sim.Load(src.NewFile(test, string(text)), sim.Defaults())
	if err != nil {
		return "", err
	}
	r, err := loaded.Run(context.Background(), m.Model)
	if err != nil {
		return "", err
	}
	says := r.Outcome().String()
	if len(r.Undefined) > 0 {
		says = "undefined"
	}
	for _, flag := range r.Flags {
		says += ", flag " + flag
	}
	return says, nil
}

// TestManualHasBaseNames checks that docs/cat.md lists every name that tests define.
func TestManualHasBaseNames(t *testing.T) {
	text, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	for _, names := range [][]string{sim.Vocabulary().Sets(), sim.Vocabulary().Rels()} {
		for _, name := range names {
			if !strings.Contains(string(text), "`"+name+"`") {
				t.Errorf("%s does not have %s", manual, name)
			}
		}
	}
}
