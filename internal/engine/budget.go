package engine

import (
	"math"
	"sync/atomic"
)

// Budget bounds the work of an engine: by steps, which are the same on every machine, and by a
// function that says when all work must stop, because time or memory is used up or the user has
// interrupted it. A Budget belongs to one goroutine; those of several may share a Pool.
type Budget struct {
	whole *Budget // that this is a slice of; nil for the budget of a query
	limit int     // of steps
	try   bool    // see Try
	spent int     // steps
	stop  func() error
	err   error // of stop
	pool  *Pool // of a budget that is not a slice; nil for none
	told  int   // steps that the pool knows of
}

// Forever never asks for a stop.
func Forever() error { return nil }

// NewBudget returns a budget without a bound on steps. Its error is that of stop, once that returns
// one.
func NewBudget(stop func() error) *Budget {
	return &Budget{limit: math.MaxInt, stop: stop, err: stop()}
}

// Pool bounds the steps that budgets of several goroutines take together. Whether they took too
// many does not depend on how many budgets there are, nor on which took how many.
type Pool struct {
	limit, spent atomic.Int64
}

// NewPool returns a pool of n steps.
func NewPool(n int) *Pool {
	p := &Pool{}
	p.limit.Store(int64(n))
	return p
}

// Budget returns a budget for one goroutine, whose error is that of stop.
func (p *Pool) Budget(stop func() error) *Budget {
	b := NewBudget(stop)
	b.pool = p
	return b
}

// Close ends all budgets of the pool.
func (p *Pool) Close() { p.limit.Store(-1) }

// Exhausted reports whether more steps were taken than there are. A budget tells the pool of its
// last steps when it is asked whether it is exhausted.
func (p *Pool) Exhausted() bool { return p.spent.Load() > p.limit.Load() }

// tell tells the pool of steps.
func (b *Budget) tell() {
	if b.pool != nil {
		b.pool.spent.Add(int64(b.spent - b.told))
		b.told = b.spent
	}
}

// Slice returns a part of the budget of at most n steps. What is spent of the slice is spent of the
// budget.
func (b *Budget) Slice(n int) *Budget { return &Budget{whole: b, limit: n} }

// Try returns a slice for a first try: work that is finished once begun is not charged to it
// (Finish).
func (b *Budget) Try(n int) *Budget { return &Budget{whole: b, limit: n, try: true} }

// Finish takes n steps of work that is finished once begun: of the budget, or of what it is a try
// of.
func (b *Budget) Finish(n int) {
	if b.try {
		b.whole.Finish(n)
		return
	}
	b.Spend(n)
}

// Spend takes n steps. It reports whether work may go on: no more steps were taken than there are,
// and nothing asks for a stop.
func (b *Budget) Spend(n int) bool {
	b.spent += n
	if b.whole != nil {
		return b.whole.Spend(n) && b.spent <= b.limit
	}
	const askEvery = 64 // steps
	if b.err == nil && b.spent/askEvery != (b.spent-n)/askEvery {
		b.tell()
		b.err = b.stop()
	}
	return b.err == nil && b.spent <= b.limit && (b.pool == nil || !b.pool.Exhausted())
}

// Bounded reports whether there is a bound on steps.
func (b *Budget) Bounded() bool {
	return b.limit < math.MaxInt || b.pool != nil || b.whole != nil && b.whole.Bounded()
}

// Spent returns how many steps have been taken.
func (b *Budget) Spent() int { return b.spent }

// Exhausted reports whether more steps were taken than the budget, or one that it is a slice of,
// had.
func (b *Budget) Exhausted() bool {
	b.tell()
	return b.spent > b.limit || b.pool != nil && b.pool.Exhausted() || b.whole != nil && b.whole.Exhausted()
}

// Err asks whether to stop, and returns why, or nil.
func (b *Budget) Err() error {
	if b.whole != nil {
		return b.whole.Err()
	}
	if b.err == nil {
		b.err = b.stop()
	}
	return b.err
}

// Extent is how far an engine has come with structures.
type Extent uint8

// The extents.
const (
	Done Extent = iota // everything is known of them
	// the query is answered: nothing needs to be known of other structures
	Decided
	Cut         // the budget ended, or a bound of the query: there may be more
	Unsupported // they do what the engine does not know: another must look at them
)

// Answered reports whether the engine knows what was asked: neither more work nor another engine is
// needed.
func (x Extent) Answered() bool { return x == Done || x == Decided }
