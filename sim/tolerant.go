package sim

import (
	"sync"

	"github.com/muster-gpu/muster/internal/engine/fast"
)

// leftOut records the error of the first execution that a tolerant simulation ignores
// (Config.Tolerant). It is safe for concurrent use.
type leftOut struct {
	test *Test
	mu   sync.Mutex
	why  error // or nil
}

// leavesOut makes a tolerant query of the fast engine record what it ignores.
func (t *Test) leavesOut(q *fast.Query) *leftOut {
	l := &leftOut{test: t}
	if q.Meaningless != nil {
		q.Meaningless = l.note
	}
	return l
}

// note records an error. A nil leftOut ignores it.
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

// first returns the error recorded, with its place in the test, or nil.
func (l *leftOut) first() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.why == nil {
		return nil
	}
	return l.test.locate(l.why)
}
