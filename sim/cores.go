package sim

import "sync/atomic"

// worthHelp is after how many runs of the plan others may help: some milliseconds.
const worthHelp = 20_000

// Cores is how many cores simulations may keep busy together. A test has one; where others are free, it may have those, too, as long
// as no other test asks for one.
type Cores struct {
	free    chan struct{}
	waiting atomic.Int32 // tests that wait for their first core
	after   int          // how many runs of the plan a test is given more: before, it would be done before they begin
}

// NewCores is so many cores, all free.
func NewCores(n int) *Cores {
	c := &Cores{free: make(chan struct{}, n), after: worthHelp}
	for range n {
		c.free <- struct{}{}
	}
	return c
}

// take waits for a core, as a test does before it runs. Nobody waits for long, since those who have more than one give
// them back. No cores are no bound.
func (c *Cores) take() {
	if c == nil {
		return
	}
	c.waiting.Add(1)
	<-c.free
	c.waiting.Add(-1)
}

// another takes a core if one is free and nobody waits for it.
func (c *Cores) another() bool {
	if c == nil || c.wanted() {
		return false
	}
	select {
	case <-c.free:
		return true
	default:
		return false
	}
}

// wanted reports that a test waits for a core: then those that have more than one are to give one back.
func (c *Cores) wanted() bool { return c.waiting.Load() > 0 }

// give gives a core back.
func (c *Cores) give() {
	if c != nil {
		c.free <- struct{}{}
	}
}
