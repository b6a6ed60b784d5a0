package sim

import (
	"sync"

	"github.com/muster-gpu/muster/internal/engine/fast"
)

// leftOut holds the first of the executions that a tolerant simulation leaves out (Config.Tolerant): why it has no meaning. Several
// engines may note what they find.
type leftOut struct {
	test *Test
	mu   sync.Mutex
	why  error // nil if there is none
}

// leavesOut has the fast engine note what it leaves out, if the test is simulated tolerantly.
func (t *Test) leavesOut(q *fast.Query) *leftOut {
	l := &leftOut{test: t}
	if q.Meaningless != nil {
		q.Meaningless = l.note
	}
	return l
}

// note notes what has no meaning. A nil leftOut forgets it.
func (l *leftOut) note(wrong error) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why == nil {
		l.why = wrong
	}
}

// first returns the error of the first execution that was left out, with its place in the test, or nil.
func (l *leftOut) first() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why == nil {
		return nil
	}
	return l.test.locate(l.why)
}
