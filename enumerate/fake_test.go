package enumerate

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/event"
)

// fake is a program with two locations, x and y, whose threads have the given paths.
type fake struct {
	init    map[event.Loc]event.Value // 0 if not given
	threads [][]*event.Path           // the possible paths of each thread
	domain  []event.Value
}

const (
	x event.Loc = iota
	y
)

func (f *fake) Domain() []event.Value { return f.domain }

func (f *fake) Structures(context.Context) iter.Seq2[*event.Structure, error] {
	locs := []event.Location{{Name: "x", Init: event.Int(0)}, {Name: "y", Init: event.Int(0)}}
	for l, v := range f.init {
		locs[l].Init = v
	}
	return func(yield func(*event.Structure, error) bool) {
		f.choose(nil, func(paths []*event.Path) bool {
			return yield(event.Join(locs, make([]event.Thread, len(paths)), paths), nil)
		})
	}
}

func (f *fake) choose(paths []*event.Path, yield func([]*event.Path) bool) bool {
	if len(paths) == len(f.threads) {
		return yield(paths)
	}
	for _, p := range f.threads[len(paths)] {
		if !f.choose(append(paths[:len(paths):len(paths)], p), yield) {
			return false
		}
	}
	return true
}

// Events. In a thread that reads, the value of its n-th event is v(n).

func v(n int) event.Expr             { return event.ReadOf(n) }
func integer(i int64) event.Expr     { return event.Const(event.Int(i)) }
func address(l event.Loc) event.Expr { return event.Const(event.AddressOf(l)) }

func read(l event.Loc) event.Event { return readAt(address(l)) }

func readAt(addr event.Expr) event.Event { return event.Event{Kind: event.Read, Addr: addr} }

func write(l event.Loc, data event.Expr) event.Event { return writeAt(address(l), data) }

func writeAt(addr, data event.Expr) event.Event {
	return event.Event{Kind: event.Write, Addr: addr, Data: data}
}

// straight returns a path of these events.
func straight(events ...event.Event) *event.Path {
	p := &event.Path{Events: events}
	for i := range p.Events {
		if p.Events[i].Kind == event.Read {
			p.Events[i].Data = v(i)
		}
	}
	return p
}

// when adds a condition to a path.
func when(x event.Expr, want bool, p *event.Path) *event.Path {
	p.Conds = append(p.Conds, event.Cond{X: x, Want: want})
	return p
}

// program has one path for each thread.
func program(paths ...*event.Path) *fake {
	f := &fake{}
	for _, p := range paths {
		f.threads = append(f.threads, []*event.Path{p})
	}
	return f
}

func (f *fake) with(domain ...event.Value) *fake {
	f.domain = domain
	return f
}

// errMeaningless is the message for the sum of two addresses.
const errMeaningless = "add of an address has no meaning"

// plus is a+b.
func plus(a, b event.Expr) event.Expr { return apply(arith.Add, a, b) }

// equal is a=b.
func equal(a, b event.Expr) event.Expr { return apply(arith.Eq, a, b) }

func apply(op arith.Op, a, b event.Expr) event.Expr {
	x, err := event.Apply(op, arith.U64, a, b)
	if err != nil {
		panic(err)
	}
	return x
}

// enumerated is the result of an enumeration.
type enumerated struct {
	candidates []string
	stats      Stats
	err        error
}

// run enumerates a program. Each candidate must be well-formed.
func run(t *testing.T, ctx context.Context, p Program, opts Options) enumerated {
	t.Helper()
	var r enumerated
	for x, err := range Executions(ctx, p, opts, &r.stats) {
		if r.err != nil && x == nil {
			t.Fatalf("goes on after the error %v", r.err)
		}
		if err == nil {
			err = x.Wrong
		}
		if err != nil {
			r.err = err
			continue
		}
		if err := x.Validate(); err != nil {
			t.Error(err)
		}
		r.candidates = append(r.candidates, show(x))
	}
	return r
}

func all(t *testing.T, p Program) enumerated {
	t.Helper()
	return run(t, context.Background(), p, Options{})
}

// show writes what each read reads, from where, and the coherence order of each location: "b=1<a
// c=0<init | x: a d". A star marks values out of thin air.
func show(x *event.Execution) string {
	names := x.Names()
	var b strings.Builder
	for r, w := range x.Rf {
		if w < 0 {
			continue
		}
		star := ""
		if x.ThinAir.Has(r) {
			star = "*"
		}
		fmt.Fprintf(&b, "%s=%s%s<%s ", names[r], x.FormatValue(x.Val[r]), star, names[w])
	}
	for l := range x.Locs {
		order := make([]string, x.N())
		for e := range x.Events {
			if x.Loc[e] == l && x.Events[e].Kind == event.Write && !x.Events[e].IsInit() {
				order[x.N()-1-x.Co.Row(e).Len()] = " " + names[e]
			}
		}
		if text := strings.Join(order, ""); text != "" {
			fmt.Fprintf(&b, "| %s:%s ", x.Locs[l].Name, text)
		}
	}
	return strings.TrimSpace(b.String())
}
