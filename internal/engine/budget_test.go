package engine

import (
	"errors"
	"testing"
)

// TestBudget: what is spent of a slice is spent of the whole, and either may end first.
func TestBudget(t *testing.T) {
	whole := NewBudget(Forever).Slice(10)
	first, second := whole.Slice(4), whole.Slice(8)
	for i := range 4 {
		if !first.Spend(1) {
			t.Fatalf("a slice of 4 steps ends after %d", i)
		}
	}
	if first.Spend(1) || !first.Exhausted() || whole.Exhausted() {
		t.Errorf("a slice of 4 steps goes on after 5; whole exhausted: %v", whole.Exhausted())
	}
	if !second.Spend(5) || second.Spend(1) || !second.Exhausted() || !whole.Exhausted() || whole.Spent() != 11 {
		t.Errorf("a budget of 10 steps goes on after %d", whole.Spent())
	}
}

// TestTry: work that is finished once begun is charged to the whole, not to a try.
func TestTry(t *testing.T) {
	whole := NewBudget(Forever).Slice(10)
	try := whole.Try(4)
	if try.Finish(9); try.Exhausted() || !try.Spend(1) || whole.Spent() != 10 {
		t.Errorf("a try is charged: exhausted %v, %d steps of the whole", try.Exhausted(), whole.Spent())
	}
	if whole.Finish(1); !whole.Exhausted() || !try.Exhausted() {
		t.Error("a budget of 10 steps goes on after 11")
	}
}

// TestPool: budgets of several goroutines end together, and whether they took too many steps does
// not depend on which took how many.
func TestPool(t *testing.T) {
	const limit = 1000
	for _, parts := range [][]int{{1000}, {1001}, {999, 1}, {500, 501}, {1, 1, 999}, {63, 64, 65, 808}, {63, 64, 65, 809}} {
		p, sum := NewPool(limit), 0
		var all []*Budget
		for _, n := range parts {
			b := p.Budget(Forever)
			for range n {
				b.Spend(1)
			}
			all, sum = append(all, b), sum+n
		}
		for _, b := range all {
			b.Exhausted()
		}
		if p.Exhausted() != (sum > limit) || all[0].Exhausted() != (sum > limit) {
			t.Errorf("%d steps of %d: exhausted %v", sum, limit, p.Exhausted())
		}
	}
	p := NewPool(limit)
	one, other := p.Budget(Forever), p.Budget(Forever)
	for one.Spend(1) {
	}
	if other.Spend(1) || one.Spent() < limit || one.Spent() > limit+64 {
		t.Errorf("a budget goes on after %d steps of another", one.Spent())
	}
	closed := NewPool(limit)
	if b := closed.Budget(Forever); !b.Spend(1) {
		t.Error("a budget ends after one step")
	} else if closed.Close(); b.Spend(1) || !b.Bounded() {
		t.Error("a budget goes on when its pool is closed")
	}
}

// TestBudgetStops: a budget without a bound ends when it is told to stop, and says why.
func TestBudgetStops(t *testing.T) {
	asked, why := 0, errors.New("time is up")
	b := NewBudget(func() error {
		if asked++; asked > 3 {
			return why
		}
		return nil
	})
	slice, steps := b.Slice(1<<20), 0
	for slice.Spend(1) {
		steps++
	}
	if steps > 200 || slice.Err() != why || slice.Exhausted() {
		t.Errorf("stopped after %d steps: %v", steps, slice.Err())
	}
	if late := NewBudget(func() error { return why }); late.Spend(1) || late.Err() != why {
		t.Error("a budget that was stopped before it began can be spent")
	}
}
