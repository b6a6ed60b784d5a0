package fast

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/muster-gpu/muster/arith"
	"github.com/muster-gpu/muster/enumerate"
	"github.com/muster-gpu/muster/event"
	"github.com/muster-gpu/muster/internal/engine"
	"github.com/muster-gpu/muster/internal/engine/final"
	"github.com/muster-gpu/muster/internal/engine/plan"
	"github.com/muster-gpu/muster/rel"
)

// Package enumerate defines what the answer is: here it is asked about small structures, without
// the front ends and models of package sim around it.

// Locations of random programs: x and y hold integers, p holds the address of one of them.
const (
	y event.Loc = x + 1
	p event.Loc = x + 2
)

// drawn is a random program. Its structures are those of each combination of the paths of its
// threads.
type drawn struct {
	threads [][]*event.Path
}

func (d *drawn) Domain() []event.Value { return []event.Value{event.Int(0), event.Int(1)} }

func (d *drawn) Structures(context.Context) iter.Seq2[*event.Structure, error] {
	locs := []event.Location{{Name: "x", Init: event.Int(0)}, {Name: "y", Init: event.Int(0)}, {Name: "p", Init: event.AddressOf(x)}}
	return func(yield func(*event.Structure, error) bool) {
		combinations := [][]*event.Path{nil}
		for _, paths := range d.threads {
			var longer [][]*event.Path
			for _, c := range combinations {
				for _, path := range paths {
					longer = append(longer, append(slices.Clone(c), path))
				}
			}
			combinations = longer
		}
		for _, c := range combinations {
			if !yield(event.Join(locs, make([]event.Thread, len(c)), c), nil) {
				return
			}
		}
	}
}

// drawProgram draws two or three threads of up to three accesses.
func drawProgram(t *rapid.T) *drawn {
	d := &drawn{}
	for i := range rapid.IntRange(2, 3).Draw(t, "threads") {
		d.threads = append(d.threads, drawThread(t, i))
	}
	return d
}

// drawThread draws the paths of a thread: one, or two that a read decides between.
func drawThread(t *rapid.T, thread int) []*event.Path {
	path := &event.Path{Finals: map[string]event.Expr{}}
	for n := range rapid.IntRange(1, 3).Draw(t, "accesses") {
		drawAccess(t, path, n, thread)
	}
	reads := readsOf(path)
	if len(reads) == 0 || !rapid.Bool().Draw(t, "branches") {
		return []*event.Path{path}
	}
	decides := event.ReadOf(rapid.SampledFrom(reads).Draw(t, "decides"))
	other := path.Clone()
	other.Events = other.Events[:int(decides)+1]
	other.Finals = map[string]event.Expr{}
	for i, paths := range []*event.Path{path, other} {
		paths.Conds = []event.Cond{{X: decides, Want: i == 0}}
		for _, pairs := range []*[]event.Pair{&paths.Addr, &paths.Data, &paths.Rmw} {
			*pairs = slices.DeleteFunc(*pairs, func(pair event.Pair) bool { return pair[1] >= len(paths.Events) })
		}
		for _, n := range readsOf(paths) {
			paths.Finals[fmt.Sprint("r", n)] = event.ReadOf(n)
		}
	}
	return []*event.Path{path, other}
}

// readsOf are the reads of a path that return integers.
func readsOf(path *event.Path) (reads []int) {
	for i, e := range path.Events {
		if e.Kind == event.Read && e.Addr != event.Expr(event.Const(event.AddressOf(p))) {
			reads = append(reads, i)
		}
	}
	return reads
}

// drawAccess adds the n-th access of a thread, a read by p being two of them.
func drawAccess(t *rapid.T, path *event.Path, n, thread int) {
	l := rapid.SampledFrom([]event.Loc{x, y}).Draw(t, "location")
	at := event.Expr(event.Const(event.AddressOf(l)))
	next := len(path.Events)
	read := func(addr event.Expr) {
		path.Finals[fmt.Sprint("r", next)] = event.ReadOf(next)
		path.Events = append(path.Events, event.Event{Kind: event.Read, Addr: addr, Data: event.ReadOf(next)})
	}
	write := func(addr, data event.Expr) {
		path.Events = append(path.Events, event.Event{Kind: event.Write, Addr: addr, Data: data})
	}
	switch rapid.SampledFrom([]string{"read", "write", "copy", "point", "follow", "update"}).Draw(t, "access") {
	case "read":
		read(at)
	case "write":
		write(at, event.Const(event.Int(int64(1+(thread+n)%2))))
	case "copy":
		data := event.Expr(event.Const(event.Int(1)))
		if reads := readsOf(path); len(reads) > 0 {
			from := rapid.SampledFrom(reads).Draw(t, "from")
			data = event.ReadOf(from)
			path.Data = append(path.Data, event.Pair{from, next})
		}
		write(at, data)
	case "point":
		write(event.Const(event.AddressOf(p)), event.Const(event.AddressOf(l)))
	case "follow":
		path.Events = append(path.Events, event.Event{Kind: event.Read, Addr: event.Const(event.AddressOf(p)), Data: event.ReadOf(next)})
		path.Addr = append(path.Addr, event.Pair{next, next + 1})
		next++
		read(event.ReadOf(next - 1))
	case "update":
		read(at)
		sum, err := event.Apply(arith.Add, arith.S32, event.ReadOf(next), event.Const(event.Int(1)))
		if err != nil {
			t.Fatal(err)
		}
		path.Rmw, path.Data = append(path.Rmw, event.Pair{next, next + 1}), append(path.Data, event.Pair{next, next + 1})
		write(at, sum)
	}
}

// law is an axiom, as a plan has it and as one checks it on an execution.
type law struct {
	name  string
	build func(b *plan.Builder, co plan.Node)
	holds func(e *event.Execution) bool
}

// named is the relation of a name in an execution.
func named(e *event.Execution, name string) rel.Rel {
	r, ok := e.Rel(name)
	if !ok {
		panic("executions have no " + name)
	}
	return r
}

// order is a law by which a relation and the communications are acyclic.
func order(name, base string, vars plan.Vars) law {
	return law{
		name,
		func(b *plan.Builder, co plan.Node) {
			rf := b.Input("rf", false, plan.VarOf(plan.Rf))
			fr := b.Seq(b.Inverse(rf), co)
			b.Check(name, plan.Acyclic, false, b.Union(b.Union(b.Input(base, false, vars), rf), b.Union(co, fr)))
		},
		func(e *event.Execution) bool {
			return named(e, base).Union(e.RfRel()).Union(e.Co).Union(e.FrRel()).Acyclic()
		},
	}
}

var laws = []law{
	{"nothing", anything, func(*event.Execution) bool { return true }},
	order("coherence", "po-loc", plan.VarOf(plan.Places)),
	order("sc", "po", 0),
	{
		"atomicity",
		func(b *plan.Builder, co plan.Node) {
			rf := b.Input("rf", false, plan.VarOf(plan.Rf))
			ext := b.Input("ext", false, 0)
			fre := b.Inter(b.Seq(b.Inverse(rf), co), ext)
			b.Check("atomicity", plan.IsEmpty, false, b.Inter(b.Input("rmw", false, 0), b.Seq(fre, b.Inter(co, ext))))
		},
		func(e *event.Execution) bool { return named(e, "fre").Compose(named(e, "coe")).Inter(e.Rmw).Empty() },
	},
	{
		"no thin air",
		func(b *plan.Builder, _ plan.Node) {
			dep := b.Union(b.Input("data", false, 0), b.Input("addr", false, 0))
			b.Check("no thin air", plan.Acyclic, false, b.Union(dep, b.Input("rf", false, plan.VarOf(plan.Rf))))
		},
		func(e *event.Execution) bool { return e.Data.Union(e.Addr).Union(e.RfRel()).Acyclic() },
	},
}

// TestAgainstEnumerate: the engine finds the states of what the slow engine enumerates, with the
// same counts, and the same say on values out of thin air.
func TestAgainstEnumerate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawProgram(t)
		law := rapid.SampledFrom(laws).Draw(t, "law")
		var observe []final.Observable
		for thread, paths := range d.threads {
			for name := range paths[0].Finals {
				observe = append(observe, final.Observable{Reg: event.Reg{Thread: thread, Name: name}, Loc: event.NoLoc})
			}
		}
		observe = append(observe, final.Observable{Loc: x}, final.Observable{Loc: y}, final.Observable{Loc: p})

		const limit = 20_000
		var stats enumerate.Stats
		want, thinAir := map[string]int{}, false
		for e, err := range enumerate.Executions(context.Background(), d, enumerate.Options{MaxCandidates: limit}, &stats) {
			if err != nil {
				t.Skip("the slow engine takes long")
			}
			if law.holds(e) {
				want[stateOf(e, observe)]++
				thinAir = thinAir || !e.ThinAir.Empty()
			}
		}
		e := For(coherent(law.build))
		defer e.Release()
		e.Begin(&Query{Observe: observe, Domain: d.Domain}, &Stats{})
		for s := range d.Structures(context.Background()) {
			if _, err := e.Explore(engine.NewBudget(engine.Forever), s); err != nil {
				t.Fatal(err)
			}
		}
		a := e.Answer()
		got := map[string]int{}
		for _, s := range a.States {
			got[fmt.Sprint(s.Values())] = s.Count
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || a.ThinAir != thinAir {
			t.Errorf("under %s: %v, thin air %v; want %v, %v", law.name, got, a.ThinAir, want, thinAir)
		}
	})
}

// stateOf is the final state of an execution: coherence is total, so each location has one value.
func stateOf(e *event.Execution, observe []final.Observable) string {
	var values []event.Value
	for _, o := range observe {
		if o.Loc != event.NoLoc {
			values = append(values, e.FinalValues(o.Loc)...)
			continue
		}
		v, ok := e.Final(o.Reg)
		if !ok {
			v = event.Int(0)
		}
		values = append(values, v)
	}
	return fmt.Sprint(values)
}
