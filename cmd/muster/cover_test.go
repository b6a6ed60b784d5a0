package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/cat"
	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/internal/probe"
	"github.com/muster-gpu/muster/models"
)

// TestSuggestions prints survivors with what a search for tests says of them: no test has
// been run, so that all survive.
func TestSuggestions(t *testing.T) {
	mutation, err := probe.Mutate("coherence", models.Config{})
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	const inside = "    and 10 changes inside it\n"
	tests := []struct {
		name    string
		suggest func(context.Context, *cat.Model) (string, error)
		want    string // at the end
		exit    int
		err     error
	}{
		{"none", nil, inside, exitOK, nil},
		{
			"a test", func(context.Context, *cat.Model) (string, error) { return "PTX a test\n{}\n", nil },
			inside + "    PTX a test\n    {}\n", exitOK, nil,
		},
		{
			"no test", func(context.Context, *cat.Model) (string, error) { return "", nil },
			inside + "    no test up to 4 events has another outcome: it may mean the same\n", exitOK, nil,
		},
		{
			"a limit", func(context.Context, *cat.Model) (string, error) { return "", &enumerate.LimitError{Limit: "a while"} },
			inside, exitLimit, nil,
		},
		{"an error", func(context.Context, *cat.Model) (string, error) { return "", broken }, "", exitOK, broken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			a := &app{out: &out, err: &errs, seen: map[int]bool{}}
			c := &covering{
				simulation: simulation{app: a}, Coverage: probe.NewCoverage(mutation, false),
				suggest: tt.suggest, reach: "up to 4 events",
			}
			if err := c.printSurvivors(context.Background()); !errors.Is(err, tt.err) {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if !strings.HasSuffix(out.String(), tt.want) {
				t.Errorf("got:\n%s\nwant at its end:\n%s", out.String(), tt.want)
			}
			if got := a.exit(); got != tt.exit {
				t.Errorf("exit status %d, want %d; %s", got, tt.exit, errs.String())
			}
		})
	}
}
