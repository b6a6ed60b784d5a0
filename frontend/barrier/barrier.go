// Package barrier simulates how the threads of a test meet at barriers.
//
// A front end walks each thread alone. On a control path it notes a Visit for each barrier to which
// the thread comes: the event at which the thread arrives, the event at which it waits, or both. A
// thread cannot know alone whether the others come. So it has a path on which it goes on after each
// wait, with each result that the barrier can return, and a path that ends with a wait for ever.
// This package takes one path of each thread and decides whether the paths fit together, and how.
//
// It lets the threads arrive one after the other. Arrivals gather in rounds:
//
//   - A round is complete when it has the arrivals that it needs: Visit.Count of them, or one of
//     each thread that has the barrier in its code. The threads that wait in it then go on.
//   - At most barriers the next round begins when one is complete, and takes the next arrival.
//     There the order of arrivals matters: of three threads at a barrier for two, any two may meet.
//   - At a barrier by turns (Barrier.ByTurn) the k-th arrival of each thread is in the k-th round.
//
// Paths fit together if each thread gets as far as its path says, with the results that its path
// says. A Meeting is one way in which they do. Its pairs, from those who arrive to those who waited
// for them, become the relations "awaited" and "syncbar" of an execution.
//
// Two threads that come to two barriers in opposite orders never meet: neither gets past its first
// barrier. So the pairs agree with program order, and nothing has to check that they make no cycle.
//
//	Barrier, Visit, Track  what a path says of barriers
//	Rules                  in what languages differ
//	Program                the threads of a test, with the tracks of their paths
//	Meeting                one way in which threads meet, and the pairs that it makes
//	Budget                 bounds a search
//
// The files follow the steps of a search: what rounds there can be (sites.go), what one arrival
// does (simulation.go), which orders of arrivals are tried (search.go), which of them need not be
// (ahead.go), what is known of all paths at once (ends.go, turns.go), and pairs (pairs.go).
package barrier

import "context"

// Reduction is the function that gives the result of a barrier for its threads.
type Reduction uint8

// The reductions.
const (
	NoReduction Reduction = iota
	CountVotes
	AllVote
	AnyVotes
)

// result returns the result of a round with a number of arrivals and of votes.
func (r Reduction) result(arrivals, votes int) int64 {
	switch {
	case r == CountVotes:
		return int64(votes)
	case r == AllVote && votes == arrivals, r == AnyVotes && votes > 0:
		return 1
	}
	return 0
}

// Everyone is the level of barriers that all threads share.
const Everyone = -1

// Barrier is a barrier of each place at a level, such as of each CTA.
type Barrier struct {
	Key    string // tells it from other barriers of the place
	Level  int    // the number of the level, as in event.Thread.At, or Everyone
	ByTurn bool   // the k-th arrivals of all threads meet
	Reduce Reduction
}

// None is the number of an event that a visit does not have.
const None = -1

// Visit is an operation of a thread at a barrier.
type Visit struct {
	At Barrier
	// Arrive and Wait are the events at which the thread arrives and waits, by their numbers on the
	// path. They may be the same, and one of them may be None.
	Arrive, Wait int
	// Count is the number of arrivals that complete a round, or 0 for one arrival of each thread
	// that has the barrier in its code. Threads with different counts do not meet.
	Count    int
	Releases bool // what the thread did before becomes visible to threads that wait for the arrival
	Vote     bool
	Result   int64 // what the barrier returned, if it reduces votes
}

func (v *Visit) arrives() bool { return v.Arrive != None }
func (v *Visit) waits() bool   { return v.Wait != None }

// Alike reports whether two visits are the same wherever their events are on their paths.
func (v Visit) Alike(u Visit) bool {
	v.Arrive, v.Wait, u.Arrive, u.Wait = min(v.Arrive, 0), min(v.Wait, 0), min(u.Arrive, 0), min(u.Wait, 0)
	return v == u
}

// Track is the operations of a thread at barriers on one control path.
type Track struct {
	Visits  []Visit
	Endless bool // the last visit waits for ever
}

// Rules are the differences between languages.
type Rules struct {
	// SelfPairs makes an arrival synchronise with its own thread, too. PTX has it, because bar.sync
	// is one event. In C a thread arrives and waits by two events, which program order relates.
	SelfPairs bool
	// LateArrivals governs a round by turns with more arrivals than its count. If it is set,
	// threads wait for all of these arrivals. If not, any of them may be in time, and the threads
	// wait for these only.
	LateArrivals bool
}

// Budget bounds a search. One goroutine uses it at a time.
type Budget struct {
	ctx   context.Context
	most  int // the largest number of steps; 0 for no bound
	steps int
	err   error
}

// NewBudget returns a budget that lasts until the context is done.
func NewBudget(ctx context.Context) *Budget { return &Budget{ctx: ctx} }

// Spend takes one step, and reports whether the budget is spent. It asks the context now and then.
func (b *Budget) Spend() bool {
	const askEvery = 16
	if b.steps++; b.steps%askEvery == 0 && b.err == nil {
		b.err = b.ctx.Err()
	}
	return b.err != nil || b.most > 0 && b.steps > b.most
}

// Err is the error of the context if that has ended the search.
func (b *Budget) Err() error { return b.err }
