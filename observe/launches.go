package observe

import "github.com/muster-gpu/muster/litmus"

// Launches is in how many launches something was seen, of how many: the same number of instances says less if it is of fewer launches. Of is 0 if
// nobody knows.
type Launches struct{ Seen, Of int64 }

// Launched is how many launches some runs took, as long as all of them say it.
type Launched struct {
	n      int64
	silent bool // some do not
}

// Add adds those of other runs.
func (l *Launched) Add(others Launched) {
	l.n += others.n
	l.silent = l.silent || others.silent
}

// Seen is in how many of the launches something was seen.
func (l Launched) Seen(in int64) Launches {
	if l.silent || l.n == 0 {
		return Launches{}
	}
	return Launches{in, l.n}
}

// launch adds up in how many launches the states of a record were seen, outcomes in the order of its histogram.
func (s *Shown) launch(r *Record, outcomes []litmus.Outcome) {
	if r.Asked != nil {
		return // a table has no states
	}
	s.Launched.Add(Launched{r.Launches, !r.saysLaunches()})
	for i, o := range outcomes {
		s.Came[s.index[o.String()]] += r.Histogram[i].Launches
	}
}

// saysLaunches reports that the record says in how many launches each state was seen, and that it can be so.
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
