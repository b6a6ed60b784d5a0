package report_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/internal/cli/report"
	"github.com/muster-gpu/muster/internal/tests/probe"
	"github.com/muster-gpu/muster/models"
)

// TestSuggestions prints survivors with the suggested tests. No test has run, so all mutants
// survive.
func TestSuggestions(t *testing.T) {
	mutation, err := probe.Mutate(t.Context(), "coherence", models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	const inside = "    and 4 changes inside it\n"
	tests := []struct {
		name    string
		suggest report.Suggest
		want    string // at the end
		err     error
	}{
		{"none", func(*probe.Mutant) (string, bool, error) { return "", false, nil }, inside, nil},
		{
			"a test", func(*probe.Mutant) (string, bool, error) { return "PTX a test\n{}", true, nil },
			inside + "    PTX a test\n    {}\n", nil,
		},
		{
			"no test", func(*probe.Mutant) (string, bool, error) { return "", true, nil },
			inside + "    no test up to 4 events has another outcome: it may mean the same\n", nil,
		},
		{"an error", func(*probe.Mutant) (string, bool, error) { return "", false, broken }, "", broken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			text := report.Text{Out: &out}
			if err := text.Survivors(probe.NewCoverage(mutation, false), false, tt.suggest,
				"up to 4 events"); !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if !strings.HasSuffix(out.String(), tt.want) {
				t.Errorf("got:\n%s\nwant at its end:\n%s", out.String(), tt.want)
			}
		})
	}
}
