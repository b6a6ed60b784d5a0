package observe

import "github.com/muster-gpu/muster/litmus"

// Launches is the number of launches in which something was seen, and of all launches. The same
// number of instances says less if it comes from fewer launches. Of is 0 if unknown.
type Launches struct{ Seen, Of int64 }

// Launched is the number of launches of some runs, known if all their records have it.
type Launched struct {
	n      int64
	silent bool // some records do not have it
}

// Add adds the launches of other runs.
func (l *Launched) Add(others Launched) {
	l.n += others.n
	l.silent = l.silent || others.silent
}

// Seen returns the Launches of something that was seen in the given number of launches.
func (l Launched) Seen(in int64) Launches {
	if l.silent || l.n == 0 {
		return Launches{}
	}
	return Launches{in, l.n}
}

// launch adds up the launches in which the states of a record were seen; outcomes are in the order
// of its histogram.
func (s *Shown) launch(r *Record, outcomes []litmus.Outcome) {
	if r.Asked != nil {
		return // a table has no states
	}
	s.Launched.Add(Launched{r.Launches, !r.saysLaunches()})
	for i, o := range outcomes {
		s.Came[s.index[o.String()]] += r.Histogram[i].Launches
	}
}

// saysLaunches reports whether the record has consistent numbers of launches for each state.
func (r *Record) saysLaunches() bool {
	if r.Launches <= 0 || r.Launches > r.Instances {
		return false
	}
	for _, b := range r.Histogram {
		if b.Launches < 0 || b.Launches > min(b.Count, r.Launches) || b.Count > 0 && b.Launches == 0 {
			return false
		}
	}
	return true
}
