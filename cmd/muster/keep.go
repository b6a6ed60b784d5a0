package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/muster-gpu/muster"
	"github.com/muster-gpu/muster/internal/batch"
	"github.com/muster-gpu/muster/internal/progress"
	"github.com/muster-gpu/muster/internal/results"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// keeping is run -o: what is found is kept in a file, and what the file has is not found again.
type keeping struct {
	name   string
	noTime bool

	file   *results.File // nil without -o
	models map[*models.Model]results.Subject
	failed int // tests without an answer
	added  int // records
}

func (k *keeping) declare(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&k.name, "out", "o", "", "keep the results in this `FILE` instead of printing them; what it has already is not found again (docs/campaigns.md)")
	cmd.Flags().BoolVar(&k.noTime, "no-time", false, "leave out what changes from run to run: times")
	cmd.MarkFlagsMutuallyExclusive("out", "json")
	cmd.MarkFlagsMutuallyExclusive("out", "show")
}

// open opens the file, if there is to be one.
func (k *keeping) open(a *app, s *batch.Simulator) error {
	if k.name == "" {
		return nil
	}
	var err error
	if k.file, err = results.Open(k.name, func(err error) { fmt.Fprintln(a.err, err) }); err != nil {
		return err
	}
	options := results.OptionsOf(s.Config)
	k.models = map[*models.Model]results.Subject{}
	for _, m := range s.Loaded() {
		k.models[m] = results.Subject{Model: m.Name, ModelHash: results.ModelHash(m), Options: options, Muster: muster.Build()}
	}
	s.Kept = k.has
	collectFor(k.file.Len())
	return nil
}

// subject is a test under a model.
func (k *keeping) subject(t *sim.Test, m *models.Model) results.Subject {
	s := k.models[m]
	s.Test, s.Hash = t.Name.Text, t.Hash()
	return s
}

// has reports that the file has the answer.
func (k *keeping) has(t *sim.Test, m *models.Model) bool {
	s := k.subject(t, m)
	return k.file.Has(s.Key())
}

// add keeps an answer. What an interrupt cut short is no answer.
func (k *keeping) add(ctx context.Context, ans batch.Answer) error {
	if ans.Result.Limit != nil && ctx.Err() != nil {
		return nil
	}
	rec := results.NewRecord(k.subject(ans.Result.Test, ans.Model), ans.Result)
	if !k.noTime {
		rec.Timed(time.Now(), ans.Result.Elapsed)
	}
	if k.added++; k.added%collectEvery == 0 {
		collectFor(k.file.Len())
	}
	return k.file.Add(rec)
}

// close says what became of the run, which ended with an error or is complete.
func (k *keeping) close(a *app, shard results.Shard, err error, s progress.State) error {
	if k.file == nil {
		return err
	}
	if err == nil {
		end := results.End{Shard: shard.String(), Failed: k.failed, Models: slices.Collect(maps.Values(k.models))}
		err = k.file.End(end)
	}
	fmt.Fprintf(a.err, "%s: %s added, %d were there; %s in %.1f s, %.0f/s, %d failed, %s of memory\n",
		k.name, count(k.added, "record"), k.file.Found(), count(s.Done, "test"), s.Seconds, s.Rate, k.failed, sim.Bytes(s.Memory))
	return errors.Join(err, k.file.Close())
}

// The keys of records that are done take memory that is not garbage. Collecting it in proportion to
// them would let as much again lie about; so the more there is of them, the sooner it is collected.
const (
	collectEvery = 1 << 16
	bytesOfKey   = 32      // in a map, about
	bytesOfTests = 4 << 20 // that live while tests run, about
)

// collectFor has garbage collected as if there were no keys.
func collectFor(keys int) {
	debug.SetGCPercent(gcPercent * bytesOfTests / (bytesOfTests + bytesOfKey*keys))
}
