package modules_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/muster-gpu/muster/verify"
	"github.com/muster-gpu/muster/verify/modules"
)

// ending is a context that ends when it has been asked so often whether it has.
type ending struct {
	context.Context
	end  context.CancelCauseFunc
	left atomic.Int32
}

var errReason = errors.New("stopped after an interrupt")

func (e *ending) Err() error {
	if e.left.Add(-1) < 0 {
		e.end(errReason)
	}
	return e.Context.Err()
}

// TestEnded: a module that was not verified to its end says what ended it, before a kernel and within one.
func TestEnded(t *testing.T) {
	in := modules.Input{Config: verify.Config{Budget: verify.DefaultBudget}}
	const name = "../testdata/kernels/add-neighbour-barrier.ptx"
	for asked := range int32(2) {
		ctx, cancel := context.WithCancelCause(t.Context())
		e := &ending{Context: ctx, end: cancel}
		e.left.Store(asked)
		if m := in.Verify(e, name); m.Err == nil || m.Err.Error() != name+": "+errReason.Error() {
			t.Errorf("asked %d times: %v", asked, m.Err)
		}
		cancel(nil)
	}
}
