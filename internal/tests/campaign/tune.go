package campaign

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/muster-gpu/muster/harness"
	"github.com/muster-gpu/muster/harness/cuda"
	"github.com/muster-gpu/muster/harness/rig"
	"github.com/muster-gpu/muster/internal/cli/supervise"
	"github.com/muster-gpu/muster/internal/store/journal"
	"github.com/muster-gpu/muster/sim"
)

// Searching is a search for settings that continues after a trial that broke the GPU: trials are
// kept in a file, which a fresh process reads.
type Searching struct {
	Rig    *rig.Rig
	Search rig.Search // all but the plans
	Out    io.Writer  // for the result, as JSON

	Nothing bool // no weak behaviour was seen

	parent *supervise.Child // or nil
	here   searched
	trials *journal.Journal
	broken bool // the GPU is broken: the next process prints the result
}

// searched is the progress of a search.
type searched struct {
	Trials string // the file of trials
	Said   bool   // the result has been printed
}

// began is the first line of the file of trials.
type began struct {
	Began  time.Time      `json:"began"`
	Target harness.Target `json:"target"` // the GPU's
}

// Aboard connects to the parent of this process, if there is one, before the tests are compiled. It
// reports whether an earlier process has printed the problems of the tests.
func (s *Searching) Aboard() (again bool, err error) {
	s.parent = supervise.Aboard()
	if err := s.parent.Before(&s.here); err != nil {
		return false, err
	}
	return s.parent.Attempt() > 1, s.alive()
}

// alive tells the parent that this process makes progress: a silent one is killed.
func (s *Searching) alive() error { return s.parent.Doing(nil, s.here) }

// Run searches and prints the result. If the GPU is broken, a later process continues instead.
func (s *Searching) Run(ctx context.Context, tests Tests) error {
	err := s.collect(ctx, tests)
	if err == nil && s.parent == nil {
		err = s.say(s.Rig.Tune(ctx, s.Search))
	} else if err == nil {
		err = s.run(ctx)
	}
	if s.broken {
		return nil
	}
	return errors.Join(err, s.parent.Ends(s.here))
}

// collect lays the tests out.
func (s *Searching) collect(ctx context.Context, tests Tests) error {
	return tests.Each(ctx, func(_ *sim.Test, p *harness.Plan) error {
		s.Search.Plans = append(s.Search.Plans, p)
		return s.alive()
	})
}

// run continues the search where the process before this one stopped.
func (s *Searching) run(ctx context.Context) error {
	if err := s.open(); err != nil {
		return err
	}
	defer s.trials.Close()
	if s.parent.Attempt() > 1 {
		if err := s.Rig.Try(ctx); err != nil {
			return fmt.Errorf("behind what broke it, the GPU runs not even an empty kernel: %w", err)
		}
	}
	var now harness.Trial
	s.Search.Begin = func(t harness.Trial) error {
		now = t
		return s.parent.Doing(t, s.here)
	}
	s.Search.End = func(t harness.Trial) error {
		return errors.Join(appendLine(s.trials, t), s.alive())
	}
	found, err := s.Rig.Tune(ctx, s.Search)
	if cuda.Breaks(err) && ctx.Err() == nil {
		s.Rig.Abandon()
		s.broken, now.Why = true, err.Error()
		return s.parent.Doing(now, s.here)
	}
	s.here.Said = true
	return s.say(found, err)
}

// say prints the settings that were found, even if the search ended with an error.
func (s *Searching) say(found []harness.Tuned, err error) error {
	if len(found) == 0 {
		return err
	}
	to := json.NewEncoder(s.Out)
	to.SetEscapeHTML(false)
	lost := to.Encode(harness.BestTunings(s.Search.Plans, found))
	if s.Nothing = !slices.ContainsFunc(found, func(f harness.Tuned) bool { return f.Weak > 0 }); s.Nothing {
		fmt.Fprintln(s.Search.Notes, "nothing weak was seen with any settings")
	}
	return cmp.Or(err, lost) // the settings are useful even so
}

// open reads the trials so far, and opens the file for more.
func (s *Searching) open() (err error) {
	first, past, err := readTrials(s.here.Trials)
	if err != nil {
		return err
	}
	if s.trials, err = journal.Open(s.here.Trials); err != nil {
		return err
	}
	if first.Began.IsZero() {
		first = began{time.Now(), s.Rig.Target()}
		err = appendLine(s.trials, first)
	}
	s.Search.Began, s.Search.Past = first.Began, past
	return err
}

func appendLine(to *journal.Journal, what any) error {
	line, err := json.Marshal(what)
	if err != nil {
		return err
	}
	return errors.Join(to.Append(line), to.Release())
}

// readTrials reads a file of trials, which may be empty.
func readTrials(file string) (first began, past []harness.Trial, err error) {
	f, err := os.Open(file)
	if err != nil {
		return first, nil, err
	}
	defer f.Close()
	lines := journal.NewLines(f)
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return first, past, nil
		}
		if err != nil {
			return first, past, err
		}
		var t harness.Trial
		switch {
		case first.Began.IsZero():
			err = json.Unmarshal(line, &first)
		case json.Unmarshal(line, &t) == nil: // else the rest of a line of a killed process
			past = append(past, t)
		}
		if err != nil {
			return first, past, err
		}
	}
}

// Supervise searches in a child process. It starts another child after a trial that broke the GPU
// or hung in the driver; that trial is left out. Each child reads standard input from its
// beginning. If no child can print the result, it is computed from the trials; tests returns the
// tests for a target, given the standard input again. Supervise returns the exit status of the last
// child.
func (s *Searching) Supervise(
	ctx context.Context, in io.Reader, limit time.Duration, tests func(io.Reader, harness.Target) (Tests, error),
) (status int, err error) {
	stdin, err := supervise.Keep(in)
	if err != nil {
		return 0, err
	}
	defer stdin.Close()
	f, err := os.CreateTemp("", "muster-trials-*")
	if err != nil {
		return 0, err
	}
	_ = f.Close()
	defer func() { _ = os.Remove(f.Name()) }()
	children := &searcher{file: f.Name(), notes: s.Search.Notes, breaks: map[string]int{}}
	far, status, err := supervise.Run(ctx, stdin, searched{Trials: f.Name()}, longest(limit), children.broken)
	var last searched
	if bad := json.Unmarshal(far, &last); bad != nil {
		return status, cmp.Or(err, bad)
	}
	switch {
	case last.Said && ctx.Err() != nil: // the child has reported the interrupt, too
		return status, nil
	case last.Said:
		return status, err
	}
	return status, errors.Join(err, s.repeat(ctx, stdin, f.Name(), tests))
}

// repeat prints the result of the trials that were made.
func (s *Searching) repeat(
	ctx context.Context, stdin io.ReadSeeker, file string, tests func(io.Reader, harness.Target) (Tests, error),
) error {
	first, past, err := readTrials(file)
	if err != nil || len(past) == 0 {
		return err
	}
	if _, err := stdin.Seek(0, io.SeekStart); err != nil {
		return err
	}
	all, err := tests(stdin, first.Target)
	if err == nil {
		err = s.collect(ctx, all)
	}
	if err != nil {
		return err
	}
	s.Search.Began, s.Search.Past, s.Search.Time = first.Began, past, 0
	found, _ := s.Rig.Tune(ctx, s.Search) // it ends where the trials do
	return s.say(found, nil)
}

// searcher supervises the processes that search.
type searcher struct {
	file   string
	notes  io.Writer
	breaks map[string]int // by test
	row    int            // consecutive breaks
	known  int            // number of trials in the file after the last break
	idle   bool           // a process has ended between two trials
}

// broken records the trial during which a child broke down.
func (s *searcher) broken(b supervise.Broken) (any, error) {
	far := searched{Trials: s.file}
	how := b.How
	if how == nil {
		how = errors.New("it could not go on")
	}
	if b.Doing == nil {
		if s.idle {
			return far, fmt.Errorf("between two trials, the process ended: %w", how)
		}
		s.idle = true
		fmt.Fprintf(s.notes, "between two trials, the process ended: %v; once more\n", how)
		return far, nil
	}
	var t harness.Trial
	if err := json.Unmarshal(b.Doing, &t); err != nil {
		return far, err
	}
	t.Why, t.Broke, t.Ended = cmp.Or(t.Why, fmt.Sprintf("the process ended: %v", how)), true, time.Now()
	return far, s.note(t)
}

// note records a trial that broke the GPU. It returns an error if there were too many.
func (s *searcher) note(t harness.Trial) error {
	_, past, err := readTrials(s.file)
	if err != nil {
		return err
	}
	to, err := journal.Open(s.file)
	if err != nil {
		return err
	}
	defer to.Close()
	if err := appendLine(to, t); err != nil {
		return err
	}
	if len(past) > s.known { // some trials were completed
		s.row = 0
	}
	s.row, s.known = s.row+1, len(past)+1
	s.breaks[t.Test]++
	left := ""
	if s.breaks[t.Test] == harness.MostBreaks {
		left = fmt.Sprintf("; %s is left out", t.Test)
	}
	settings, _ := json.Marshal(t.Settings) // cannot fail: a struct of numbers and flags
	fmt.Fprintf(s.notes, "left out: %s%s, with %s\n", t.Why, left, settings)
	most := mostFaults
	if len(past) > 0 && !past[0].Broke {
		most = mostFaultsLater
	}
	if s.row == most {
		return fmt.Errorf("%d trials in a row have broken the GPU: it is hardly the settings", s.row)
	}
	return nil
}
