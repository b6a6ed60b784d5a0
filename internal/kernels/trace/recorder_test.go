package trace

import (
	"reflect"
	"testing"

	"github.com/muster-gpu/muster/internal/solver/term"
)

// TestReset: what is recorded after a mark is undone, the latest first.
func TestReset(t *testing.T) {
	b := term.NewBuilder()
	x, y := b.Var("x", 1), b.Var("y", 1)
	r := &Recorder{Trace: Trace{Others: map[*term.Term]*term.Term{x: y}, Lost: b.Bool(false)}}
	write := func() {
		for _, e := range []Event{
			&Access{}, &Arrival{}, &Barrier{}, &Branch{}, &Check{}, &Convergence{}, &Exchange{}, &Holding{}, &Inductive{}, &Meeting{}, &Parting{}, &Pipeline{},
			&Read{}, &Refusal{}, &Return{},
		} {
			r.Append(e)
		}
		r.Know(x)
		r.Claim(Claim{Holds: y})
		Set(r, &r.Trace.Lost, y)
		Set(r, &r.Trace.Lost, x)
		Put(r, r.Trace.Others, x, x)
		Put(r, r.Trace.Others, y, x)
	}
	write()
	delete(r.Trace.Others, y) // so that the same is done again
	from, events := r.Mark(), len(r.events)
	want := r.Trace
	write()
	if got := Since[*Barrier](r, from); len(got) != 1 || got[0] != r.Trace.Barriers[1] {
		t.Errorf("barriers since the mark: %v", got)
	}
	r.Reset(from)
	if len(r.events) != events || !reflect.DeepEqual(r.Trace, want) || r.Trace.Others[y] != nil {
		t.Errorf("after a reset, %d events and\n%+v\nwant %d and\n%+v", len(r.events), r.Trace, events, want)
	}
}
