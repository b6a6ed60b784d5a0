// Package chart draws charts of an index of results.
//
//	Kind   a chart: families of tests × campaigns, verdicts by day, times
//	Page   all charts, and tables, as one page of HTML without scripts
//
// heat.go and lines.go draw the charts, figure.go puts a chart and its key on a canvas of the size
// that both need.
package chart

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/muster-gpu/muster/internal/store/index"
)

// Kind is a kind of chart.
type Kind struct {
	Name  string
	Shows string // description in one line
	draw  func(context.Context, *index.Index) (*figure, error)
}

// Kinds are all kinds.
var Kinds = []Kind{
	{"families", "The share of each family that each model allows", heat},
	{"history", "Verdicts, by the day on which they were found", history},
	{"times", "How long tests took", times},
}

// Names returns the names of all kinds.
func Names() []string {
	var names []string
	for _, k := range Kinds {
		names = append(names, k.Name)
	}
	return names
}

// Find returns the kind of a name.
func Find(name string) (*Kind, error) {
	i := slices.IndexFunc(Kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("no chart %q: there are %s", name, strings.Join(Names(), ", "))
	}
	return &Kinds[i], nil
}

// Write writes a chart in one of the Formats.
func (k *Kind) Write(ctx context.Context, x *index.Index, format string, to io.Writer) error {
	f, err := k.draw(ctx, x)
	if err != nil {
		return err
	}
	f.title = k.Shows
	return f.write(format, to)
}

// answer answers a question to the index, with all rows.
func answer(ctx context.Context, x *index.Index, question string) ([][]any, error) {
	q, err := index.Find(question)
	if err != nil {
		return nil, err
	}
	t, err := x.Ask(ctx, q, nil, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	return t.Rows, nil
}

// byCampaign answers a question whose rows are by campaign, and returns the names of the campaigns.
func byCampaign(ctx context.Context, x *index.Index, question string) (rows [][]any, called campaigns, err error) {
	if rows, err = answer(ctx, x, question); err == nil {
		called, err = campaignsOf(ctx, x)
	}
	return rows, called, err
}

// campaigns are the names of campaigns in charts, by number.
type campaigns map[int64]string

// campaignsOf names each campaign by its model or chip, and by its number if several have the same
// one.
func campaignsOf(ctx context.Context, x *index.Index) (campaigns, error) {
	rows, err := answer(ctx, x, "campaigns")
	if err != nil {
		return nil, err
	}
	times := map[any]int{}
	for _, r := range rows {
		times[r[2]]++
	}
	names := campaigns{}
	for _, r := range rows {
		id := r[0].(int64)
		names[id] = fmt.Sprint(r[2])
		if times[r[2]] > 1 {
			names[id] += fmt.Sprintf(" (%d)", id)
		}
	}
	return names, nil
}

func number(v any) float64 {
	switch v := v.(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return 0
}
