package sim

import "sync/atomic"

// worthHelp is the number of runs of the plan, some milliseconds, after which a search uses other
// cores.
const worthHelp = 20_000

// Cores is a pool of cores for concurrent simulations. Each test has one core. It may use free ones
// until another test waits for a core.
type Cores struct {
	free    chan struct{}
	waiting atomic.Int32 // tests that wait for their first core
	// runs of the plan after which a test uses more cores; a shorter test would be done before
	// helpers start
	after int
}

// NewCores returns a pool of n free cores.
func NewCores(n int) *Cores {
	c := &Cores{free: make(chan struct{}, n), after: worthHelp}
	for range n {
		c.free <- struct{}{}
	}
	return c
}

// take waits for the first core of a test. The wait is short, because tests with several cores give
// them back. A nil pool has no bound.
func (c *Cores) take() {
	if c == nil {
		return
	}
	c.waiting.Add(1)
	<-c.free
	c.waiting.Add(-1)
}

// another takes a core if one is free and no test waits.
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

// wanted reports whether a test waits for a core. Tests with several cores then give one back.
func (c *Cores) wanted() bool { return c.waiting.Load() > 0 }

// give returns a core to the pool.
func (c *Cores) give() {
	if c != nil {
		c.free <- struct{}{}
	}
}
