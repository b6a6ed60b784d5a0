package results

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/muster-gpu/muster/internal/tests/batch"
	"github.com/muster-gpu/muster/models"
	"github.com/muster-gpu/muster/sim"
)

// Run is a run whose answers are kept in a file. Answers that the file has are not computed again.
type Run struct {
	*File
	Untimed bool // records without times
	Failed  int  // number of tests without an answer

	models map[*models.Model]Subject
}

// Resume opens a file to continue, as Open does, and makes the simulator skip what the file has.
// muster is the version of the program.
func Resume(name string, s *batch.Simulator, muster string, report func(error)) (*Run, error) {
	f, err := Open(name, report)
	if err != nil {
		return nil, err
	}
	r := &Run{File: f, models: map[*models.Model]Subject{}}
	options := OptionsOf(s.Config)
	for _, m := range s.Loaded() {
		r.models[m] = Subject{Model: m.Name, ModelHash: ModelHash(m), Options: options, Muster: muster}
	}
	s.Kept = r.has
	return r, nil
}

// subject returns the subject of a record: a test under a model.
func (r *Run) subject(t *sim.Test, m *models.Model) Subject {
	s := r.models[m]
	s.Test, s.Hash = t.Name.Text, t.Hash()
	return s
}

func (r *Run) has(t *sim.Test, m *models.Model) bool {
	s := r.subject(t, m)
	return r.Has(s.Key())
}

// Keep keeps an answer. An answer that an interrupt cut short is not kept.
func (r *Run) Keep(ctx context.Context, ans batch.Answer) error {
	if ans.Result.Limit != nil && ctx.Err() != nil {
		return nil
	}
	rec := NewRecord(r.subject(ans.Result.Test, ans.Model), ans.Result)
	if !r.Untimed {
		rec.Timed(time.Now(), ans.Result.Elapsed)
	}
	return r.Add(rec)
}

// Finish closes the file. If the run is complete (err is nil), it writes the end of the run first.
func (r *Run) Finish(shard Shard, err error) error {
	if err == nil {
		err = r.End(End{Shard: shard.String(), Failed: r.Failed, Models: slices.Collect(maps.Values(r.models))})
	}
	return errors.Join(err, r.Close())
}
