package symbolic

import (
	"reflect"
	"testing"

	"github.com/muster-gpu/muster/internal/solver/term"
)

// TestReset: what is recorded after a mark is undone, the latest first.
func TestReset(t *testing.T) {
	b := term.NewBuilder()
	x, y := b.Var("x", 1), b.Var("y", 1)
	r := &Recorder{trace: Trace{Others: map[*term.Term]*term.Term{x: y}, Lost: b.Bool(false)}}
	write := func() {
		for _, e := range []Event{
			&Access{}, &Arrival{}, &Barrier{}, &Branch{}, &Check{}, &Convergence{}, &Exchange{}, &Holding{}, &Inductive{}, &Meeting{}, &Parting{}, &Pipeline{},
			&Read{}, &Refusal{}, &Return{},
		} {
			r.Append(e)
		}
		r.Know(x)
		r.Claim(Claim{Holds: y})
		set(r, &r.trace.Lost, y)
		set(r, &r.trace.Lost, x)
		put(r, r.trace.Others, x, x)
		put(r, r.trace.Others, y, x)
	}
	write()
	delete(r.trace.Others, y) // so that the same is done again
	from, events := r.mark(), len(r.events)
	want := r.trace
	write()
	if got := since[*Barrier](r, from); len(got) != 1 || got[0] != r.trace.Barriers[1] {
		t.Errorf("barriers since the mark: %v", got)
	}
	r.reset(from)
	if len(r.events) != events || !reflect.DeepEqual(r.trace, want) || r.trace.Others[y] != nil {
		t.Errorf("after a reset, %d events and\n%+v\nwant %d and\n%+v", len(r.events), r.trace, events, want)
	}
}
